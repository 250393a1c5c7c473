//! Output and exit status of a command, and the limit of what the model receives.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use tool_core::output_store::OutputStore;
use tool_core::{ToolContext, ToolError, ToolOutput};

use super::printed::{Printed, PrintedBytes};
use super::process::{Outcome, RunEnd};
use super::streams::Kept;

/// Signals that have the same number on every Unix, and why they end programs if only the signal shows it.
// SIGBUS, SIGUSR1 and others are omitted, because their numbers depend on the system and the architecture.
const SIGNALS: &[(i32, &str, Option<&str>)] = &[
    (1, "SIGHUP", None),
    (2, "SIGINT", None),
    (3, "SIGQUIT", None),
    (
        4,
        "SIGILL",
        Some("it used an instruction that this CPU doesn't have"),
    ),
    (
        6,
        "SIGABRT",
        Some("it stopped itself after a failed check, which its last lines usually name"),
    ),
    (
        8,
        "SIGFPE",
        Some("it made an invalid calculation, such as a division by zero"),
    ),
    (
        9,
        "SIGKILL",
        Some("the system or another process stopped it, most often because memory ran out"),
    ),
    (
        11,
        "SIGSEGV",
        Some("it crashed, because it used memory that isn't its own"),
    ),
    (
        13,
        "SIGPIPE",
        Some("the program that read its output ended first, as after `| head`"),
    ),
    (14, "SIGALRM", Some("its own timer ran out")),
    (15, "SIGTERM", Some("another process asked it to end")),
    (24, "SIGXCPU", Some("it used more CPU time than allowed")),
];

/// Suggestion for a command that printed nothing until its timeout.
const AFTER_SILENCE: &str = "It printed nothing: it may buffer its output (try `python3 -u` or `stdbuf -oL`), or wait for input. Set a longer timeout, or start it in the background.";

/// Suggestion for a command that failed.
#[cfg(feature = "document-sets")]
pub(crate) const AFTER_FAILURE: &str = "Read the output, fix the cause, and run the command again.";

/// Output and exit status of a command. `Display` writes the text shown to the model.
///
/// # Examples
/// ```
/// use tools_builtin::shell::CommandOutput;
///
/// let output = CommandOutput {
///     stdout: "built\n".to_owned(),
///     exit_code: Some(1),
///     ..CommandOutput::default()
/// };
/// assert_eq!(output.to_string(), "built\nexit code 1");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct CommandOutput {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Exit code; null if the command was killed by a signal or is still running.
    pub exit_code: Option<i32>,
    /// Whether the command was killed at its timeout.
    pub timed_out: bool,
    /// Number of the signal that killed the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Id of a command that runs in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_id: Option<String>,
    /// Standard output and standard error in the order received. Not part of the data.
    ///
    /// The streams are separate pipes, so the order is approximate for output written to both at
    /// nearly the same time. The order within each stream is always kept.
    #[serde(skip)]
    pub output: String,
    /// Both streams as the command wrote them, if escape sequences or overwritten lines were removed from them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
}

impl CommandOutput {
    /// Returns the output of a command that exited, or an error with the partial output.
    pub(crate) fn or_partial(
        self,
        outcome: &Outcome,
        timeout: Duration,
        for_model: bool,
    ) -> Result<Self, ToolError> {
        let is_silent = for_model && outcome.combined.total() == 0;
        match outcome.end {
            RunEnd::Exited(_) => Ok(self),
            RunEnd::TimedOut => Err(ToolError::timeout(timeout)
                .suggest(if is_silent {
                    AFTER_SILENCE
                } else {
                    "Run a shorter command, or set a longer timeout if the tool accepts one."
                })
                .with_output(self.into_partial())),
            RunEnd::Cancelled => Err(ToolError::cancelled().with_output(self.into_partial())),
        }
    }

    /// Returns the output so far with these texts of the two streams.
    pub(crate) fn so_far(outcome: &Outcome, [stdout, stderr]: [String; 2]) -> Self {
        let mut printed = outcome.printed.as_deref().into_iter().flatten();
        let has_changed = printed.any(Printed::has_changed);
        Self {
            stdout,
            stderr,
            raw: has_changed.then(|| outcome.combined.to_text()),
            exit_code: outcome.exit_code(),
            timed_out: outcome.end == RunEnd::TimedOut,
            signal: outcome.signal(),
            background_id: None,
            output: outcome.combined.to_text(),
        }
    }

    fn into_partial(self) -> ToolOutput {
        let text = self.to_string();
        let data = serde_json::to_value(self).unwrap_or_default();
        if text.is_empty() {
            // Some providers reject empty text blocks.
            return ToolOutput::default().with_data(data);
        }
        ToolOutput::text(text).with_data(data)
    }

