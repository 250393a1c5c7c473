//! One value inside the arguments of a call, lent.

use serde_json::Value;

/// One value inside the arguments of a call, lent; copying is free.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Arguments;
///
/// let arguments = Arguments::from_value(json!({"lines": {"first": 3}}));
/// let first = arguments.get("lines").and_then(|lines| lines.get("first"));
/// assert_eq!(first.and_then(|node| node.as_i64()), Some(3));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node<'t>(pub(super) &'t Value);

impl<'t> Node<'t> {
    /// Whether this is null.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The boolean, for one.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        self.0.as_bool()
    }

    /// The integer, for one that fits.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        self.0.as_i64()
    }

    /// The integer, for one that fits.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        self.0.as_u64()
    }

    /// The number, for any.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        self.0.as_f64()
    }

    /// The text, for a string.
    #[must_use]
    pub fn as_str(self) -> Option<&'t str> {
        self.0.as_str()
    }

    /// The member `key`, for an object that has it.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Self> {
        self.0.get(key).map(Node)
    }

    /// The members, for an object.
    pub fn members(self) -> impl Iterator<Item = (&'t str, Self)> {
        self.0
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, value)| (key.as_str(), Node(value)))
    }

    /// The items, for an array.
    pub fn items(self) -> impl Iterator<Item = Self> {
        self.0.as_array().into_iter().flatten().map(Node)
    }

    /// A copy as [`Value`].
    #[must_use]
    pub fn to_value(self) -> Value {
        self.0.clone()
    }
}
