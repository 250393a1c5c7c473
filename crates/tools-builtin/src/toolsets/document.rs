//! Helpers of the document sets: definitions, schemas, and errors in the wording of the source documents.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{Schema, SchemaGenerator, json_schema};
use serde::Serialize;
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

/// Returns the text blocks of a content.
pub(super) fn texts(content: &[ContentBlock]) -> Vec<&str> {
    content.iter().filter_map(ContentBlock::as_text).collect()
}

/// Returns a warning with the prefix `Warning: `.
pub(super) fn prefixed(warning: &str) -> Cow<'_, str> {
    if warning.starts_with("Warning: ") || warning.starts_with("Error: ") {
        return Cow::Borrowed(warning);
    }
    Cow::Owned(format!("Warning: {warning}"))
}

/// Returns the tool's output: the content without the error text, which is the first block of a
/// failure.
pub(super) fn output(result: &ToolResult) -> Vec<&str> {
    texts(match result.error {
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
