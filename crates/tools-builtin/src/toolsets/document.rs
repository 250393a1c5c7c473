//! Helpers of the document sets: presentations, schemas, and errors in the wording of the source
//! documents.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Value, json};
use tool_core::{
    Arguments, ContentBlock, ErrorCode, JsonRef, OutputLimit, Presentation, ToolError, Typed,
    TypedTool,
};

/// Effectively no limit, for parameters that a source document does not limit.
pub(super) const NO_LIMIT: u64 = 1_000_000_000;

/// Returns a tool of a source document, whose output is not truncated.
pub(super) fn documented_tool<T: TypedTool>(name: &str, description: &str, tool: T) -> Typed<T> {
    let unlimited = OutputLimit::unlimited();
    Typed::new(name, description, tool).define(|definition| definition.with_output_limit(unlimited))
}

/// Returns the schema of an integer whose range the tool checks itself.
pub(super) fn integer(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "integer"})
}

/// Presents a tool like the source documents: unknown parameters are ignored and the output is not
/// truncated.
pub(super) fn documented<O>(name: &str, description: &str) -> Presentation<O> {
    Presentation::new(name, description)
        .open()
        .output_limit(OutputLimit::unlimited())
}

/// Repeated edits of a presentation, as lists.
pub(super) trait PresentationLists<O>: Sized {
    /// Shows only these parameters, with these schemas.
    fn parameters<const N: usize>(self, parameters: [(&str, Value); N]) -> Self;
}

impl<O: 'static> PresentationLists<O> for Presentation<O> {
    fn parameters<const N: usize>(self, parameters: [(&str, Value); N]) -> Self {
        let mut presentation = self.only(parameters.each_ref().map(|(name, _)| *name));
        for (name, schema) in parameters {
            presentation = presentation.schema(name, schema);
        }
        presentation
    }
}

/// Returns the schema of a string.
pub(super) fn text(description: &str) -> Value {
    described("string", description)
}

/// Returns the schema of a parameter of type `kind`.
pub(super) fn described(kind: &str, description: &str) -> Value {
    json!({"type": kind, "description": description})
}

/// Returns the schema of a parameter of type `kind` with a default.
pub(super) fn with_default(kind: &str, description: &str, default: impl Into<Value>) -> Value {
    json!({"type": kind, "description": description, "default": default.into()})
}

/// Returns the string that the model sent for a parameter, or `""`.
pub(super) fn string_argument<'a>(arguments: &'a Arguments<'_>, parameter: &str) -> &'a str {
    let value = arguments.get(parameter);
    value.and_then(JsonRef::as_str).unwrap_or_default()
}

/// Returns the path that the model sent, or the root if it sent none.
pub(super) fn path_argument<'a>(arguments: &'a Arguments<'_>) -> &'a str {
    match string_argument(arguments, "path") {
        "" => ".",
        path => path,
    }
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