    fn ending(&self) -> Option<String> {
        match (self.exit_code, self.signal) {
            (Some(0), _) | (None, None) => None,
            (Some(code), _) => Some(format!("exit code {code}")),
            (None, Some(signal)) => Some(format!("killed by {}", named(signal))),
        }
    }
}

impl fmt::Display for CommandOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if !self.stdout.is_empty() {
            parts.push(self.stdout.trim_end_matches('\n').to_owned());
        }
        if !self.stderr.is_empty() {
            let stderr = self.stderr.trim_end_matches('\n');
            parts.push(format!("{STDERR_TITLE}{stderr}"));
        }
        parts.extend(self.ending());
        if let Some(id) = &self.background_id {
            parts.push(format!("runs in the background as `{id}`"));
        }
        // Some providers reject empty text.
        if parts.is_empty() && self.exit_code == Some(0) {
            parts.push("(no output)".to_owned());
        }
        f.write_str(&parts.join("\n"))
    }
}

/// Adds the exit status and output sizes to the metadata of the call.
pub(crate) fn note(outcome: &Outcome, cx: &ToolContext) {
    if let RunEnd::Exited(_) = outcome.end {
        cx.note("exit_code", outcome.exit_code());
    }
    if let Some(signal) = outcome.signal() {
        cx.note("signal", signal);
    }
    for (name, stream) in [("stdout", &outcome.stdout), ("stderr", &outcome.stderr)] {
        cx.note(format!("{name}_lines"), stream.lines());
        if stream.dropped() > 0 {
            cx.note(format!("{name}_bytes_left_out"), stream.dropped());
        }
    }
}

/// Returns the number and the name of a signal.
pub(crate) fn named(signal: i32) -> String {
    match SIGNALS.iter().find(|(number, ..)| *number == signal) {
        Some((_, name, _)) => format!("signal {signal} ({name})"),
        None => format!("signal {signal}"),
    }
}

/// Returns why a signal usually ends programs.
pub(crate) fn reason_of(signal: i32) -> Option<&'static str> {
    let mut signals = SIGNALS.iter();
    signals.find(|(number, ..)| *number == signal)?.2
}

/// Maximum bytes returned of each stream by default, half from its beginning and half from its end.
const DEFAULT_BYTES: usize = 64 * 1024;

/// Maximum bytes of each stream that a model sees by default, so that both are within the default limit of a registry.
const SHOWN_BYTES: usize = 32 * 1024;

/// Next step if the full output is not stored.
const REDIRECT: &str = "Redirect the output to a file and read the parts that you need.";

/// What comes before standard error in the text for a model.
const STDERR_TITLE: &str = "stderr:\n";

/// Maximum bytes of each stream that are stored.
const STORED_BYTES: usize = 8 * 1024 * 1024;

/// Timeout of a store.
const STORE_TIMEOUT: Duration = Duration::from_secs(10);

/// Metadata key of the handle of the full output.
const STORED_OUTPUT: &str = "stored_output";

/// Limit of the output that a tool returns, and the store for the full output.
#[derive(Debug, Clone)]
pub(crate) struct OutputBudget {
    pub(crate) max_bytes: usize,
    pub(crate) store: Option<Arc<dyn OutputStore>>,
    /// Whether the readable text of the streams is returned.
    pub(crate) for_model: bool,
}

impl Default for OutputBudget {
    fn default() -> Self {
        Self {
            max_bytes: DEFAULT_BYTES,
            store: None,
            for_model: false,
        }
    }
}

impl OutputBudget {
    /// Returns the readable text of the streams from now on.
    pub(crate) fn show_to_model(&mut self) {
        self.for_model = true;
        if self.max_bytes == DEFAULT_BYTES {
            self.max_bytes = SHOWN_BYTES;
        }
    }

    /// Returns what to keep of each stream.
    pub(crate) fn kept(&self) -> Kept {
        let stored = match self.max_bytes {
            0 => 0,
            returned if self.store.is_some() => returned.max(STORED_BYTES),
            returned => returned,
        };
        if !self.for_model {
            return Kept::raw(stored);
        }
        Kept {
            raw: self.max_bytes,
            printed: Some(PrintedBytes {
                shown: self.max_bytes,
                stored: if self.store.is_some() { stored } else { 0 },
            }),
        }
    }

    /// Returns the text of the two streams within the limit. If one is too long, stores the full output.
    pub(crate) async fn shown(&self, outcome: &mut Outcome, cx: &ToolContext) -> [String; 2] {
        if let Some(printed) = outcome.printed.as_deref() {
            return self.printed(printed, outcome, cx).await;
        }
        self.shorten(outcome, cx).await;
        [outcome.stdout.to_text(), outcome.stderr.to_text()]
    }

