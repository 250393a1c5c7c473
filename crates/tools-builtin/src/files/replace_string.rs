//! Tool that replaces text in a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::approval::Preview;
use tool_core::{
    CallPlan, CancellationToken, ErrorCode, RiskLevel, ToolContext, ToolError, TypedTool,
};

use super::diff::unified;
use super::nearest::nearest_text;
use super::replacement::{Change, ReplacedText};
use super::text_format::TextFormat;
use crate::blocking::blocking;
use crate::workspace::Workspace;

const MAX_BYTES: usize = 10 * 1024 * 1024;

/// Text to replace, and its replacement.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ReplaceStringInput {
    /// Path of the file, relative to the workspace root.
    pub(crate) path: String,
    /// Text to replace, exactly as in the file, including spaces and newlines.
    pub(crate) old_string: String,
    /// Replacement text.
    pub(crate) new_string: String,
    /// Whether to replace every occurrence instead of only the first.
    #[serde(default)]
    pub(crate) replace_all: bool,
}

/// Result of a replacement.
#[derive(Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ReplaceStringOutput {
    /// Number of occurrences in the file.
    pub(crate) occurrences_found: usize,
    /// Number of occurrences replaced.
    pub(crate) occurrences_replaced: usize,
    /// Lines of the old file at which replacements start; at most 1,000.
    pub(crate) lines_changed: Vec<usize>,
    /// Unified diff of the change.
    pub(crate) diff: String,
    /// Path relative to the workspace root. Used only for the rendered text.
    #[serde(skip)]
    pub(crate) path: String,
}

/// Replaces text in files in a workspace.
#[derive(Debug, Clone)]
pub(crate) struct ReplaceString {
    workspace: Workspace,
}

impl ReplaceString {
    /// Creates a tool that writes only inside `workspace`.
    #[must_use]
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }

    fn replace(
        &self,
        cx: &ToolContext,
        input: &ReplaceStringInput,
        cancellation: &CancellationToken,
    ) -> Result<ReplaceStringOutput, ToolError> {
        let workspace = self.workspace.for_call(cx);
        let edit = workspace.edit("path", &input.path, MAX_BYTES as u64, cancellation)?;
        let (format, text) = TextFormat::of(edit.content())?;
        let replaced = change(format, &text, input)?;
        let output = describe(edit.path().to_owned(), &text, &replaced);
        let content = format.encode_whole(replaced.content)?;
        edit.replace(&content, cancellation)?;
        cx.affected(&output.path);
        warn_of_others(cx, &output);
        Ok(output)
    }

    /// Returns the diff that [`replace`](Self::replace) would produce now.
    fn preview_change(&self, input: &ReplaceStringInput) -> Result<String, ToolError> {
        let mut file = self.workspace.existing_file("path", &input.path)?;
        let content = file.read(MAX_BYTES as u64)?;
        let (format, text) = TextFormat::of(&content)?;
        let replaced = change(format, &text, input)?;
        Ok(describe(file.path().to_owned(), &text, &replaced).diff)
    }
}

impl TypedTool for ReplaceString {
    type Input = ReplaceStringInput;
    type Output = ReplaceStringOutput;

    const RISK: RiskLevel = RiskLevel::Dangerous;

    fn plan(&self, _cx: &ToolContext, input: &ReplaceStringInput) -> Result<CallPlan, ToolError> {
        check(input)?;
        Ok(self
            .workspace
            .plan_of_write(Self::RISK, "path", &input.path))
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

    async fn run(
        &self,
        cx: &ToolContext,
        input: ReplaceStringInput,
    ) -> Result<ReplaceStringOutput, ToolError> {
        check(&input)?;
        let (tool, context) = (self.clone(), cx.clone());
        blocking(cx, move |cancellation| {
            tool.replace(&context, &input, cancellation)
        })
        .await
    }

    fn render(output: &ReplaceStringOutput) -> String {
        let (count, path) = (output.occurrences_replaced, &output.path);
        let ending = if count == 1 { "" } else { "s" };
        format!(
            "Replaced {count} occurrence{ending} in {path}\n\n{}",
            output.diff
        )
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

fn change(
    format: TextFormat,
    text: &[u8],
    input: &ReplaceStringInput,
) -> Result<ReplacedText, ToolError> {
    format.encode("new_string", &input.new_string)?;
    let change = Change {
        old: &input.old_string,
        new: &input.new_string,
        all: input.replace_all,
        limit: MAX_BYTES,
    };
    change
        .apply(text)?
        .ok_or_else(|| not_found(text, &input.old_string))
}

fn describe(path: String, text: &[u8], replaced: &ReplacedText) -> ReplaceStringOutput {
    let shown = &replaced.shown;
    let span = shown.span.clone();
    let mut diff = unified(&path, text, &replaced.content, span, shown.new_end);
    if replaced.made > shown.count {
        let more = replaced.made - shown.count;
        diff = format!("{diff}\n[… {more} more replacements]");
    }
    ReplaceStringOutput {
        occurrences_found: replaced.found,
        occurrences_replaced: replaced.made,
        lines_changed: replaced.lines.clone(),
        diff,
        path,
    }
}

fn warn_of_others(cx: &ToolContext, output: &ReplaceStringOutput) {
    let found = output.occurrences_found;
    if found > output.occurrences_replaced
        && let Some(line) = output.lines_changed.first()
    {
        cx.warn(format!(
            "Found {found} occurrences, replaced only the first at line {line}"
        ));
    }
}

fn not_found(text: &[u8], wanted: &str) -> ToolError {
    let sentence = "does not occur in the file";
    // Similarity serves the message only. An edit of a similar place may be one that the model did not mean.
    let suggestion = nearest_text(&String::from_utf8_lossy(text), wanted)
        .unwrap_or_else(|| "Read the file and copy the text exactly.".to_owned());
    ToolError::about(ErrorCode::TextNotFound, "old_string", sentence).suggest(suggestion)
}

#[cfg(test)]
mod tests;
