//! Ending a command in the background.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{Engine, Limits, RiskLevel, ToolContext, ToolError};

use super::read::{BackgroundOutput, BackgroundOutputInput, read};
use super::store::BackgroundCommands;

/// Which command to stop.
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
    /// What the command is called by.
    pub id: String,
}

/// Ends a command in the background with everything it started, and tells the rest of its output.
///
/// # Errors
/// `invalid_arguments` where no command has the `id`. A command that has ended already is no error.
///
/// # Examples
/// ```
/// use tool_core::{Engine, Limits, ToolContext};
/// use tools_builtin::shell::{BackgroundCommands, StopBackground};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), serde_json::Error> {
/// let engine = StopBackground::new(BackgroundCommands::default());
/// let input = serde_json::from_str(r#"{"id": "command-1"}"#)?;
/// let error = engine.run(&ToolContext::test(), input, &Limits::default()).await.unwrap_err();
/// assert_eq!(error.parameter(), Some("id"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct StopBackground {
    commands: BackgroundCommands,
}

impl StopBackground {
    /// Creates an engine that ends some of `commands`.
    #[must_use]
    pub fn new(commands: BackgroundCommands) -> Self {
        Self { commands }
    }
}

#[async_trait]
impl Engine for StopBackground {
    type Input = StopBackgroundInput;
    type Output = BackgroundOutput;

    const RISK: RiskLevel = RiskLevel::SafeWrite;

    async fn run(
        &self,
        _cx: &ToolContext,
        input: StopBackgroundInput,
        limits: &Limits,
    ) -> Result<BackgroundOutput, ToolError> {
        if self.commands.stop(&input.id).await.is_none() {
            return Err(self.commands.unknown());
        }
        let input = BackgroundOutputInput {
            id: input.id,
            offset: None,
            wait_seconds: 0,
        };
        read(&self.commands, input, limits).await
    }

    fn render(output: &BackgroundOutput) -> String {
        output.to_string()
    }
}
