//! What the model sent: parsed once, mended only where nothing is guessed, checked, and lent to whoever asks.

mod alias;
mod change;
mod coerce;
mod defaults;
#[cfg(test)]
mod hostile;
mod node;
mod parse;
mod pointer;
mod repair;
#[cfg_attr(
    not(test),
    expect(
        dead_code,
        reason = "validation and typed tools read tapes in a step of their own"
    )
)]
mod tape;

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) use alias::apply_aliases;
pub use change::{Change, ChangeKind};
pub(crate) use coerce::coerce;
pub(crate) use defaults::{fill_defaults, has_defaults};
pub use node::Node;
pub(crate) use parse::{ParseErrorKind, ParseLimits, parse};
pub(crate) use repair::read;

use crate::{Fault, ToolError};

/// The arguments of one call: parsed once, with defaults filled in.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Arguments;
///
/// let arguments = Arguments::from_value(json!({"path": "src", "limit": 5}));
/// assert_eq!(arguments.get("path").and_then(|path| path.as_str()), Some("src"));
/// assert_eq!(arguments.to_value(), json!({"path": "src", "limit": 5}));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments<'a> {
    raw: Cow<'a, str>,
    value: Value,
}

impl<'a> Arguments<'a> {
    pub(crate) fn new(raw: impl Into<Cow<'a, str>>, value: Value) -> Self {
        Self {
            raw: raw.into(),
            value,
        }
    }

    /// Makes arguments of a value, for a call outside a registry.
    #[must_use]
    pub fn from_value(value: Value) -> Self {
        Self {
            raw: Cow::Borrowed(""),
            value,
        }
    }

    /// The text that the model sent; empty when the caller gave a value.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The whole of the arguments.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node(&self.value)
    }

    /// The argument `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Node<'_>> {
        self.root().get(name)
    }

    /// Reads the arguments into a type.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArguments`](crate::ErrorCode::InvalidArguments) where the type is narrower than the schema.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        T::deserialize(&self.value).map_err(|error| {
            let fault = Fault::new("", "type", format!("readable ({error})"), "what was sent");
            ToolError::from_faults(vec![fault]).caused_by(error)
        })
    }

    /// A copy as [`Value`].
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.value.clone()
    }

    pub(crate) fn with_value(self, value: Value) -> Self {
        Self { value, ..self }
    }
}
