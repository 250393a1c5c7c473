//! Values that a model passes alone or as a list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One value or a list of values.
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum OneOrMany<T = String> {
    /// One value.
    One(T),
    /// List of values.
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    /// Returns the values.
    pub(crate) fn values(&self) -> &[T] {
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
