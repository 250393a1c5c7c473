//! Entry points of the parser: its functions, limits and repairs.

use super::error::ParseError;
use super::parser::{Parser, repair_document};
use super::reader::read;
use super::tape::Tape;

/// Parses a JSON document as defined by RFC 8259, with the default [`ParseLimits`].
///
/// Whole floats up to 2^53 become integers, because models write `1.0` where a schema wants `1`.
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
    read(text, limits).map_or_else(|| parse_slowly(text, limits), Ok)
}

/// Like [`parse`], but repairs text that is not quite JSON, if it can mean only one thing.
///
/// Models wrap JSON in code fences, use single quotes or leave a comma behind; [`RepairKind`] lists
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

/// Parses `text` without the fast path, which does not report errors.
#[cold]
fn parse_slowly<'t>(text: &'t str, limits: &ParseLimits) -> Result<Tape<'t>, ParseError> {
    Parser::new(text, limits).document()
}

/// Limits of a document. They bound memory, and the stack of whoever walks the document.
///
/// # Examples
/// ```
/// use tool_json::{ParseErrorKind, ParseLimits, parse_with};
///
/// let limits = ParseLimits { max_depth: 2, ..ParseLimits::default() };
/// assert!(parse_with("[[1]]", &limits).is_ok());
/// assert_eq!(parse_with("[[[1]]]", &limits).unwrap_err().kind, ParseErrorKind::TooDeep(2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseLimits {
    /// Maximum size of the text in bytes. The default is 4 MiB.
    pub max_bytes: usize,
    /// Maximum nesting of arrays and objects. The default is 127, as in `serde_json`.
    pub max_depth: usize,
    /// Maximum number of values at all depths. The default is 1,048,576.
    pub max_values: usize,
}

impl Default for ParseLimits {
    fn default() -> Self {
        Self {
            max_bytes: 4 * 1024 * 1024,
            max_depth: 127,
            max_values: 1 << 20,
        }
    }
}

/// Kind of a repair.
///
/// # Examples
/// ```
/// use tool_json::{RepairKind, repair};
///
/// let (_, repairs) = repair("{\"a\": 1,}")?;
/// assert_eq!(repairs[0].kind, RepairKind::TrailingComma);
/// # Ok::<_, tool_json::ParseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RepairKind {
    /// Removed a code fence around the value.
    CodeFence,
    /// Removed prose around the only object.
    SurroundingText,
    /// Removed a byte-order mark.
    ByteOrderMark,
    /// Removed a comment.
    Comment,
    /// Removed a comma before a closing bracket.
    TrailingComma,
    /// Inserted a comma between two members or items.
    MissingComma,
    /// Replaced single quotes by double quotes.
    SingleQuotes,
    /// Quoted a key.
    BareKey,
    /// Replaced `True`, `False` or `None` by its JSON form.
    PythonLiteral,
    /// Escaped control characters in a string.
    ControlCharacter,
    /// Removed one excess closing brace.
    ExtraBrace,
    /// Unwrapped an object from a string that contains its JSON text.
    NestedJson,
}

/// One repair.
///
/// # Examples
/// ```
/// let (_, repairs) = tool_json::repair("{\"a\": [True]}")?;
/// assert_eq!(repairs[0].pointer, "/a/0");
/// assert_eq!((repairs[0].from.as_str(), repairs[0].to.as_str()), ("True", "true"));
/// # Ok::<_, tool_json::ParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repair {
    /// JSON pointer to the repaired value or its container.
    pub pointer: String,
    /// Kind of the repair.
    pub kind: RepairKind,
    /// Original text, truncated to 60 characters.
    pub from: String,
    /// Replacement, truncated to 60 characters.
    pub to: String,
}

#[cfg(test)]
pub(crate) mod tests;
