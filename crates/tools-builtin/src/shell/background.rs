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

use crate::workspace::on_one_line;

pub use command::{BackgroundCommand, BackgroundStatus};
pub use store::BackgroundCommands;

/// Maximum characters shown of a command line; the data contains all of it.
const MAX_SHOWN_CHARS: usize = 200;

/// Empty input: all commands are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) struct ListBackgroundInput {}

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

/// Lists the background commands of one session.
#[derive(Debug, Clone)]
pub(crate) struct ListBackground {
    commands: BackgroundCommands,
}

impl ListBackground {
    /// Creates a tool that lists `commands`.
    #[must_use]
    pub(crate) fn new(commands: BackgroundCommands) -> Self {
        Self { commands }
    }
}

impl TypedTool for ListBackground {
    type Input = ListBackgroundInput;
    type Output = BackgroundList;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    async fn run(
        &self,
        _cx: &ToolContext,
        _input: ListBackgroundInput,
    ) -> Result<BackgroundList, ToolError> {
        Ok(BackgroundList {
            commands: self.commands.list(),
            limit: self.commands.limit(),
        })
    }

    fn render(output: &BackgroundList) -> String {
        output.to_string()
    }
}

/// Maximum time for which a call may wait for a command to finish.
const MAX_WAIT_SECONDS: u64 = 60;

/// Output to read.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct BackgroundOutputInput {
    /// Id of the command.
    pub(crate) id: String,
    /// Offset of the first byte to return; 0 for all retained output. Omit to continue after the
    /// previous read.
    #[serde(default)]
    pub(crate) offset: Option<u64>,
    /// Maximum seconds to wait for the command to finish before reading its output. The default is
    /// 0.
    #[serde(default)]
    #[schemars(range(max = 60))]
    pub(crate) wait_seconds: u64,
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

/// Reads the output of a background command, optionally after waiting for it to finish.
///
/// # Errors
/// Returns `invalid_arguments` if `id` is unknown or `wait_seconds` is over 60.
#[derive(Debug, Clone)]
pub(crate) struct ReadBackground {
    commands: BackgroundCommands,
}

impl ReadBackground {
    /// Creates a tool that reads the output of `commands`.
    #[must_use]
    pub(crate) fn new(commands: BackgroundCommands) -> Self {
        Self { commands }
    }
}

impl TypedTool for ReadBackground {
    type Input = BackgroundOutputInput;
    type Output = BackgroundOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn plan(
        &self,
        _cx: &ToolContext,
        input: &BackgroundOutputInput,
    ) -> Result<CallPlan, ToolError> {
        let seconds = input.wait_seconds;
        // The schema has the same limit, but only a registry checks it, and the tool also works without one.
        if seconds > MAX_WAIT_SECONDS {
            let sentence = format!("must be from 0 to {MAX_WAIT_SECONDS}, not {seconds}");
            return Err(ToolError::invalid_arguments("wait_seconds", sentence));
        }
        Ok(CallPlan::of(Self::RISK))
    }

    fn timeout(&self) -> Option<Duration> {
        // Longer than the longest wait, so that such a call returns its output instead of a timeout.
        Some(Duration::from_secs(MAX_WAIT_SECONDS + 10))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: BackgroundOutputInput,
    ) -> Result<BackgroundOutput, ToolError> {
        self.plan(cx, &input)?;
        read(&self.commands, input).await
    }

    fn render(output: &BackgroundOutput) -> String {
        output.to_string()
    }
}

async fn read(
    commands: &BackgroundCommands,
    input: BackgroundOutputInput,
) -> Result<BackgroundOutput, ToolError> {
    let job = commands.find(&input.id).ok_or_else(|| commands.unknown())?;
    let timeout = Duration::from_secs(input.wait_seconds);
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
        output: part.text,
        next_offset: part.next_offset,
        bytes_omitted: part.omitted,
    })
}

/// Command to stop.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct StopBackgroundInput {
    /// Id of the command.
    pub(crate) id: String,
}

/// Kills a background command with all its child processes and returns the rest of its output.
///
/// # Errors
/// Returns `invalid_arguments` if `id` is unknown. Stopping a finished command succeeds.
#[derive(Debug, Clone)]
pub(crate) struct StopBackground {
    commands: BackgroundCommands,
}

impl StopBackground {
    /// Creates a tool that stops commands in `commands`.
    #[must_use]
    pub(crate) fn new(commands: BackgroundCommands) -> Self {
        Self { commands }
    }
}

impl TypedTool for StopBackground {
    type Input = StopBackgroundInput;
    type Output = BackgroundOutput;

    const RISK: RiskLevel = RiskLevel::SafeWrite;

    async fn run(
        &self,
        _cx: &ToolContext,
        input: StopBackgroundInput,
    ) -> Result<BackgroundOutput, ToolError> {
        // `read` returns the error for an unknown id.
        self.commands.stop(&input.id).await;
        let input = BackgroundOutputInput {
            id: input.id,
            offset: None,
            wait_seconds: 0,
        };
        read(&self.commands, input).await
    }

    fn render(output: &BackgroundOutput) -> String {
        output.to_string()
    }
}
