//! What a command wrote, and how it ended.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use tool_core::{ErrorCode, Limits, ToolContext, ToolError, ToolOutput};

use super::process::{End, Outcome};

/// Signals that have the same number on every Unix.
const SIGNALS: [(i32, &str); 12] = [
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (6, "SIGABRT"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
    (13, "SIGPIPE"),
    (14, "SIGALRM"),
    (15, "SIGTERM"),
    (24, "SIGXCPU"),
];

/// What a command wrote, and how it ended; written as a model reads it.
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
    /// What it wrote to its standard output.
    pub stdout: String,
    /// What it wrote to its standard error.
    pub stderr: String,
    /// Its exit code; null when it was ended by a signal, and while it runs.
    pub exit_code: Option<i32>,
    /// Whether it was ended because it ran too long.
    pub timed_out: bool,
    /// The number of the signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// The name of the command when it was left running in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_id: Option<String>,
    /// Both streams as one, in the order in which they came. It is not part of the data.
    ///
    /// The streams are two pipes: what is written to both within less time than it takes to read them may change
    /// places, piece by piece, never within one stream.
    #[serde(skip)]
    pub output: String,
}

impl CommandOutput {
    /// The output of a run that ended by itself, or the error of one that did not, with what came so far.
    pub(crate) fn of(
        outcome: &Outcome,
        timeout: Duration,
        limits: &Limits,
    ) -> Result<Self, ToolError> {
        let output = Self::so_far(outcome, limits);
        match outcome.end {
            End::Exited(_) => Ok(output),
            End::TimedOut => Err(ToolError::timeout(timeout)
                .suggest("Run something that takes less time, or ask for more time where the tool lets you.")
                .with_output(output.into_partial())),
            End::Cancelled => Err(ToolError::cancelled().with_output(output.into_partial())),
        }
    }

    fn so_far(outcome: &Outcome, limits: &Limits) -> Self {
        // Bytes were cut already, from the middle.
        let lines = Limits::lines(limits.max_lines);
        Self {
            stdout: lines.cut(&outcome.stdout.to_text()),
            stderr: lines.cut(&outcome.stderr.to_text()),
            exit_code: outcome.exit_code(),
            timed_out: outcome.end == End::TimedOut,
            signal: outcome.signal(),
            background_id: None,
            output: lines.cut(&outcome.both.to_text()),
        }
    }

    /// The error of a command that ran to its end, where any other exit code than 0 is one.
    pub(crate) fn success(self) -> Result<Self, ToolError> {
        let sentence = match (self.exit_code, self.signal) {
            (Some(0), _) => return Ok(self),
            (Some(code), _) => format!("The command failed with exit code {code}"),
            (None, Some(signal)) => format!("The command was ended by {}", named(signal)),
            (None, None) => "The command ended without an exit code".to_owned(),
        };
        Err(ToolError::new(ErrorCode::CommandFailed, sentence).with_output(self.into_partial()))
    }

    fn into_partial(self) -> ToolOutput {
        let text = self.to_string();
        let data = serde_json::to_value(self).unwrap_or_default();
        if text.is_empty() {
            // Some providers refuse a block without a text.
            return ToolOutput::default().with_data(data);
        }
        ToolOutput::text(text).with_data(data)
    }

    fn ending(&self) -> Option<String> {
        match (self.exit_code, self.signal) {
            (Some(0), _) | (None, None) => None,
            (Some(code), _) => Some(format!("exit code {code}")),
            (None, Some(signal)) => Some(format!("ended by {}", named(signal))),
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
            parts.push(format!("stderr:\n{}", self.stderr.trim_end_matches('\n')));
        }
        parts.extend(self.ending());
        if let Some(id) = &self.background_id {
            parts.push(format!("runs in the background as `{id}`"));
        }
        if parts.is_empty() && self.exit_code == Some(0) {
            parts.push("(no output)".to_owned());
        }
        f.write_str(&parts.join("\n"))
    }
}

/// What the host learns of a run beside its output.
pub(crate) fn note(outcome: &Outcome, cx: &ToolContext) {
    if let End::Exited(_) = outcome.end {
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

fn named(signal: i32) -> String {
    match SIGNALS.iter().find(|(number, _)| *number == signal) {
        Some((_, name)) => format!("signal {signal} ({name})"),
        None => format!("signal {signal}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(stdout: &str, stderr: &str, exit_code: Option<i32>) -> CommandOutput {
        CommandOutput {
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            exit_code,
            ..CommandOutput::default()
        }
    }

    #[test]
    fn what_the_model_reads_names_only_what_there_is() {
        let ended_by = |signal| CommandOutput {
            signal: Some(signal),
            ..output("", "", None)
        };
        let left_running = CommandOutput {
            background_id: Some("command-1".to_owned()),
            ..output("", "", None)
        };
        for (output, text) in [
            (output("a\n", "", Some(0)), "a"),
            (output("", "", Some(0)), "(no output)"),
            (output("", "b\n", Some(0)), "stderr:\nb"),
            (output("a", "b", Some(1)), "a\nstderr:\nb\nexit code 1"),
            (output("", "", Some(2)), "exit code 2"),
            (ended_by(9), "ended by signal 9 (SIGKILL)"),
            (ended_by(40), "ended by signal 40"),
            (left_running, "runs in the background as `command-1`"),
        ] {
            assert_eq!(output.to_string(), text);
        }
    }

    #[test]
    fn where_a_failure_is_an_error_it_says_how_the_command_ended() {
        let killed = CommandOutput {
            signal: Some(11),
            ..output("", "", None)
        };
        for (output, message) in [
            (
                output("a", "b", Some(2)),
                "The command failed with exit code 2.",
            ),
            (killed, "The command was ended by signal 11 (SIGSEGV)."),
        ] {
            let error = output.success().unwrap_err();

            assert_eq!(
                (error.code(), error.message()),
                (&ErrorCode::CommandFailed, message)
            );
        }
        assert!(output("a", "b", Some(0)).success().is_ok());
    }

    #[test]
    fn the_error_of_a_failure_carries_all_that_came() {
        let error = output("a", "b", Some(2)).success().unwrap_err();

        let carried = error.output().unwrap();
        assert_eq!(
            carried.data,
            Some(serde_json::json!({
                "stdout": "a", "stderr": "b", "exit_code": 2, "timed_out": false
            }))
        );
        assert_eq!(
            carried.content,
            ToolOutput::text("a\nstderr:\nb\nexit code 2").content
        );
    }
}
