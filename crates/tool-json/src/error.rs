//! What the parser reports, errors and repairs, and the limits that it applies.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::text::{short, with_commas};

/// Maximum length of a pointer in bytes; a longer one ends at an ancestor.
const MAX_POINTER: usize = 1024;

/// Why and where a string could not be parsed.
///
/// # Examples
/// ```
/// use tool_json::ParseErrorKind;
///
/// let error = tool_json::parse("{\"items\": [1, 2").unwrap_err();
/// assert_eq!(error.kind, ParseErrorKind::Truncated);
/// assert_eq!((error.pointer.as_str(), error.line, error.column), ("/items", 1, 16));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseError {
    /// Reason.
    pub kind: ParseErrorKind,
    /// JSON pointer to the innermost container or member at the error.
    pub pointer: String,
    /// Position in bytes.
    pub offset: usize,
    /// Line of the position, counted from 1; 0 if the source is not text.
    pub line: usize,
    /// Column of the position in characters, counted from 1; 0 if the source is not text.
    pub column: usize,
}

/// Why a string could not be parsed.
///
/// # Examples
/// ```
/// use tool_json::ParseErrorKind;
///
/// let error = tool_json::parse(r#"{"a": 1, "a": 2}"#).unwrap_err();
/// assert_eq!(error.kind, ParseErrorKind::DuplicateKey("a".to_owned()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The text has no value.
    #[error("the text has no value")]
    Empty,
    /// The text ends inside a value.
    #[error("the text ends inside a value")]
    Truncated,
    /// The text has more than this number of bytes.
    #[error("the text has more than {} bytes", with_commas(*.0))]
    TooLarge(usize),
    /// Arrays and objects have more than this number of levels.
    #[error("more than {0} levels of nesting")]
    TooDeep(usize),
    /// The text has more than this number of values.
    #[error("more than {} values", with_commas(*.0))]
    TooManyValues(usize),
    /// The text needs more than this number of repairs.
    #[error("more than {} repairs needed", with_commas(*.0))]
    TooManyRepairs(usize),
    /// An object has this key twice.
    #[error("duplicate key `{}`", short(.0, 60))]
    DuplicateKey(String),
    /// A number beyond 2^53 has more digits than 64 bits hold.
    #[error("expected a number of at most 64 bits")]
    WideNumber,
    /// The text has something else than this.
    #[error("expected {0}")]
    Expected(String),
}

impl ParseError {
    /// Creates an error at byte `offset`; [`ParseError::located_in`] sets line and column.
    pub(crate) fn at(offset: usize, kind: ParseErrorKind) -> Self {
        Self {
            kind,
            pointer: String::new(),
            offset,
            line: 0,
            column: 0,
        }
    }

    /// Sets line and column of the position in `text`.
    pub(crate) fn located_in(mut self, text: &str) -> Self {
        let before = text
            .get(..text.floor_char_boundary(self.offset))
            .unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        self.line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        self.column = line.chars().count() + 1;
        self
    }

    /// Returns `true` if repairs may help: not for exceeded limits and duplicate keys.
    pub(crate) fn is_repairable(&self) -> bool {
        matches!(
            self.kind,
            ParseErrorKind::Expected(_) | ParseErrorKind::Truncated | ParseErrorKind::WideNumber
        )
    }
}

impl From<ParseErrorKind> for ParseError {
    /// Creates an error without a position, for a value that was not parsed from text.
    fn from(kind: ParseErrorKind) -> Self {
        Self::at(0, kind)
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.kind, f)?;
        let has_no_place = matches!(
            self.kind,
            ParseErrorKind::Empty | ParseErrorKind::TooLarge(_)
        );
        if has_no_place || self.line == 0 {
            return Ok(());
        }
        write!(f, " (line {}, column {})", self.line, self.column)
    }
}

impl std::error::Error for ParseError {}

/// Limits of a document. They bound the memory, and the stack of code that walks the document.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    /// Removed a repetition of the object, or an empty object before it.
    Repetition,
    /// Quoted a number beyond 2^53 with more digits than 64 bits hold.
    WideNumber,
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

/// Prepends `segment` to a JSON pointer, or clears a pointer that would be too long.
pub(crate) fn prepend(pointer: &mut String, segment: &str) {
    // Keys come from the model and may be megabytes long.
    if pointer.len() + segment.len() > MAX_POINTER {
        pointer.clear();
        return;
    }
    let escaped = segment.replace('~', "~0").replace('/', "~1");
    pointer.insert_str(0, &escaped);
    pointer.insert(0, '/');
}
