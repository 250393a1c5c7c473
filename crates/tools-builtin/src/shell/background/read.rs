//! Reading of the output of background commands.

use std::fmt;
use std::sync::atomic::Ordering;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::command::BackgroundStatus;
use super::store::BackgroundCommands;

/// Maximum time for which a call may wait for a command to finish.
const MAX_WAIT_SECONDS: u64 = 60;

/// Output to read.
///
/// # Examples
/// ```
/// use tools_builtin::shell::BackgroundOutputInput;
///
/// let input: BackgroundOutputInput = serde_json::from_str(r#"{"id": "command-1"}"#)?;
/// assert_eq!((input.offset, input.wait_seconds), (None, 0));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct BackgroundOutputInput {
    /// Id of the command.
    pub id: String,
    /// Offset of the first byte to return; 0 for all retained output. Omit to continue after the
    /// previous read.
    #[serde(default)]
    pub offset: Option<u64>,
    /// Maximum seconds to wait for the command to finish before reading its output. The default is
    /// 0.
    #[serde(default)]
    #[schemars(range(max = 60))]
    pub wait_seconds: u64,
}

/// Part of the output of a background command.
///
/// # Examples
/// ```
/// use tools_builtin::shell::{BackgroundOutput, BackgroundStatus};
///
/// let output = BackgroundOutput {
///     id: "command-1".to_owned(),
///     status: BackgroundStatus::Exited,
///     exit_code: Some(0),
///     signal: None,
///     output: "built\n".to_owned(),
///     next_offset: 6,
///     bytes_omitted: 0,
///     standing: "exited with code 0".to_owned(),
/// };
/// assert_eq!(output.to_string(), "built\n[command-1: exited with code 0]");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct BackgroundOutput {
    /// Id of the command.
    pub id: String,
    /// Status of the command.
    pub status: BackgroundStatus,
    /// Exit code; null if the command is running or was killed.
    pub exit_code: Option<i32>,
    /// Number of the signal that killed the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Standard output and standard error combined, from the requested offset.
    pub output: String,
    /// Offset of the next part of the output.
    pub next_offset: u64,
    /// Number of bytes after the requested offset that are no longer retained.
    pub bytes_omitted: u64,
    /// Short description of the status. Not part of the data.
    #[serde(skip)]
    pub standing: String,
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
///
/// # Examples
/// ```
/// use tool_core::{TypedTool, ToolContext};
/// use tools_builtin::shell::{BackgroundCommands, ReadBackground};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), serde_json::Error> {
/// let tool = ReadBackground::new(BackgroundCommands::default());
/// let input = serde_json::from_str(r#"{"id": "command-1"}"#)?;
/// let error = tool.run(&ToolContext::test(), input).await.unwrap_err();
/// assert_eq!(error.parameter(), Some("id"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct ReadBackground {
    commands: BackgroundCommands,
}

impl ReadBackground {
    /// Creates a tool that reads the output of `commands`.
    #[must_use]
    pub fn new(commands: BackgroundCommands) -> Self {
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

pub(super) async fn read(
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
