//! Tool that writes complete files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::approval::Preview;
use tool_core::{CallPlan, ErrorCode, RiskLevel, ToolContext, ToolError, TypedTool};

use super::decode::Encoding;
use super::defaults;
use super::diff::between;
use crate::blocking::blocking;
use crate::workspace::{Workspace, WriteMode};

const MAX_BYTES: usize = 10 * 1024 * 1024;

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

/// Result of a write.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct WriteFileOutput {
    /// Path relative to the workspace root.
    pub(crate) path: String,
    /// Size of the file in bytes.
    pub(crate) bytes_written: usize,
    /// Whether the file did not exist before.
    pub(crate) created: bool,
}

/// Writes files in a workspace, completely or not at all.
#[derive(Debug, Clone)]
pub(crate) struct WriteFile {
    workspace: Workspace,
}

impl WriteFile {
    /// Creates a tool that writes only inside `workspace`.
    #[must_use]
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }

    /// Folds `..` in paths lexically, so that the directory before it may be missing.
    #[cfg(feature = "document-sets")]
    pub(crate) fn with_folded_paths(self) -> Self {
        Self::new(self.workspace.folding_parents())
    }

    /// Returns the preview of a write.
    fn preview_change(&self, input: &WriteFileInput) -> Result<Preview, ToolError> {
        let (old, path) = match self.workspace.existing_file("path", &input.path) {
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
        Ok(self
            .workspace
            .plan_of_write(Self::RISK, "path", &input.path))
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

    async fn run(
        &self,
        cx: &ToolContext,
        input: WriteFileInput,
    ) -> Result<WriteFileOutput, ToolError> {
        check_size("content", &input.content)?;
        let workspace = self.workspace.for_call(cx);
        let output = blocking(cx, move |cancellation| {
            let bytes_written = input.content.len();
            let written = workspace.write(
                "path",
                &input.path,
                input.content.as_bytes(),
                input.mode,
                input.create_directories,
                cancellation,
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
        let verb = if output.created { "Created" } else { "Wrote" };
        let (path, bytes) = (&output.path, output.bytes_written);
        let noun = if bytes == 1 { "byte" } else { "bytes" };
        format!("{verb} file: {path} ({bytes} {noun})")
    }
}

/// Returns the preview of a write.
pub(super) fn difference(path: &str, old: &[u8], new: &[u8]) -> Preview {
    if old == new {
        return Preview::text("The file does not change.");
    }
    if Encoding::of_beginning(old).0 != Encoding::Utf8 {
        let size = old.len();
        return Preview::text(format!("Replaces {size} bytes that are not UTF-8 text."));
    }
    Preview::diff(between(path, old, new))
}

/// Rejects content that is too large for one file.
pub(super) fn check_size(parameter: &str, content: &str) -> Result<(), ToolError> {
    let size = content.len();
    if size <= MAX_BYTES {
        return Ok(());
    }
    let sentence = format!("has {size} bytes; at most {MAX_BYTES} are allowed");
    Err(
        ToolError::about(ErrorCode::FileTooLarge, parameter, sentence)
            .suggest("Split it into several files."),
    )
}

#[cfg(test)]
mod tests;
