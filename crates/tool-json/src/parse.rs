//! Entry points of the parser.

use super::error::{ParseError, ParseLimits, Repair};
use super::parser::{Parser, repair_document};
use super::tape::Tape;

/// Parses a JSON document as defined by RFC 8259, with the default [`ParseLimits`].
///
/// Whole floats up to 2^53 become integers, because models write `1.0` where a schema wants `1`. A number beyond 2^53 that
/// 64 bits do not hold as it is written is an error, because a rounded identifier is another one.
/// Duplicate keys are an error: which of them counts would be a guess.
///
/// # Errors
/// Returns [`ParseError`] if `text` is not JSON, is truncated, has a duplicate key or exceeds a limit.
///
/// # Examples
/// ```
/// let tape = tool_json::parse(r#"{"limit": 5}"#)?;
/// assert_eq!(tape.root().get("limit").and_then(|limit| limit.as_i64()), Some(5));
///
/// let error = tool_json::parse("{\"limit\": 5,}").unwrap_err();
/// assert_eq!(error.to_string(), "expected a key in double quotes (line 1, column 13)");
/// # Ok::<_, tool_json::ParseError>(())
/// ```
pub fn parse(text: &str) -> Result<Tape<'_>, ParseError> {
    parse_with(text, &ParseLimits::default())
}

/// Like [`parse`], but with other limits.
///
/// # Errors
/// Returns [`ParseError`] if `text` is not JSON, is truncated, has a duplicate key or exceeds a limit.
pub fn parse_with<'t>(text: &'t str, limits: &ParseLimits) -> Result<Tape<'t>, ParseError> {
    Parser::new(text, limits).document()
}

/// Like [`parse`], but repairs text that is not quite JSON, if it can mean only one thing.
///
/// Models wrap JSON in code fences, use single quotes or leave a trailing comma; [`RepairKind`](crate::RepairKind) lists
/// what is repaired. A string that contains the text of a JSON object is replaced by the object.
/// Truncated text is never completed, because the missing part could change the meaning.
///
/// Returns the document and the list of repairs, which is empty for valid JSON.
///
/// # Errors
/// Returns [`ParseError`] if the meaning of `text` is ambiguous, or if `text` is truncated, has a duplicate key or exceeds a
/// limit.
///
/// # Examples
/// ```
/// use serde_json::json;
///
/// let (tape, repairs) = tool_json::repair("Sure:\n```json\n{path: 'a.txt'}\n```")?;
/// assert_eq!(tape.to_value(), json!({"path": "a.txt"}));
/// assert_eq!(repairs.len(), 4);
///
/// assert!(tool_json::repair(r#"{"a": 1} {"a": 2}"#).is_err());
/// # Ok::<_, tool_json::ParseError>(())
/// ```
pub fn repair(text: &str) -> Result<(Tape<'_>, Vec<Repair>), ParseError> {
    repair_with(text, &ParseLimits::default())
}

/// Like [`repair`], but with other limits.
///
/// # Errors
/// Returns [`ParseError`] if the meaning of `text` is ambiguous, or if `text` is truncated, has a duplicate key or exceeds a
/// limit.
pub fn repair_with<'t>(
    text: &'t str,
    limits: &ParseLimits,
) -> Result<(Tape<'t>, Vec<Repair>), ParseError> {
    match parse_with(text, limits) {
        // A string is valid JSON, but may contain an object that was encoded twice.
        Ok(tape) if tape.root().as_str().is_none() => Ok((tape, Vec::new())),
        Err(error) if !error.is_repairable() => Err(error),
        _ => repair_document(text, limits),
    }
}

#[cfg(test)]
pub(crate) mod tests;
