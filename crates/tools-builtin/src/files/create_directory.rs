//! Tool that creates directories.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::defaults;
use crate::blocking::blocking;
use crate::workspace::Workspace;

/// Directory to create.
///
/// # Examples
/// ```
/// use tools_builtin::files::CreateDirectoryInput;
///
/// let input: CreateDirectoryInput = serde_json::from_str(r#"{"path": "src/models"}"#)?;
/// assert_eq!(input.path, "src/models");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct CreateDirectoryInput {
    /// Path of the directory, relative to the workspace root. Missing parents are created.
    pub path: String,
}

/// Result of creating a directory.
///
/// # Examples
/// ```
/// use tools_builtin::files::CreateDirectoryOutput;
///
/// let output = CreateDirectoryOutput { path: "src/models".to_owned(), ..CreateDirectoryOutput::default() };
/// assert_eq!(serde_json::to_value(output)?["path"], "src/models");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CreateDirectoryOutput {
    /// Path relative to the workspace root.
    pub path: String,
    /// Parent directories that were created, outermost first.
    pub created_parents: Vec<String>,
    /// Whether the directory did not exist before. Used only for the rendered text.
    #[serde(skip)]
    pub created: bool,
}

/// Creates directories in a workspace.
///
/// # Examples
/// ```
/// use tool_core::{TypedTool, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::files::{CreateDirectory, CreateDirectoryInput};
/// use tools_builtin::workspace::Workspace;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new();
/// let tool = CreateDirectory::new(Workspace::open(scratch.path())?);
/// let input: CreateDirectoryInput = serde_json::from_str(r#"{"path": "src/models"}"#)?;
/// let output = tool.run(&ToolContext::test(), input).await?;
/// assert_eq!(CreateDirectory::render(&output), "Created directory: src/models");
/// assert_eq!(output.created_parents, ["src"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct CreateDirectory {
    workspace: Workspace,
}

impl CreateDirectory {
    /// Creates a tool that writes only inside `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }
}

impl TypedTool for CreateDirectory {
    type Input = CreateDirectoryInput;
    type Output = CreateDirectoryOutput;

    const RISK: RiskLevel = RiskLevel::SafeWrite;
    const ALIASES: &'static [(&'static str, &'static str)] = defaults::PATH_ALIASES;

    fn plan(&self, _cx: &ToolContext, input: &CreateDirectoryInput) -> Result<CallPlan, ToolError> {
        Ok(self
            .workspace
            .plan_of_write(Self::RISK, "path", &input.path))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: CreateDirectoryInput,
    ) -> Result<CreateDirectoryOutput, ToolError> {
        let (workspace, context) = (self.workspace.for_call(cx), cx.clone());
        blocking(cx, move |cancellation| {
            if cancellation.is_cancelled() {
                return Err(ToolError::cancelled());
            }
            let made = workspace.create_directory("path", &input.path)?;
            if made.created {
                context.affected(&made.path);
            }
            Ok(CreateDirectoryOutput {
                path: made.path,
                created_parents: made.created_parents,
                created: made.created,
            })
        })
        .await
    }

    fn render(output: &CreateDirectoryOutput) -> String {
        let path = &output.path;
        if output.created {
            format!("Created directory: {path}")
        } else {
            format!("Directory already exists: {path}")
        }
    }
}

#[cfg(test)]
mod tests;
