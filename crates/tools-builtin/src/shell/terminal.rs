//! Last command of a session.

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::Clock;
use tool_core::{ErrorCode, RiskLevel, Timestamp, ToolContext, ToolError, TypedTool};

/// Command that exited, timed out or was cancelled.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub(crate) struct ExecutedCommand {
    /// Command line. A program with a list of arguments is shown as one line with quotes.
    pub(crate) command: String,
    /// Exit code; null if the command was killed.
    pub(crate) exit_code: Option<i32>,
    /// Start time, as RFC 3339 in UTC.
    #[schemars(with = "String")]
    pub(crate) executed_at: Timestamp,
    /// Standard output and standard error in the order received; the middle of long output is
    /// omitted.
    pub(crate) output: String,
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
#[derive(Clone, Default)]
pub(crate) struct TerminalHistory {
    last: Arc<Mutex<Option<ExecutedCommand>>>,
    clock: Option<Arc<dyn Clock>>,
}

impl TerminalHistory {
    /// Sets the clock. The default is the system clock.
    #[cfg(test)]
    #[must_use]
    pub(crate) fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// Returns the last command, or `None` if none has finished.
    #[must_use]
    pub(crate) fn last(&self) -> Option<ExecutedCommand> {
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) struct LastCommandInput {}

/// Returns the command that finished last in a session, with its output.
#[derive(Debug, Clone)]
pub(crate) struct LastCommand {
    history: TerminalHistory,
}

impl LastCommand {
    /// Creates a tool that reads `history`.
    #[must_use]
    pub(crate) fn new(history: TerminalHistory) -> Self {
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
