//! The JSON value of a response and the text around it.

use std::ops::Range;

use serde::de::DeserializeOwned;
use serde_json::Value;

/// The JSON value of a response, and the text around it.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_json::trim::trim_to_json;
///
/// let response = "Here you are:\n```json\n{\"total\": 3}\n```\nAnything else?";
/// let found = trim_to_json(response)?;
/// assert_eq!(found.value(), &json!({"total": 3}));
/// assert_eq!(found.text(), r#"{"total": 3}"#);
/// assert_eq!(found.before(), "Here you are:\n```json\n");
/// assert_eq!(found.after(), "\n```\nAnything else?");
/// # Ok::<_, tool_json::trim::TrimError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TrimmedJson<'t> {
    response: &'t str,
    range: Range<usize>,
    value: Value,
    others: usize,
}

impl<'t> TrimmedJson<'t> {
    pub(super) fn new(response: &'t str, range: Range<usize>, value: Value, others: usize) -> Self {
        Self {
            response,
            range,
            value,
            others,
        }
    }

    /// Returns the value.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Returns the owned value.
    #[must_use]
    pub fn into_value(self) -> Value {
        self.value
    }

    /// Deserializes the value.
    ///
    /// # Errors
    /// Returns [`serde_json::Error`] if the value does not match the type.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        T::deserialize(&self.value)
    }

    /// Returns the text of the value.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.response.get(self.range.clone()).unwrap_or_default()
    }

    /// Returns the text before the value: prose, a fence, other values.
    #[must_use]
    pub fn before(&self) -> &'t str {
        self.response.get(..self.range.start).unwrap_or_default()
    }

    /// Returns the text after the value.
    #[must_use]
    pub fn after(&self) -> &'t str {
        self.response.get(self.range.end..).unwrap_or_default()
    }

    /// Returns the number of other complete objects and arrays in the response, without nested ones.
    #[must_use]
    pub fn others(&self) -> usize {
        self.others
    }

    /// Returns `true` if there is text around the value, other than whitespace.
    #[must_use]
    pub fn was_trimmed(&self) -> bool {
        !self.before().trim().is_empty() || !self.after().trim().is_empty()
    }
}