    async fn printed(
        &self,
        printed: &[Printed; 2],
        outcome: &Outcome,
        cx: &ToolContext,
    ) -> [String; 2] {
        let [stdout, stderr] = printed;
        if !stdout.shown.is_cut() && !stderr.shown.is_cut() {
            return printed
                .each_ref()
                .map(|stream| stream.shown.clone().render(None));
        }
        let full = printed.each_ref().map(|stream| stream.full.to_text());
        let full = CommandOutput::so_far(outcome, full).to_string();
        let handle = self.put(full, cx).await;
        if handle.is_none() {
            cx.warn(format!("The output is truncated. {REDIRECT}"));
        }
        let render = |stream: &Printed| stream.shown.clone().render(handle.as_deref());
        [render(stdout), render(stderr)]
    }

    /// Shortens the streams to the limit. If a stream is too long, stores the full output and adds a warning.
    async fn shorten(&self, outcome: &mut Outcome, cx: &ToolContext) {
        let streams = [
            ("standard output", &outcome.stdout),
            ("standard error", &outcome.stderr),
        ];
        let is_long = |stream: &super::capture::Capture| stream.total() > self.max_bytes as u64;
        let long = streams.into_iter().filter(|(_, stream)| is_long(stream));
        let long: Vec<String> = long
            .map(|(name, stream)| {
                let (bytes, lines) = (stream.total(), stream.lines());
                format!("{bytes} bytes in {lines} lines to {name}")
            })
            .collect();
        if long.is_empty() {
            return;
        }
        let full = [outcome.stdout.to_text(), outcome.stderr.to_text()];
        let full = CommandOutput::so_far(outcome, full).to_string();
        let next = match self.put(full, cx).await {
            // Toolsets without the tool omit the first sentence.
            Some(handle) => format!(
                "`read_stored_output` reads the rest from the handle `{handle}`. {REDIRECT}"
            ),
            None => REDIRECT.to_owned(),
        };
        let printed = long.join(" and ");
        cx.warn(format!(
            "The command printed {printed}, which is truncated. {next}"
        ));
        for stream in [
            &mut outcome.stdout,
            &mut outcome.stderr,
            &mut outcome.combined,
        ] {
            stream.shorten(self.max_bytes);
        }
    }

    /// Stores a string, and returns its handle.
    async fn put(&self, text: String, cx: &ToolContext) -> Option<String> {
        let store = self.store.as_ref()?;
        // The command has already run: a store that hangs or fails must not lose its result.
        match tokio::time::timeout(STORE_TIMEOUT, store.put(text.into())).await {
            Ok(Ok(handle)) => {
                let handle = handle.to_string();
                cx.note(STORED_OUTPUT, handle.as_str());
                return Some(handle);
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "the output of a command could not be stored");
            }
            Err(_) => tracing::warn!("the output of a command could not be stored in time"),
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::capture::Capture;

    fn output(stdout: &str, stderr: &str, exit_code: Option<i32>) -> CommandOutput {
        CommandOutput {
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            exit_code,
            ..CommandOutput::default()
        }
    }

    #[test]
    fn silent_timeout_names_buffered_output() {
        for (printed, for_model, suggested) in [
            (&b""[..], true, true),
            (b"a\n", true, false),
            (b"", false, false),
        ] {
            let mut combined = Capture::new(10);
            combined.push(printed);
            let outcome = Outcome {
                end: RunEnd::TimedOut,
                stdout: Capture::default(),
                stderr: Capture::default(),
                combined,
                printed: None,
                left: 0,
            };
            let output = CommandOutput::so_far(&outcome, [String::new(), String::new()]);

            let error = output.or_partial(&outcome, Duration::from_secs(1), for_model);

            let error = error.unwrap_err();
            let suggestion = error.suggestion().unwrap();
            assert_eq!(suggestion.contains("`python3 -u`"), suggested, "{error}");
        }
    }

    #[test]
    fn renders_only_nonempty_parts() {
        let killed_by = |signal| CommandOutput {
            signal: Some(signal),
            ..output("", "", None)
        };
        let in_background = CommandOutput {
            background_id: Some("command-1".to_owned()),
            ..output("", "", None)
        };
        for (output, text) in [
            (output("a\n", "", Some(0)), "a"),
            (output("", "", Some(0)), "(no output)"),
            (output("", "b\n", Some(0)), "stderr:\nb"),
            (output("a", "b", Some(1)), "a\nstderr:\nb\nexit code 1"),
            (output("", "", Some(2)), "exit code 2"),
            (killed_by(9), "killed by signal 9 (SIGKILL)"),
            (killed_by(40), "killed by signal 40"),
            (in_background, "runs in the background as `command-1`"),
        ] {
            assert_eq!(output.to_string(), text);
        }
    }
}
