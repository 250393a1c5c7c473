//! Changes to the arguments of a call before execution.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_json::RepairKind;

/// The kind of a change.
///
/// # Examples
/// ```
/// use tool_core::{ChangeKind, RepairKind};
///
/// let repair = ChangeKind::Repair(RepairKind::TrailingComma);
/// assert!(repair.is_repair());
/// assert_eq!(serde_json::to_string(&repair)?, "\"trailing_comma\"");
/// assert_eq!(serde_json::from_str::<ChangeKind>("\"trailing_comma\"")?, repair);
/// assert!(ChangeKind::TextToNumber.is_coercion());
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
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
    /// Repaired the JSON text.
    #[serde(untagged)]
    Repair(RepairKind),
}

impl ChangeKind {
    /// Returns `true` if the JSON text was repaired before parsing.
    pub fn is_repair(self) -> bool {
        matches!(self, Self::Repair(_) | Self::ToolName)
    }

    /// Returns `true` if a value was converted to another type.
    pub fn is_coercion(self) -> bool {
        !self.is_repair() && !matches!(self, Self::Alias | Self::Reference)
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
