//! Tool that creates directories.

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::approval::Preview;
use tool_core::{CallPlan, ErrorCode, RiskLevel, ToolContext, ToolError, TypedTool};

use super::{errors, shown_path};
use crate::blocking::blocking;
use crate::workspace::Workspace;

/// Directory to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct CreateDirectoryInput {
    /// Relative path to directory to create
    path: String,
}

/// Result of creating a directory.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct CreateDirectoryOutput {
    /// Path relative to the workspace root.
    path: String,
    /// Parent directories that were created, outermost first.
    created_parents: Vec<String>,
    /// Text for the model.
    #[serde(skip)]
    text: String,
}

/// Creates directories in a workspace.
#[derive(Debug, Clone)]
pub(super) struct CreateDirectory(pub(super) Workspace);

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
        let (workspace, path) = (self.0.clone(), input.path.clone());
        let inspected = blocking(cx, move |_| match workspace.existing_file("path", &path) {
            Ok(_) => {
                Err(
                    ToolError::about(ErrorCode::AlreadyExists, "path", "already exists as a file")
                        .suggest("Choose another name for the directory."),
                )
            }
            Err(error) if *error.code() == ErrorCode::PathOutsideWorkspace => Err(error),
            Err(_) => Ok(None),
        });
        let reworded = |error| errors::create_directory(error, shown_path(&input.path));
        inspected.await.map_err(reworded)
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let (workspace, path) = (self.0.for_call(cx), input.path.clone());
        let made = blocking(cx, move |cx| {
            if cx.cancellation().is_cancelled() {
                return Err(ToolError::cancelled());
            }
            workspace.create_directory("path", &path)
        });
        let shown = shown_path(&input.path);
        let made = made
            .await
            .map_err(|error| errors::create_directory(error, shown))?;
        let verb = if made.created {
            cx.affected(&made.path);
            "Created directory"
        } else {
            "Directory already exists"
        };
        cx.note("created_parents", made.created_parents.clone());
        Ok(CreateDirectoryOutput {
            path: made.path,
            created_parents: made.created_parents,
            text: format!("{verb}: {shown}"),
        })
    }

    fn render(output: &CreateDirectoryOutput) -> String {
        output.text.clone()
    }
}
