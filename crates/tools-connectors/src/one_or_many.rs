//! Values that a model passes alone or as a list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One value or a list of values.
///
/// # Examples
/// ```
/// use tools_connectors::OneOrMany;
///
/// let one: OneOrMany = serde_json::from_str(r#""ada@example.com""#)?;
/// assert_eq!(one.values(), ["ada@example.com"]);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany<T = String> {
    /// One value.
    One(T),
    /// List of values.
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    /// Returns the values.
    #[must_use]
    pub fn values(&self) -> &[T] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }
}

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}
