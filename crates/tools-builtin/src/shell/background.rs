//! Background commands, which run while the model continues.

mod command;
mod store;

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

use std::fmt;
use std::sync::atomic::Ordering;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::printed::readable;
use crate::workspace::on_one_line;

pub use command::{BackgroundCommand, BackgroundStatus};
pub use store::BackgroundCommands;

/// Maximum characters shown of a command line; the data contains all of it.
const MAX_SHOWN_CHARS: usize = 200;

/// Background commands, in start order.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub(crate) struct BackgroundList {
    /// Running commands and the most recently finished ones.
    pub(crate) commands: Vec<BackgroundCommand>,
    /// Maximum number of running commands.
    pub(crate) limit: usize,
}

impl fmt::Display for BackgroundList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // One line per command, or a command line with newlines would look like several commands.
        let lines: Vec<String> = self
            .commands
            .iter()
            .map(|command| {
                let (status, line) = (command.status_text(), shown(&command.command));
                format!("{} ({status}): {line}", command.id)
            })
            .collect();
        if lines.is_empty() {
            return f.write_str("(no commands)");
        }
        f.write_str(&lines.join("\n"))
    }
}

/// Formats a command on one line, truncated if it is long.
fn shown(command: &str) -> String {
    match command.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", on_one_line(command.split_at(end).0)),
        None => on_one_line(command).into_owned(),
    }
}

/// Maximum time for which a call may wait for a command to finish.
const MAX_WAIT_SECONDS: u64 = 60;

/// Maximum bytes of input of a call.
const MAX_INPUT_BYTES: usize = 32 * 1024;

/// What to do with which command.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(crate) struct BackgroundInput {
    /// Id; omit to list all.
    pub(crate) id: Option<String>,
    /// Wait for its end first.
    #[schemars(range(max = 60))]
    pub(crate) wait_seconds: Option<u64>,
    /// Text for its input; `\u0004` ends it.
    pub(crate) input: Option<String>,
    /// Kill it.
    pub(crate) stop: Option<bool>,
    /// Offset of the first byte to return; 0 for all retained output. Omit to continue after the previous read.
    pub(crate) offset: Option<u64>,
}

/// All commands, or the output of one.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(untagged)]
pub(crate) enum BackgroundReply {
    /// All commands.
    List(BackgroundList),
    /// New output of one command.
    Output(BackgroundOutput),
}

/// Part of the output of a background command.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub(crate) struct BackgroundOutput {
    /// Id of the command.
    pub(crate) id: String,
    /// Status of the command.
    pub(crate) status: BackgroundStatus,
    /// Exit code; null if the command is running or was killed.
    pub(crate) exit_code: Option<i32>,
    /// Number of the signal that killed the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) signal: Option<i32>,
    /// Standard output and standard error combined, from the requested offset.
    pub(crate) output: String,
    /// Offset of the next part of the output.
    pub(crate) next_offset: u64,
    /// Number of bytes after the requested offset that are no longer retained.
    pub(crate) bytes_omitted: u64,
    /// Short description of the status. Not part of the data.
    #[serde(skip)]
    pub(crate) standing: String,
}

impl fmt::Display for BackgroundOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let omitted = self.bytes_omitted;
        if omitted > 0 {
            writeln!(f, "[… {omitted} bytes are no longer retained …]")?;
        }
        match self.output.trim_end_matches('\n') {
            "" => f.write_str("(no new output)")?,
            output => f.write_str(output)?,
        }
        write!(f, "\n[{}: {}]", self.id, self.standing)
    }
}

/// Lists the background commands of a session, reads their output, writes their input and stops them.
///
/// # Errors
/// Returns `invalid_arguments` if `id` is unknown or `wait_seconds` is over 60. Stopping a finished command succeeds.
#[derive(Debug, Clone)]
pub(crate) struct Background {
    commands: BackgroundCommands,
}

impl Background {
    /// Creates a tool for `commands`.
    pub(crate) fn new(commands: BackgroundCommands) -> Self {
        Self { commands }
    }

