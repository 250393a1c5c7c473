//! Telling the last command that a session ran.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{Engine, ErrorCode, Limits, RiskLevel, ToolContext, ToolError};

use super::history::{ExecutedCommand, TerminalHistory};

/// Nothing: there is one last command.
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

/// Tells the command that ended last in one session, with its output.
///
/// # Examples
/// ```
/// use tool_core::{Engine, Limits, ToolContext};
/// use tools_builtin::shell::{LastCommand, LastCommandInput, TerminalHistory};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let engine = LastCommand::new(TerminalHistory::default());
/// let told = engine.run(&ToolContext::test(), LastCommandInput {}, &Limits::default()).await;
/// assert_eq!(told.unwrap_err().code().as_str(), "no_previous_command");
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct LastCommand {
    history: TerminalHistory,
}

impl LastCommand {
    /// Creates an engine that tells what `history` keeps.
    #[must_use]
    pub fn new(history: TerminalHistory) -> Self {
        Self { history }
    }
}

#[async_trait]
impl Engine for LastCommand {
    type Input = LastCommandInput;
    type Output = ExecutedCommand;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    async fn run(
        &self,
        _cx: &ToolContext,
        _input: LastCommandInput,
        limits: &Limits,
    ) -> Result<ExecutedCommand, ToolError> {
        let last = self.history.last().ok_or_else(|| {
            ToolError::new(
                ErrorCode::NoPreviousCommand,
                "No previous command in this session",
            )
            .suggest("Run a command first.")
        })?;
        Ok(ExecutedCommand {
            output: limits.cut(&last.output),
            ..last
        })
    }

    fn render(output: &ExecutedCommand) -> String {
        output.to_string()
    }
}
