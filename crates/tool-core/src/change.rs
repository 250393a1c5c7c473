//! What was changed in the arguments of a call before they were executed.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What kind of change was made.
///
/// # Examples
/// ```
/// use tool_core::change::ChangeKind;
///
/// assert!(ChangeKind::TrailingComma.is_repair());
/// assert!(ChangeKind::TextToNumber.is_coercion());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// A code fence around the object was taken off.
    CodeFence,
    /// Prose around the one object was taken off.
    SurroundingText,
    /// A byte-order mark was taken off.
    ByteOrderMark,
    /// A comment was taken out.
    Comment,
    /// A comma before a closing bracket was taken out.
    TrailingComma,
    /// A comma between two members was put in.
    MissingComma,
    /// Single quotes became double quotes.
    SingleQuotes,
    /// Quotes were put around a key.
    BareKey,
    /// `True`, `False` or `None` became JSON.
    PythonLiteral,
    /// A raw control character in a string was escaped.
    ControlCharacter,
    /// One closing brace too many was taken off.
    ExtraBrace,
    /// The object had been sent as JSON text inside a string.
    NestedJson,
    /// A decimal text became the number.
    TextToNumber,
    /// `"true"` or `"false"` became the boolean.
    TextToBoolean,
    /// A number or boolean became its JSON text.
    ScalarToText,
    /// A JSON text became the object or array.
    TextToJson,
    /// One item became an array of it.
    ItemToArray,
    /// A null for an optional parameter counts as absent.
    NullToAbsent,
    /// A name that is accepted and not shown became the parameter's own.
    Alias,
}

impl ChangeKind {
    /// Whether the text was mended before it could be parsed.
    #[must_use]
    pub fn is_repair(self) -> bool {
        !self.is_coercion() && self != Self::Alias
    }

    /// Whether a value was made to fit its type.
    #[must_use]
    pub fn is_coercion(self) -> bool {
        matches!(
            self,
            Self::TextToNumber
                | Self::TextToBoolean
                | Self::ScalarToText
                | Self::TextToJson
                | Self::ItemToArray
                | Self::NullToAbsent
        )
    }
}

/// One change in the arguments of a call.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::change::{ArgumentChange, ChangeKind};
///
/// let change = ArgumentChange::new("/limit", ChangeKind::TextToNumber, json!("5"), json!(5));
/// assert_eq!(change.pointer, "/limit");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ArgumentChange {
    /// JSON pointer to the place in the arguments.
    pub pointer: String,
    /// What kind of change it was.
    pub kind: ChangeKind,
    /// What came, cut to a short text where it is long.
    pub from: Value,
    /// What it became.
    pub to: Value,
}

impl ArgumentChange {
    /// Creates a change.
    #[must_use]
    pub fn new(pointer: impl Into<String>, kind: ChangeKind, from: Value, to: Value) -> Self {
        Self {
            pointer: pointer.into(),
            kind,
            from,
            to,
        }
    }
}
