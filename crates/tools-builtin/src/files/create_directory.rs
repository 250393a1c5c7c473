//! Tool that creates directories.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::approval::Preview;
use tool_core::{CallPlan, ErrorCode, RiskLevel, ToolContext, ToolError, TypedTool};

use crate::blocking::blocking;
use crate::workspace::Workspace;

/// Directory to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct CreateDirectoryInput {
    /// Path of the directory, relative to the workspace root. Missing parents are created.
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
pub(crate) struct CreateDirectory {
    workspace: Workspace,
}

impl CreateDirectory {
    /// Creates a tool that writes only inside `workspace`.
    #[must_use]
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }
}

impl TypedTool for CreateDirectory {
    type Input = CreateDirectoryInput;
    type Output = CreateDirectoryOutput;

    const RISK: RiskLevel = RiskLevel::SafeWrite;

    fn plan(&self, _cx: &ToolContext, input: &CreateDirectoryInput) -> Result<CallPlan, ToolError> {
        Ok(self
            .workspace
            .plan_of_write(Self::RISK, "path", &input.path))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &CreateDirectoryInput,
    ) -> Result<Option<Preview>, ToolError> {
        let (workspace, input) = (self.workspace.clone(), input.clone());
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
}

#[cfg(test)]
mod tests;
