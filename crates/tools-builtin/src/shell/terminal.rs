//! Last command of a session.

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::clock::Clock;
use tool_core::{ErrorCode, RiskLevel, Timestamp, ToolContext, ToolError, TypedTool};

/// Command that exited, timed out or was cancelled.
///
/// # Examples
/// ```
/// use tool_core::Timestamp;
/// use tools_builtin::shell::ExecutedCommand;
///
/// let command = ExecutedCommand {
///     command: "git status".to_owned(),
///     exit_code: Some(0),
///     executed_at: Timestamp::parse("2025-11-10T10:05:00Z").ok_or("not a time")?,
///     output: "nothing to commit\n".to_owned(),
/// };
/// assert_eq!(
///     command.to_string(),
///     "Last command: git status\nRun at 2025-11-10T10:05:00.000Z, exit code 0\nOutput: nothing to commit"
/// );
/// # Ok::<_, &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct ExecutedCommand {
    /// Command line. A program with a list of arguments is shown as one line with quotes.
    pub command: String,
    /// Exit code; null if the command was killed.
    pub exit_code: Option<i32>,
    /// Start time, as RFC 3339 in UTC.
    #[schemars(with = "String")]
    pub executed_at: Timestamp,
    /// Standard output and standard error in the order received; the middle of long output is
    /// omitted.
    pub output: String,
}

impl fmt::Display for ExecutedCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Last command: {}", self.command)?;
        write!(f, "Run at {}, ", self.executed_at)?;
        match self.exit_code {
            Some(code) => write!(f, "exit code {code}")?,
            None => f.write_str("killed")?,
        }
        match self.output.trim_end_matches('\n') {
            "" => f.write_str("\nNo output."),
            output => write!(f, "\nOutput: {output}"),
        }
    }
}

/// Keeps the last command of one session. Clones share one store.
///
/// The last command is the one that finished last: of concurrent commands, the longest-running one
/// is kept. `run_command` and `bash` record their commands. Commands that could not start, were
/// rejected, run in the background or belong to a dropped call are not recorded.
///
/// # Examples
/// ```
/// use tool_core::{TypedTool, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::shell::{Bash, TerminalHistory};
/// use tools_builtin::Workspace;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (scratch, history) = (Scratch::new(), TerminalHistory::default());
/// let bash = Bash::new(Workspace::open(scratch.path())?).with_history(history.clone());
/// let input = serde_json::from_str(r#"{"command": "echo one && false"}"#)?;
/// bash.run(&ToolContext::test(), input).await?;
///
/// let last = history.last().ok_or("nothing was run")?;
/// assert_eq!((last.exit_code, last.output.as_str()), (Some(1), "one\n"));
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct TerminalHistory {
    last: Arc<Mutex<Option<ExecutedCommand>>>,
    clock: Option<Arc<dyn Clock>>,
}

impl TerminalHistory {
    /// Sets the clock. The default is the system clock.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// Returns the last command, or `None` if none has finished.
    #[must_use]
    pub fn last(&self) -> Option<ExecutedCommand> {
        self.last
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock
            .as_ref()
            .map_or_else(Timestamp::now, |clock| clock.now())
    }

    pub(crate) fn record(&self, command: ExecutedCommand) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(command);
    }
}

impl fmt::Debug for TerminalHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TerminalHistory")
            .field("last", &self.last())
            .finish_non_exhaustive()
    }
}

/// Empty input: there is only one last command.
///
/// # Examples
/// ```
/// use tools_builtin::shell::LastCommandInput;
///
/// let _: LastCommandInput = serde_json::from_str("{}")?;
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct LastCommandInput {}

/// Returns the command that finished last in a session, with its output.
///
/// # Examples
/// ```
/// use tool_core::{TypedTool, ToolContext};
/// use tools_builtin::shell::{LastCommand, LastCommandInput, TerminalHistory};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let tool = LastCommand::new(TerminalHistory::default());
/// let result = tool.run(&ToolContext::test(), LastCommandInput {}).await;
/// assert_eq!(result.unwrap_err().code().as_str(), "no_previous_command");
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct LastCommand {
    history: TerminalHistory,
}

impl LastCommand {
    /// Creates a tool that reads `history`.
    #[must_use]
    pub fn new(history: TerminalHistory) -> Self {
        Self { history }
    }
}

impl TypedTool for LastCommand {
    type Input = LastCommandInput;
    type Output = ExecutedCommand;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    async fn run(
        &self,
        _cx: &ToolContext,
        _input: LastCommandInput,
    ) -> Result<ExecutedCommand, ToolError> {
        let last = self.history.last().ok_or_else(|| {
            ToolError::new(
                ErrorCode::NoPreviousCommand,
                "No previous command in this session",
            )
            .suggest("Run a command first.")
        })?;
        Ok(last)
    }

    fn render(output: &ExecutedCommand) -> String {
        output.to_string()
    }
}