    async fn read(&self, id: &str, input: &BackgroundInput) -> Result<BackgroundOutput, ToolError> {
        if input.stop == Some(true) {
            // The look-up below returns the error for an unknown id.
            self.commands.stop(id).await;
        }
        let job = self
            .commands
            .find(id)
            .ok_or_else(|| self.commands.unknown())?;
        if let Some(text) = &input.input {
            job.write(text).await?;
        }
        let timeout = Duration::from_secs(input.wait_seconds.unwrap_or_default());
        // Not an error: return the output received until then.
        let _ = tokio::time::timeout(timeout, job.finished()).await;
        // Read the status before the output, so that the output of a finished command is complete.
        let command = job.state();
        let offset = input
            .offset
            .unwrap_or_else(|| job.read_to.load(Ordering::Relaxed));
        let part = job.tail.read(offset, !command.is_running());
        // An explicit offset moves the default too: the next read continues after what the model has just seen.
        job.read_to.store(part.next_offset, Ordering::Relaxed);
        Ok(BackgroundOutput {
            standing: command.status_text(),
            id: command.id,
            status: command.status,
            exit_code: command.exit_code,
            signal: command.signal,
            output: readable(&part.text),
            next_offset: part.next_offset,
            bytes_omitted: part.omitted,
        })
    }
}

impl TypedTool for Background {
    type Input = BackgroundInput;
    type Output = BackgroundReply;

    const RISK: RiskLevel = RiskLevel::SafeWrite;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("command_id", "id"),
        ("task_id", "id"),
        ("kill", "stop"),
        ("stdin", "input"),
    ];

    fn plan(&self, _cx: &ToolContext, input: &BackgroundInput) -> Result<CallPlan, ToolError> {
        let seconds = input.wait_seconds.unwrap_or_default();
        let stops = input.stop == Some(true);
        // The schema has the same limit, but only a registry checks it, and the tool also works without one.
        if seconds > MAX_WAIT_SECONDS {
            let sentence = format!("must be from 0 to {MAX_WAIT_SECONDS}, not {seconds}");
            return Err(ToolError::invalid_arguments("wait_seconds", sentence));
        }
        let text = input.input.as_deref();
        let is_about_one = stops || seconds > 0 || input.offset.is_some() || text.is_some();
        if input.id.is_none() && is_about_one {
            return Err(ToolError::invalid_arguments("id", "is missing")
                .suggest("Pass the id of the command, or no parameter to list all."));
        }
        if text.is_some_and(|text| text.len() > MAX_INPUT_BYTES) {
            let sentence = format!("is longer than {MAX_INPUT_BYTES} bytes");
            return Err(ToolError::invalid_arguments("input", sentence)
                .suggest("Write it to a file that the command reads."));
        }
        if text.is_some() {
            // The filter knows the command, but not what its input does.
            let reason = "writes to a running command, which the command filter can't check";
            return Ok(CallPlan::of(RiskLevel::Dangerous).asking("background:input", reason));
        }
        Ok(CallPlan::of(if stops {
            Self::RISK
        } else {
            RiskLevel::ReadOnly
        }))
    }

    fn timeout(&self) -> Option<Duration> {
        // Longer than the longest wait, so that such a call returns its output instead of a timeout.
        Some(Duration::from_secs(MAX_WAIT_SECONDS + 10))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: BackgroundInput,
    ) -> Result<BackgroundReply, ToolError> {
        drop(self.plan(cx, &input)?);
        match &input.id {
            Some(id) => self.read(id, &input).await.map(BackgroundReply::Output),
            None => Ok(BackgroundReply::List(BackgroundList {
                commands: self.commands.list(),
                limit: self.commands.limit(),
            })),
        }
    }

    fn render(output: &BackgroundReply) -> String {
        match output {
            BackgroundReply::List(list) => list.to_string(),
            BackgroundReply::Output(output) => output.to_string(),
        }
    }
}
