//! Tool that writes complete files.

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::approval::Preview;
use tool_core::{CallPlan, ErrorCode, RiskLevel, ToolContext, ToolError, TypedTool};

use super::defaults;
use super::write_text::{MAX_BYTES, WriteFileOutput, check_size, difference};
use crate::blocking::blocking;
use crate::workspace::{Workspace, WriteMode};

/// File to write, and its content.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct WriteFileInput {
    /// Path of the file, relative to the workspace root.
    pub(crate) path: String,
    /// Complete text of the file, at most 10 MB.
    pub(crate) content: String,
    /// Whether to create missing parent directories.
    #[serde(default = "defaults::yes")]
    pub(crate) create_directories: bool,
    /// Handling of an existing file.
    #[serde(default)]
    pub(crate) mode: WriteMode,
}

/// Writes files in a workspace, completely or not at all.
#[derive(Debug, Clone)]
pub(crate) struct WriteFile(pub(crate) Workspace);

impl WriteFile {
    /// Returns the preview of a write.
    fn preview_change(&self, input: &WriteFileInput) -> Result<Preview, ToolError> {
        let (old, path) = match self.0.existing_file("path", &input.path) {
            Ok(_) if input.mode == WriteMode::CreateNew => {
                return Err(
                    ToolError::about(ErrorCode::AlreadyExists, "path", "already exists")
                        .suggest("Use another path, or edit the existing file."),
                );
            }
            Ok(mut file) => (file.read(MAX_BYTES as u64)?, file.path().to_owned()),
            Err(error) if *error.code() == ErrorCode::FileNotFound => {
                (Vec::new(), input.path.clone())
            }
            Err(error) => return Err(error),
        };
        Ok(difference(&path, &old, input.content.as_bytes()))
    }
}

impl TypedTool for WriteFile {
    type Input = WriteFileInput;
    type Output = WriteFileOutput;

    const RISK: RiskLevel = RiskLevel::SafeWrite;

    fn plan(&self, _cx: &ToolContext, input: &WriteFileInput) -> Result<CallPlan, ToolError> {
        check_size("content", &input.content)?;
        Ok(self.0.plan_of_write(Self::RISK, "path", &input.path))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &WriteFileInput,
    ) -> Result<Option<Preview>, ToolError> {
        let (tool, input) = (self.clone(), input.clone());
        match blocking(cx, move |_| tool.preview_change(&input)).await {
            Ok(preview) => Ok(Some(preview)),
            // Nobody should approve a call that cannot work. Other errors are of the read: a file that cannot be read may
            // still be replaced.
            Err(error)
                if matches!(
                    error.code(),
                    ErrorCode::AlreadyExists | ErrorCode::PathOutsideWorkspace
                ) =>
            {
                Err(error)
            }
            Err(_) => Ok(None),
        }
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        check_size("content", &input.content)?;
        let workspace = self.0.for_call(cx);
        let output = blocking(cx, move |cx| {
            let bytes_written = input.content.len();
            let written = workspace.write(
                "path",
                &input.path,
                input.content.as_bytes(),
                input.mode,
                input.create_directories,
                cx.cancellation(),
            )?;
            Ok(WriteFileOutput {
                path: written.path,
                bytes_written,
                created: written.created,
            })
        })
        .await?;
        cx.affected(&output.path);
        Ok(output)
    }

    fn render(output: &WriteFileOutput) -> String {
        output.to_string()
    }
}

#[cfg(test)]
mod tests;
