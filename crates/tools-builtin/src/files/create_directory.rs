//! Tool that creates directories.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::approval::Preview;
use tool_core::{CallPlan, ErrorCode, RiskLevel, ToolContext, ToolError, TypedTool};

use crate::blocking::blocking;
use crate::workspace::Workspace;

/// Directory to create, as the toolset `cli_agent` words it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct CreateDirectoryInput {
    /// Relative path to directory to create
    pub(crate) path: String,
}

/// Result of creating a directory.
#[derive(Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct CreateDirectoryOutput {
    /// Path relative to the workspace root.
    pub(crate) path: String,
    /// Parent directories that were created, outermost first.
    pub(crate) created_parents: Vec<String>,
    /// Whether the directory did not exist before. Used only for the rendered text.
    #[serde(skip)]
    pub(crate) created: bool,
}

/// Creates directories in a workspace.
#[derive(Debug, Clone)]
pub(crate) struct CreateDirectory(pub(crate) Workspace);

impl TypedTool for CreateDirectory {
    type Input = CreateDirectoryInput;
    type Output = CreateDirectoryOutput;

    const RISK: RiskLevel = RiskLevel::SafeWrite;

    fn plan(&self, _cx: &ToolContext, input: &CreateDirectoryInput) -> Result<CallPlan, ToolError> {
        Ok(self.0.plan_of_write(Self::RISK, "path", &input.path))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &CreateDirectoryInput,
    ) -> Result<Option<Preview>, ToolError> {
        let (workspace, input) = (self.0.clone(), input.clone());
        blocking(cx, move |_| {
            match workspace.existing_file("path", &input.path) {
                Ok(_) => Err(ToolError::about(
                    ErrorCode::AlreadyExists,
                    "path",
                    "already exists as a file",
                )
                .suggest("Choose another name for the directory.")),
                Err(error) if *error.code() == ErrorCode::PathOutsideWorkspace => Err(error),
                Err(_) => Ok(None),
            }
        })
        .await
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let workspace = self.0.for_call(cx);
        blocking(cx, move |cx| {
            if cx.cancellation().is_cancelled() {
                return Err(ToolError::cancelled());
            }
            let made = workspace.create_directory("path", &input.path)?;
            if made.created {
                cx.affected(&made.path);
            }
            Ok(CreateDirectoryOutput {
                path: made.path,
                created_parents: made.created_parents,
                created: made.created,
            })
        })
        .await
    }
}

#[cfg(test)]
mod tests;
