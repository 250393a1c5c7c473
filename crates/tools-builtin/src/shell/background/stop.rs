//! Termination of background commands.

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{RiskLevel, ToolContext, ToolError, TypedTool};

use super::read::{BackgroundOutput, BackgroundOutputInput, read};
use super::store::BackgroundCommands;

/// Command to stop.
///
/// # Examples
/// ```
/// use tools_builtin::shell::StopBackgroundInput;
///
/// let input: StopBackgroundInput = serde_json::from_str(r#"{"id": "command-1"}"#)?;
/// assert_eq!(input.id, "command-1");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct StopBackgroundInput {
    /// Id of the command.
    pub id: String,
}

/// Kills a background command with all its child processes and returns the rest of its output.
///
/// # Errors
/// Returns `invalid_arguments` if `id` is unknown. Stopping a finished command succeeds.
///
/// # Examples
/// ```
/// use tool_core::{TypedTool, ToolContext};
/// use tools_builtin::shell::{BackgroundCommands, StopBackground};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), serde_json::Error> {
/// let tool = StopBackground::new(BackgroundCommands::default());
/// let input = serde_json::from_str(r#"{"id": "command-1"}"#)?;
/// let error = tool.run(&ToolContext::test(), input).await.unwrap_err();
/// assert_eq!(error.parameter(), Some("id"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct StopBackground {
    commands: BackgroundCommands,
}

impl StopBackground {
    /// Creates a tool that stops commands in `commands`.
    #[must_use]
    pub fn new(commands: BackgroundCommands) -> Self {
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
