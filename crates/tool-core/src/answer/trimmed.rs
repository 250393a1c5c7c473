//! What was taken of an answer, and what was left.

use std::ops::Range;

use serde::de::DeserializeOwned;
use serde_json::Value;

/// The JSON value of an answer, and what stood around it.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::answer::trim_to_json;
///
/// let answer = "Here you are:\n```json\n{\"total\": 3}\n```\nAnything else?";
/// let found = trim_to_json(answer)?;
/// assert_eq!(found.value(), &json!({"total": 3}));
/// assert_eq!(found.text(), r#"{"total": 3}"#);
/// assert_eq!(found.before(), "Here you are:\n```json\n");
/// assert_eq!(found.after(), "\n```\nAnything else?");
/// # Ok::<_, tool_core::answer::TrimError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TrimmedJson<'t> {
    answer: &'t str,
    range: Range<usize>,
    value: Value,
    others: usize,
}

impl<'t> TrimmedJson<'t> {
    pub(super) fn new(answer: &'t str, range: Range<usize>, value: Value, others: usize) -> Self {
        Self {
            answer,
            range,
            value,
            others,
        }
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The value, for a caller that needs nothing else.
    #[must_use]
    pub fn into_value(self) -> Value {
        self.value
    }

    /// The value as a type.
    ///
    /// # Errors
    /// Those of `serde_json`, where the value does not fit the type.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        T::deserialize(&self.value)
    }

    /// The value as the model wrote it.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.answer.get(self.range.clone()).unwrap_or_default()
    }

    /// What stood before it: prose, a fence, other values.
    #[must_use]
    pub fn before(&self) -> &'t str {
        self.answer.get(..self.range.start).unwrap_or_default()
    }

    /// What stood after it.
    #[must_use]
    pub fn after(&self) -> &'t str {
        self.answer.get(self.range.end..).unwrap_or_default()
    }

    /// How many other whole objects and arrays the answer holds, inside which this one is not.
    #[must_use]
    pub fn others(&self) -> usize {
        self.others
    }

    /// Whether more than blanks was left out.
    #[must_use]
    pub fn was_trimmed(&self) -> bool {
        !self.before().trim().is_empty() || !self.after().trim().is_empty()
    }
}
