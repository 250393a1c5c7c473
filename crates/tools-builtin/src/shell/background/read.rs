//! Reading what a command in the background writes.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Engine, Limits, RiskLevel, ToolContext, ToolError};

use super::command::BackgroundStatus;
use super::store::BackgroundCommands;

/// The longest that a call may wait for the end of a command.
const MAX_WAIT_SECONDS: u64 = 60;

/// Which output to read, and from where.
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
    /// What the command is called by.
    pub id: String,
    /// Byte of the output to begin at, 0 for all that is kept. Omit to go on where the last reading ended.
    #[serde(default)]
    pub offset: Option<u64>,
    /// Seconds to wait for the command to end before its output is read.
    #[serde(default)]
    #[schemars(range(max = 60))]
    pub wait_seconds: u64,
}

/// A part of the output of a command in the background.
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
///     bytes_left_out: 0,
///     standing: "ended with exit code 0".to_owned(),
/// };
/// assert_eq!(output.to_string(), "built\n[command-1: ended with exit code 0]");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct BackgroundOutput {
    /// What the command is called by.
    pub id: String,
    /// Whether it runs, and if not, why it ended.
    pub status: BackgroundStatus,
    /// Its exit code; null while it runs and when it did not end by itself.
    pub exit_code: Option<i32>,
    /// The number of the signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Both streams as one, from the place that was asked for.
    pub output: String,
    /// Where the next part of the output begins.
    pub next_offset: u64,
    /// Bytes behind that place that are no longer kept.
    pub bytes_left_out: u64,
    /// How the command stands, in words. It is not part of the data.
    #[serde(skip)]
    pub standing: String,
}

impl fmt::Display for BackgroundOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.bytes_left_out > 0 {
            writeln!(f, "[… {} bytes are no longer kept …]", self.bytes_left_out)?;
        }
        match self.output.trim_end_matches('\n') {
            "" => f.write_str("(no new output)")?,
            output => f.write_str(output)?,
        }
        write!(f, "\n[{}: {}]", self.id, self.standing)
    }
}

/// Reads what a command in the background has written, and waits for its end where that is asked for.
///
/// # Errors
/// `invalid_arguments` where no command has the `id`, and for a `wait_seconds` over 60.
///
/// # Examples
/// ```
/// use tool_core::{Engine, Limits, ToolContext};
/// use tools_builtin::shell::{BackgroundCommands, ReadBackground};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), serde_json::Error> {
/// let engine = ReadBackground::new(BackgroundCommands::default());
/// let input = serde_json::from_str(r#"{"id": "command-1"}"#)?;
/// let error = engine.run(&ToolContext::test(), input, &Limits::default()).await.unwrap_err();
/// assert_eq!(error.parameter(), Some("id"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct ReadBackground {
    commands: BackgroundCommands,
}

impl ReadBackground {
    /// Creates an engine that reads what `commands` write.
    #[must_use]
    pub fn new(commands: BackgroundCommands) -> Self {
        Self { commands }
    }
}

#[async_trait]
impl Engine for ReadBackground {
    type Input = BackgroundOutputInput;
    type Output = BackgroundOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn check(&self, input: &BackgroundOutputInput) -> Result<(), ToolError> {
        let seconds = input.wait_seconds;
        if seconds > MAX_WAIT_SECONDS {
            let sentence = format!("must be from 0 to {MAX_WAIT_SECONDS}, not {seconds}");
            return Err(ToolError::invalid_arguments("wait_seconds", sentence));
        }
        Ok(())
    }

    fn timeout(&self) -> Option<Duration> {
        Some(Duration::from_secs(MAX_WAIT_SECONDS + 10))
    }

    async fn run(
        &self,
        _cx: &ToolContext,
        input: BackgroundOutputInput,
        limits: &Limits,
    ) -> Result<BackgroundOutput, ToolError> {
        self.check(&input)?;
        read(&self.commands, input, limits).await
    }

    fn render(output: &BackgroundOutput) -> String {
        output.to_string()
    }
}

pub(super) async fn read(
    commands: &BackgroundCommands,
    input: BackgroundOutputInput,
    limits: &Limits,
) -> Result<BackgroundOutput, ToolError> {
    let Some(job) = commands.find(&input.id) else {
        return Err(commands.unknown());
    };
    let patience = Duration::from_secs(input.wait_seconds);
    // Not an error: whoever waits is told what there is until then.
    let _ = tokio::time::timeout(patience, job.ended()).await;
    // Looked at before the output, so that a command that is over has no more to come.
    let command = job.shown();
    let offset = input.offset.unwrap_or_else(|| job.read_to());
    let part = job
        .tail
        .read(offset, limits.max_bytes, !command.is_running());
    job.set_read_to(part.next_offset);
    let standing = match part.more {
        0 => command.standing(),
        more => format!("{}, {more} bytes more to read", command.standing()),
    };
    Ok(BackgroundOutput {
        standing,
        id: command.id,
        status: command.status,
        exit_code: command.exit_code,
        signal: command.signal,
        output: part.text,
        next_offset: part.next_offset,
        bytes_left_out: part.left_out,
    })
}
