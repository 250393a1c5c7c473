//! Deserialization errors.

use std::fmt::{self, Display};

use serde::de;

use crate::error::prepend;

/// Why and where a document doesn't match a type. `Display` prints serde's message.
///
/// # Examples
/// ```
/// let error = tool_json::parse("[1, 300]")?.deserialize::<Vec<u8>>().unwrap_err();
/// assert_eq!(error.pointer(), "/1");
/// assert_eq!(error.to_string(), "invalid value: integer `300`, expected u8");
/// # Ok::<_, tool_json::ParseError>(())
/// ```
// Boxed, because each level of the document returns it.
#[derive(Debug)]
pub struct DeserializeError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    message: String,
    pointer: String,
}

impl DeserializeError {
    /// Returns the JSON pointer to the value.
    pub fn pointer(&self) -> &str {
        &self.0.pointer
    }

    /// Prepends `segment` to the pointer.
    pub(super) fn inside(mut self, segment: &str) -> Self {
        prepend(&mut self.0.pointer, segment);
        self
    }
}

impl de::Error for DeserializeError {
    fn custom<T: Display>(message: T) -> Self {
        Self(Box::new(Inner {
            message: message.to_string(),
            pointer: String::new(),
        }))
    }
}

impl Display for DeserializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for DeserializeError {}
