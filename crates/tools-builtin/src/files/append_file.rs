//! Tool that appends to a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::approval::Preview;
use tool_core::{
    CallPlan, CancellationToken, ErrorCode, RiskLevel, ToolContext, ToolError, TypedTool,
};

use super::diff::unified;
use super::replacement::{LineEndingConversion, fits};
use super::text_format::TextFormat;
use super::write_text::check_size;
use crate::blocking::blocking;
use crate::workspace::Workspace;

/// Maximum size in bytes of a file that is compared for a preview.
const MAX_SHOWN_BYTES: u64 = 1024 * 1024;

/// File to append to, and the text, as the toolset `assistant` words them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct AppendFileInput {
    /// Path of the file
    pub(crate) path: String,
    /// Content to append
    pub(crate) content: String,
}

/// Result of an append.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct AppendFileOutput {
    /// Path relative to the workspace root.
    pub(crate) path: String,
    /// Number of bytes appended.
    pub(crate) bytes_written: usize,
    /// Size of the file in bytes after the append.
    pub(crate) size: u64,
}

/// Appends text to files in a workspace.
///
/// The file must exist. Its encoding and line endings are kept. A file of at most 1 MB is replaced
/// atomically, so that a failure leaves the old content. A larger file is written in place: after a
/// crash it may contain a part of the text, and the append cannot be undone.
#[derive(Debug, Clone)]
pub(crate) struct AppendFile {
    workspace: Workspace,
}

impl AppendFile {
    /// Creates a tool that writes only inside `workspace`.
    #[must_use]
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }

    fn append(
        &self,
        cx: &ToolContext,
        input: &AppendFileInput,
        cancellation: &CancellationToken,
    ) -> Result<AppendFileOutput, ToolError> {
        let append = self
            .workspace
            .for_call(cx)
            .append("path", &input.path, cancellation)
            .map_err(to_be_made_first)?;
        let (format, text) = TextFormat::of_piece(append.beginning())?;
        let content = fitting(&text, &input.content);
        let bytes = format.encode("content", &content)?;
        let continues_line = !append.is_empty()
            && !format.ends_line(append.ending())
            && !content.starts_with(['\n', '\r']);
        let path = append.path().to_owned();
        let size = append.write(&bytes, cancellation)?;
        cx.affected(&path);
        if continues_line && !content.is_empty() {
            cx.warn(
                "The file did not end with a newline, so the new text continues its last line.",
            );
        }
        Ok(AppendFileOutput {
            path,
            bytes_written: bytes.len(),
            size,
        })
    }

    /// Returns the preview of an append. For a large file it only states the number of bytes.
    fn preview_change(&self, input: &AppendFileInput) -> Result<Preview, ToolError> {
        let mut file = self.workspace.existing_file("path", &input.path)?;
        let path = file.path().to_owned();
        let Ok(old) = file.read(MAX_SHOWN_BYTES) else {
            let added = input.content.len();
            return Ok(Preview::text(format!("Adds {added} bytes at the end.")));
        };
        let (format, text) = TextFormat::of(&old)?;
        let content = fitting(&text, &input.content);
        format.encode("content", &content)?;
        let whole = [&text, content.as_bytes()].concat();
        let end = text.len();
        let diff = unified(&path, &text, &whole, end..end, whole.len());
        Ok(Preview::diff(diff))
    }
}

impl TypedTool for AppendFile {
    type Input = AppendFileInput;
    type Output = AppendFileOutput;

    const RISK: RiskLevel = RiskLevel::SafeWrite;

    fn plan(&self, _cx: &ToolContext, input: &AppendFileInput) -> Result<CallPlan, ToolError> {
        check_size("content", &input.content)?;
        Ok(self
            .workspace
            .plan_of_write(Self::RISK, "path", &input.path))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &AppendFileInput,
    ) -> Result<Option<Preview>, ToolError> {
        let (tool, input) = (self.clone(), input.clone());
        let preview = blocking(cx, move |_| tool.preview_change(&input)).await;
        Ok(preview.ok())
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: AppendFileInput,
    ) -> Result<AppendFileOutput, ToolError> {
        check_size("content", &input.content)?;
        let (tool, context) = (self.clone(), cx.clone());
        blocking(cx, move |cancellation| {
            tool.append(&context, &input, cancellation)
        })
        .await
    }

    fn render(output: &AppendFileOutput) -> String {
        let (path, bytes, size) = (&output.path, output.bytes_written, output.size);
        let [noun, of_size] =
            [bytes as u64, size].map(|count| if count == 1 { "byte" } else { "bytes" });
        format!("Appended {bytes} {noun} to {path} ({size} {of_size})")
    }
}

/// Adds to the error of a missing file that appending requires an existing file.
fn to_be_made_first(error: ToolError) -> ToolError {
    if *error.code() != ErrorCode::FileNotFound {
        return error;
    }
    let advice = "Create the file first; only existing files can be appended to.";
    let suggestion = match error.suggestion() {
        Some(nearest) => format!("{nearest} {advice}"),
        None => advice.to_owned(),
    };
    error.suggest(suggestion)
}

/// Converts the line endings of `content` to match the file.
fn fitting(text: &[u8], content: &str) -> String {
    let fit = fits(text).first().copied();
    fit.unwrap_or(LineEndingConversion::AsWritten)
        .apply(content)
}

#[cfg(test)]
mod tests;
