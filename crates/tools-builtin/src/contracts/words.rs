//! What the tables of the contract sets are written with.

use serde_json::{Value, json};
use tool_core::{Arguments, ErrorCode, OutputLimit, Presentation, ToolError, show};

/// As good as no limit, where a document has none.
pub(super) const NO_LIMIT: u64 = 1_000_000_000;

/// Shows a tool as the documents do: unknown parameters are ignored, and the output is shown whole.
pub(super) fn documented<O>(name: &str, description: &str) -> Presentation<O> {
    show(name, description)
        .open()
        .output_limit(OutputLimit::unlimited())
}

/// The schema of a text.
pub(super) fn text(description: &str) -> Value {
    described("string", description)
}

/// The schema of a parameter with a type.
pub(super) fn described(kind: &str, description: &str) -> Value {
    json!({"type": kind, "description": description})
}

/// The same with a default.
pub(super) fn with_default(kind: &str, description: &str, default: impl Into<Value>) -> Value {
    json!({"type": kind, "description": description, "default": default.into()})
}

/// The schema of the name of an output type, with the types that are known.
#[cfg(feature = "checks")]
pub(super) fn output_type(kit: &crate::Kit) -> Value {
    /// More names than this are not listed.
    const MAX_NAMES: usize = 20;
    let names: Vec<&str> = kit
        .validate_output
        .types()
        .names()
        .take(MAX_NAMES)
        .collect();
    match names.as_slice() {
        [] => text("Name of the type that the output has to be of."),
        names => text(&format!(
            "Name of the type that the output has to be of, such as {}.",
            names.join(", ")
        )),
    }
}

/// The text that the model wrote for a parameter.
pub(super) fn written<'a>(arguments: &'a Arguments<'_>, parameter: &str) -> &'a str {
    let node = arguments.get(parameter);
    node.and_then(tool_core::Node::as_str).unwrap_or_default()
}

/// The path that the model wrote; the root when it wrote none.
pub(super) fn path_written<'a>(arguments: &'a Arguments<'_>) -> &'a str {
    match written(arguments, "path") {
        "" => ".",
        path => path,
    }
}

/// The error in a document's words, which the model reads to the letter.
pub(super) fn says(error: ToolError, text: impl Into<String>) -> ToolError {
    let code = error.code().clone();
    says_with(error, code, text)
}

/// The same with a document's own code.
pub(super) fn says_with(error: ToolError, code: ErrorCode, text: impl Into<String>) -> ToolError {
    let text = text.into();
    let message = text.strip_prefix("Error: ").unwrap_or(&text).to_owned();
    error.reworded(code, message).with_text(text)
}

/// The error without texts of its output that say nothing.
#[cfg(feature = "shell")]
pub(super) fn without_blank_text(error: ToolError) -> ToolError {
    let Some(mut output) = error.output().cloned() else {
        return error;
    };
    let says_nothing = |block: &tool_core::ContentBlock| {
        block.as_text().is_some_and(|text| text.trim().is_empty())
    };
    output.content.retain(|block| !says_nothing(block));
    error.with_output(output)
}

/// The error behind a document's beginning, such as `Error reading file: `, with what to do instead.
pub(super) fn says_after(error: ToolError, beginning: &str) -> ToolError {
    let message = format!("{beginning}{}", error.message());
    let text = match error.suggestion() {
        Some(suggestion) => format!("{message} {suggestion}"),
        None => message.clone(),
    };
    let code = error.code().clone();
    error.reworded(code, message).with_text(text)
}
