//! Arguments that several tools share.

use schemars::{Schema, SchemaGenerator, json_schema};
use tool_core::ToolError;

/// Returns the schema of an integer whose range the tool checks itself.
pub(crate) fn integer(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "integer"})
}

/// Checks an ID that becomes a part of an address.
pub(crate) fn check_id(
    parameter: &str,
    id: &str,
    is_allowed: impl Fn(char) -> bool,
    suggestion: &str,
) -> Result<(), ToolError> {
    // A component of dots would lead to another resource.
    let is_valid =
        id.len() <= 1024 && id.chars().all(is_allowed) && !id.trim_matches('.').is_empty();
    require(is_valid, parameter, "is not a valid ID", suggestion)
}

/// Checks a token of the next page.
pub(crate) fn check_token(parameter: &str, token: Option<&str>) -> Result<(), ToolError> {
    let is_valid = |token: &str| token.len() <= 2000 && !token.contains(char::is_control);
    let suggestion = "Omit it, or pass the token of an earlier result.";
    let problem = "is not a page token";
    require(token.is_none_or(is_valid), parameter, problem, suggestion)
}

/// Rejects control characters in a value that becomes a header or one line.
pub(crate) fn check_line(parameter: &str, value: &str, max_chars: usize) -> Result<(), ToolError> {
    let is_line = !value.contains(char::is_control);
    let problem = "contains control characters";
    require(is_line, parameter, problem, "Write it on one line.")?;
    check_length(parameter, value, max_chars)
}

/// Rejects text with more characters.
pub(crate) fn check_length(parameter: &str, text: &str, max_chars: usize) -> Result<(), ToolError> {
    let length = text.chars().count();
    let problem = format!("has {length} characters; at most {max_chars} are allowed");
    require(length <= max_chars, parameter, problem, "Shorten it.")
}

/// Returns an error about a parameter unless it is valid.
pub(crate) fn require(
    is_valid: bool,
    parameter: &str,
    problem: impl Into<String>,
    suggestion: &str,
) -> Result<(), ToolError> {
    if is_valid {
        return Ok(());
    }
    Err(ToolError::invalid_arguments(parameter, problem).suggest(suggestion))
}
