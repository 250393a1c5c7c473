//! Repairs of invalid JSON.

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
