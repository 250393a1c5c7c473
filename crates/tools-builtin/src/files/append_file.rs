//! Tool that appends to a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::approval::Preview;
use tool_core::{CallPlan, ErrorCode, RiskLevel, ToolContext, ToolError, TypedTool};

use super::text_format::FileText;
use super::write_text::{MAX_BYTES, check_size, difference};
use crate::blocking::blocking;
use crate::newlines::{are_windows, with_endings};
use crate::workspace::Workspace;

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
/// The file must exist. Its encoding and line endings are kept.
#[derive(Debug, Clone)]
pub(crate) struct AppendFile(pub(crate) Workspace);

impl AppendFile {
    fn append(
        &self,
        cx: &ToolContext,
        input: &AppendFileInput,
    ) -> Result<AppendFileOutput, ToolError> {
        let workspace = self.0.for_call(cx);
        let file = workspace
            .edit("path", &input.path, MAX_BYTES as u64, cx.cancellation())
            .map_err(to_be_made_first)?;
        let appended = Appended::of(file.content(), &input.content)?;
        let path = file.path().to_owned();
        file.replace(&appended.whole, cx.cancellation())?;
        cx.affected(&path);
        if appended.continues_line {
            cx.warn(
                "The file did not end with a newline, so the new text continues its last line.",
            );
        }
        Ok(AppendFileOutput {
            path,
            bytes_written: appended.added,
            size: appended.whole.len() as u64,
        })
    }

    fn preview_change(&self, input: &AppendFileInput) -> Result<Preview, ToolError> {
        let mut file = self.0.existing_file("path", &input.path)?;
        let old = file.read(MAX_BYTES as u64)?;
        let Appended { whole, .. } = Appended::of(&old, &input.content)?;
        Ok(difference(file.path(), &old, &whole))
    }
}

/// Content of a file with the new text at its end.
struct Appended {
    whole: Vec<u8>,
    added: usize,
    continues_line: bool,
}

impl Appended {
    fn of(old: &[u8], content: &str) -> Result<Self, ToolError> {
        let file = FileText::of(old)?;
        let content = with_endings(content, are_windows(&file.text));
        let bytes = file.encode_part("content", &content)?;
        let whole = [old, &bytes].concat();
        if whole.len() > MAX_BYTES {
            let size = whole.len();
            let sentence =
                format!("The file would have {size} bytes; at most {MAX_BYTES} are allowed");
            return Err(ToolError::new(ErrorCode::FileTooLarge, sentence)
                .suggest("Write the text to another file."));
        }
        let is_inside = !file.text.is_empty() && !file.text.ends_with('\n');
        Ok(Self {
            continues_line: is_inside && !content.is_empty() && !content.starts_with(['\n', '\r']),
            added: bytes.len(),
            whole,
        })
    }
}

impl TypedTool for AppendFile {
    type Input = AppendFileInput;
    type Output = AppendFileOutput;

    const RISK: RiskLevel = RiskLevel::SafeWrite;

    fn plan(&self, _cx: &ToolContext, input: &AppendFileInput) -> Result<CallPlan, ToolError> {
        check_size("content", &input.content)?;
        Ok(self.0.plan_of_write(Self::RISK, "path", &input.path))
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

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        check_size("content", &input.content)?;
        let tool = self.clone();
        blocking(cx, move |cx| tool.append(cx, &input)).await
    }

    fn render(output: &AppendFileOutput) -> String {
        let (path, bytes, size) = (&output.path, output.bytes_written, output.size);
        format!("Appended {bytes} bytes to {path} ({size} bytes)")
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

#[cfg(test)]
mod tests;
