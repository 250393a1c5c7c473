//! Tool that replaces text in a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::approval::Preview;
use tool_core::{CallPlan, ErrorCode, RiskLevel, ToolContext, ToolError, TypedTool};

use super::diff::between;
use super::nearest::nearest_text;
use super::text_format::FileText;
use crate::blocking::blocking;
use crate::newlines::{are_windows, count_newlines, with_endings};
use crate::workspace::Workspace;

const MAX_BYTES: usize = 10 * 1024 * 1024;

/// Text to replace, and its replacement, as the toolset `cli_agent` words them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ReplaceStringInput {
    /// Relative path to the file to modify
    pub(crate) path: String,
    /// Exact string to find and replace
    pub(crate) old_string: String,
    /// String to replace with
    pub(crate) new_string: String,
}

/// Result of a replacement.
#[derive(Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ReplaceStringOutput {
    /// Number of occurrences in the file.
    pub(crate) occurrences_found: usize,
    /// Number of occurrences replaced, always 1.
    pub(crate) occurrences_replaced: usize,
    /// Line of the old file at which the replacement starts.
    pub(crate) lines_changed: Vec<usize>,
    /// Unified diff of the change.
    pub(crate) diff: String,
}

/// Replaces the first occurrence of a string in files in a workspace.
#[derive(Debug, Clone)]
pub(crate) struct ReplaceString(pub(crate) Workspace);

impl ReplaceString {
    fn replace(
        &self,
        cx: &ToolContext,
        input: &ReplaceStringInput,
    ) -> Result<ReplaceStringOutput, ToolError> {
        let workspace = self.0.for_call(cx);
        let edit = workspace.edit("path", &input.path, MAX_BYTES as u64, cx.cancellation())?;
        let file = FileText::of(edit.content())?;
        let (content, output) = change(edit.path(), &file, input)?;
        let path = edit.path().to_owned();
        edit.replace(&content, cx.cancellation())?;
        cx.affected(path);
        let (found, lines) = (output.occurrences_found, &output.lines_changed);
        if let (2.., [line]) = (found, lines.as_slice()) {
            cx.warn(format!(
                "Found {found} occurrences, replaced only the first at line {line}"
            ));
        }
        Ok(output)
    }

    /// Returns the diff that [`replace`](Self::replace) would produce now.
    fn preview_change(&self, input: &ReplaceStringInput) -> Result<String, ToolError> {
        let mut file = self.0.existing_file("path", &input.path)?;
        let content = file.read(MAX_BYTES as u64)?;
        let (_, output) = change(file.path(), &FileText::of(&content)?, input)?;
        Ok(output.diff)
    }
}

impl TypedTool for ReplaceString {
    type Input = ReplaceStringInput;
    type Output = ReplaceStringOutput;

    const RISK: RiskLevel = RiskLevel::Dangerous;

    fn plan(&self, _cx: &ToolContext, input: &ReplaceStringInput) -> Result<CallPlan, ToolError> {
        check(input)?;
        Ok(self.0.plan_of_write(Self::RISK, "path", &input.path))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &ReplaceStringInput,
    ) -> Result<Option<Preview>, ToolError> {
        let (tool, input) = (self.clone(), input.clone());
        // An edit that fails here fails when it runs, so nobody should approve it.
        let diff = blocking(cx, move |_| tool.preview_change(&input)).await?;
        Ok(Some(Preview::diff(diff)))
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        check(&input)?;
        let tool = self.clone();
        blocking(cx, move |cx| tool.replace(cx, &input)).await
    }
}

fn check(input: &ReplaceStringInput) -> Result<(), ToolError> {
    if input.old_string.is_empty() {
        return Err(ToolError::invalid_arguments("old_string", "is empty")
            .suggest("Set `old_string` to the text to replace, exactly as in the file."));
    }
    if input.old_string == input.new_string {
        let sentence = "is the same as the text to replace";
        return Err(ToolError::invalid_arguments("new_string", sentence)
            .suggest("Set `new_string` to the replacement text."));
    }
    Ok(())
}

/// Returns the content after the change, and what the change is.
fn change(
    path: &str,
    file: &FileText,
    input: &ReplaceStringInput,
) -> Result<(Vec<u8>, ReplaceStringOutput), ToolError> {
    let text = &file.text;
    file.encode_part("new_string", &input.new_string)?;
    let endings = are_windows(text);
    let [old, new] = [&input.old_string, &input.new_string].map(|part| with_endings(part, endings));
    let Some(at) = text.find(&old) else {
        return Err(not_found(text, &input.old_string));
    };
    let changed = text.replacen(&old, &new, 1);
    if changed == *text {
        return Err(nothing_to_change());
    }
    if changed.len() > MAX_BYTES {
        return Err(too_large(changed.len()));
    }
    let before = text.get(..at).unwrap_or_default();
    let output = ReplaceStringOutput {
        occurrences_found: text.matches(&old).count(),
        occurrences_replaced: 1,
        lines_changed: vec![1 + count_newlines(before.as_bytes())],
        diff: between(path, text.as_bytes(), changed.as_bytes()),
    };
    Ok((file.encode("new_string", &changed)?, output))
}

fn nothing_to_change() -> ToolError {
    let sentence = "differs only in line endings, which edits do not change";
    ToolError::invalid_arguments("new_string", sentence)
        .suggest("Rewrite the entire file to change its line endings.")
}

fn too_large(size: usize) -> ToolError {
    let sentence = format!("The file would have {size} bytes; at most {MAX_BYTES} are allowed");
    ToolError::new(ErrorCode::FileTooLarge, sentence)
        .suggest("Insert less text, or write it to a separate file.")
}

fn not_found(text: &str, wanted: &str) -> ToolError {
    let sentence = "does not occur in the file";
    // Similarity serves the message only. An edit of a similar place may be one that the model did not mean.
    let suggestion = nearest_text(text, wanted)
        .unwrap_or_else(|| "Read the file and copy the text exactly.".to_owned());
    ToolError::about(ErrorCode::TextNotFound, "old_string", sentence).suggest(suggestion)
}

#[cfg(test)]
mod tests;
