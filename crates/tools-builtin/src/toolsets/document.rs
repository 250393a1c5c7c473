//! Helpers of the document sets: definitions, schemas, and errors in the wording of the source documents.

use std::fmt;
use std::sync::Arc;

use schemars::{Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use tool_core::{ContentBlock, ErrorCode, OutputLimit, ToolError, ToolResult, Typed, TypedTool};

use super::wording::{Worded, Wording};

/// Returns a tool of a source document, whose output is not truncated.
pub(super) fn documented<I: Wording<E>, E: TypedTool>(
    name: &str,
    description: &str,
    engine: impl Into<Arc<E>>,
) -> Typed<Worded<I, E>> {
    untruncated(name, description, Worded::new(engine.into()))
}

/// Returns a tool whose output is not truncated.
pub(super) fn untruncated<T: TypedTool>(name: &str, description: &str, tool: T) -> Typed<T> {
    let unlimited = OutputLimit::unlimited();
    Typed::new(name, description, tool).define(|definition| definition.with_output_limit(unlimited))
}

/// Returns the schema of an integer whose range the tool checks itself.
pub(super) fn integer(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "integer"})
}

/// Serializes an output whose serialization cannot fail.
pub(super) fn as_json(output: &impl Serialize) -> String {
    serde_json::to_string(output).unwrap_or_default()
}

/// Rewords an error with the exact text of the source document.
pub(super) fn reword(error: ToolError, text: impl Into<String>) -> ToolError {
    let code = error.code().clone();
    reword_as(error, code, text)
}

/// Rewords an error with the exact text and the error code of the source document.
pub(super) fn reword_as(error: ToolError, code: ErrorCode, text: impl Into<String>) -> ToolError {
    let text = text.into();
    let message = text.strip_prefix("Error: ").unwrap_or(&text).to_owned();
    error.reworded(code, message).with_text(text)
}

/// Removes blank text blocks from the output of an error.
pub(super) fn without_blank_text(error: ToolError) -> ToolError {
    let Some(mut output) = error.output().cloned() else {
        return error;
    };
    let is_blank = |text: &str| text.trim().is_empty();
    output
        .content
        .retain(|block| !ContentBlock::as_text(block).is_some_and(is_blank));
    error.with_output(output)
}

/// Prefixes an error with the document's wording, such as `Error reading file: `, and keeps the
/// suggestion.
pub(super) fn reword_prefixed(error: ToolError, prefix: &str) -> ToolError {
    let message = format!("{prefix}{}", error.message());
    let text = match error.suggestion() {
        Some(suggestion) => format!("{message} {suggestion}"),
        None => message.clone(),
    };
    let code = error.code().clone();
    error.reworded(code, message).with_text(text)
}

/// Text blocks of a content, joined by newlines.
#[derive(Clone, Copy)]
pub(super) struct TextBlocks<'r>(pub(super) &'r [ContentBlock]);

impl<'r> TextBlocks<'r> {
    pub(super) fn iter(self) -> impl Iterator<Item = &'r str> {
        self.0.iter().filter_map(ContentBlock::as_text)
    }
}

impl fmt::Display for TextBlocks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, text) in self.iter().enumerate() {
            let separator = if index > 0 { "\n" } else { "" };
            write!(f, "{separator}{text}")?;
        }
        Ok(())
    }
}

impl Serialize for TextBlocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Warning with the prefix `Warning: `.
pub(super) struct Warning<'r>(pub(super) &'r str);

impl fmt::Display for Warning<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_prefix = self.0.starts_with("Warning: ") || self.0.starts_with("Error: ");
        let prefix = if has_prefix { "" } else { "Warning: " };
        write!(f, "{prefix}{}", self.0)
    }
}

/// Returns the tool's output: the content without the error text, which is the first block of a
/// failure.
pub(super) fn output(result: &ToolResult) -> TextBlocks<'_> {
    TextBlocks(match result.error {
        Some(_) => result.content.get(1..).unwrap_or_default(),
        None => &result.content,
    })
}

/// Returns the error text for the model without the prefix `Error: `, or the message if the text
/// has no such prefix.
pub(super) fn error_text(result: &ToolResult) -> Option<&str> {
    let error = result.error.as_ref()?;
    let text = result.content.first().and_then(ContentBlock::as_text);
    let text = text.and_then(|text| text.strip_prefix("Error: "));
    Some(text.unwrap_or(&error.message))
}
