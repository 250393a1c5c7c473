//! Access to the last command of a session.

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{ErrorCode, RiskLevel, ToolContext, ToolError, TypedTool};

use super::history::{ExecutedCommand, TerminalHistory};

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
