//! Kinds of JSON values.

use std::fmt;

use serde_json::Value;

/// Kind of the requested JSON value.
///
/// # Examples
/// ```
/// use tool_json::trim::JsonKind;
///
/// assert_eq!(JsonKind::default().to_string(), "JSON object or array");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum JsonKind {
    /// An object.
    Object,
    /// An array.
    Array,
    /// An object or an array.
    #[default]
    ObjectOrArray,
    /// Any value. A scalar must be the entire response or the entire content of its only code fence.
    Any,
}

impl JsonKind {
    pub(super) fn includes(self, value: &Value) -> bool {
        match self {
            Self::Object => value.is_object(),
            Self::Array => value.is_array(),
            Self::ObjectOrArray => value.is_object() || value.is_array(),
            Self::Any => true,
        }
    }
}

impl fmt::Display for JsonKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Object => "JSON object",
            Self::Array => "JSON array",
            Self::ObjectOrArray => "JSON object or array",
            Self::Any => "JSON value",
        })
    }
}
