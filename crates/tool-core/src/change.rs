//! Changes to the arguments of a call before execution.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The kind of a change.
///
/// # Examples
/// ```
/// use tool_core::ChangeKind;
///
/// assert!(ChangeKind::TrailingComma.is_repair());
/// assert!(ChangeKind::TextToNumber.is_coercion());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// Removed a code fence around the object.
    CodeFence,
    /// Removed prose around the only object.
    SurroundingText,
    /// Removed a byte-order mark.
    ByteOrderMark,
    /// Removed a comment.
    Comment,
    /// Removed a comma before a closing bracket.
    TrailingComma,
    /// Inserted a comma between two members.
    MissingComma,
    /// Replaced single quotes with double quotes.
    SingleQuotes,
    /// Quoted a key.
    BareKey,
    /// Replaced `True`, `False` or `None` with its JSON form.
    PythonLiteral,
    /// Escaped a raw control character in a string.
    ControlCharacter,
    /// Removed an extra closing brace.
    ExtraBrace,
    /// Unwrapped an object sent as JSON text in a string.
    NestedJson,
    /// Removed a repetition of the object, or an empty object before it.
    Repetition,
    /// Kept a number beyond 2^53 as text, because 64 bits do not hold it as it was written.
    WideNumber,
    /// Converted a decimal string to a number.
    TextToNumber,
    /// Converted `"true"` or `"false"` to a boolean.
    TextToBoolean,
    /// Converted a number or boolean to its JSON text.
    ScalarToText,
    /// Converted JSON text to an object or array.
    TextToJson,
    /// Converted an object or array to indented JSON text.
    JsonToText,
    /// Wrapped an item in an array.
    ItemToArray,
    /// Removed null for an optional parameter, null or an empty text for one of another variant, or null and blank text for
    /// all parameters.
    NullToAbsent,
    /// Renamed an alias to its parameter.
    Alias,
    /// Removed parts of the model's template from the name of the tool, such as `functions.` or `<|channel|>`.
    ToolName,
    /// Replaced a reference to a stored output; the value after the change is its size.
    Reference,
}

impl ChangeKind {
    /// Returns `true` if the JSON text was repaired before parsing.
    pub fn is_repair(self) -> bool {
        !self.is_coercion() && !matches!(self, Self::Alias | Self::Reference)
    }

    /// Returns `true` if a value was converted to another type.
    pub fn is_coercion(self) -> bool {
        matches!(
            self,
            Self::TextToNumber
                | Self::TextToBoolean
                | Self::ScalarToText
                | Self::TextToJson
                | Self::JsonToText
                | Self::ItemToArray
                | Self::NullToAbsent
        )
    }
}

/// A change to the arguments of a call.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{ArgumentChange, ChangeKind};
///
/// let change = ArgumentChange::new("/limit", ChangeKind::TextToNumber, json!("5"), json!(5));
/// assert_eq!(change.pointer, "/limit");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ArgumentChange {
    /// JSON pointer into the arguments.
    pub pointer: String,
    /// The kind of the change.
    pub kind: ChangeKind,
    /// The value before the change, shortened if it is long.
    pub from: Value,
    /// The value after the change.
    pub to: Value,
}

impl ArgumentChange {
    /// Creates a change.
    pub fn new(pointer: impl Into<String>, kind: ChangeKind, from: Value, to: Value) -> Self {
        Self {
            pointer: pointer.into(),
            kind,
            from,
            to,
        }
    }
}
