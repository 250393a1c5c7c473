//! The JSON value in a model's response, without the text around it.
//!
//! A model that must return JSON often adds a sentence, a code fence or an example. Use this module if you
//! need the value anyway. These rules select it:
//!
//! 1. A response that is one JSON value is returned unchanged. Whitespace and byte-order marks around it are allowed.
//! 2. Otherwise every complete object and array is a candidate, inside and outside fences. Values inside a candidate, or inside
//!    invalid JSON, are not. A bracket that no JSON follows, as in `[see below]`, is prose.
//! 3. The longest candidate is selected; of equally long ones, the last. [`JsonTrim::accept`] can reject candidates.
//! 4. A response that ends inside an object or array is truncated and rejected, even if it has complete candidates, because the
//!    truncated value may be the requested one.
//! 5. Nothing is repaired, completed or extracted from a string. JSON means RFC 8259, at most 127 levels, without duplicate keys.
//! 6. A number, string or literal is selected only with [`JsonKind::Any`], and only if it is the entire response or the entire
//!    content of its only code fence.
//!
//! The time is linear in the length of the response.

mod scan;
mod search;

use std::fmt;
use std::ops::Range;

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Finds the object or array in a model's response. See the [module](self) for the rules.
///
/// # Errors
/// Returns [`TrimError`] if the response contains no object or array, or is truncated.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_json::trim::trim_to_json;
///
/// let found = trim_to_json(r#"The files are {"files": ["a.txt"]}. Anything else?"#)?;
/// assert_eq!(found.value(), &json!({"files": ["a.txt"]}));
/// assert_eq!((found.before(), found.after()), ("The files are ", ". Anything else?"));
/// # Ok::<_, tool_json::trim::TrimError>(())
/// ```
pub fn trim_to_json(response: &str) -> Result<TrimmedJson<'_>, TrimError> {
    JsonTrim::new().trim(response)
}

type Accepts<'p> = dyn Fn(&Value) -> bool + Send + Sync + 'p;

/// Options of a search for the JSON value in a response.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_json::trim::{JsonKind, JsonTrim};
///
/// let trim = JsonTrim::new().kind(JsonKind::Object).accept(|value| value["total"].is_u64());
/// let response = r#"Of {"items": ["a", "b", "c"], "more": false} I count {"total": 3}."#;
/// assert_eq!(trim.trim(response)?.value(), &json!({"total": 3}));
/// # Ok::<_, tool_json::trim::TrimError>(())
/// ```
#[derive(Default)]
pub struct JsonTrim<'p> {
    kind: JsonKind,
    accepts: Option<Box<Accepts<'p>>>,
}

impl<'p> JsonTrim<'p> {
    /// Creates a search for an object or array that accepts all candidates.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the kind of the value. The default is [`JsonKind::ObjectOrArray`].
    #[must_use]
    pub fn kind(mut self, kind: JsonKind) -> Self {
        self.kind = kind;
        self
    }

    /// Sets a filter for candidates, such as a JSON Schema validator. Without one, the longest wins.
    #[must_use]
    pub fn accept(mut self, accepts: impl Fn(&Value) -> bool + Send + Sync + 'p) -> Self {
        self.accepts = Some(Box::new(accepts));
        self
    }

    /// Returns the error for a value of another kind or one that the filter rejects.
    fn rejection(&self, value: &Value) -> Option<TrimError> {
        if !self.kind.includes(value) {
            return Some(TrimError::OtherKind(self.kind));
        }
        let is_accepted = self.accepts.as_ref().is_none_or(|accepts| accepts(value));
        (!is_accepted).then_some(TrimError::NotAccepted)
    }
}

impl fmt::Debug for JsonTrim<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonTrim")
            .field("kind", &self.kind)
            .field("filters", &self.accepts.is_some())
            .finish()
    }
}

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
    fn includes(self, value: &Value) -> bool {
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

/// Why a response has no usable JSON.
///
/// You can send the message to the model: it says what to return, and contains no text of the
/// response.
///
/// # Examples
/// ```
/// use tool_json::trim::{TrimError, trim_to_json};
///
/// let error = trim_to_json(r#"Sure: {"files": ["a.txt", "b."#).unwrap_err();
/// assert_eq!(error, TrimError::Truncated { start: 6 });
/// assert_eq!(
///     error.to_string(),
///     "The response is truncated: it ends inside a JSON value. Return the complete value again, and shorten it if it is long."
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrimError {
    /// The response has no JSON of the requested kind.
    #[error("The response contains no {0}. Return only the JSON.")]
    NotFound(JsonKind),
    /// The response ends inside an object or array.
    #[error(
        "The response is truncated: it ends inside a JSON value. Return the complete value again, and shorten it if it is long."
    )]
    Truncated {
        /// Start of the truncated value in bytes.
        start: usize,
    },
    /// The response has an object or array that is not valid JSON.
    #[error("The JSON in the response is invalid: {reason}. Return only valid JSON.")]
    Invalid {
        /// Start of the invalid text in bytes.
        start: usize,
        /// Parse error, with line and column counted from `start`.
        reason: String,
    },
    /// The response has JSON of another kind.
    #[error("The JSON in the response is not a {0}. Return only a {0}.")]
    OtherKind(JsonKind),
    /// The filter rejected all JSON values.
    #[error("The JSON in the response does not match the request. Return only the requested JSON.")]
    NotAccepted,
    /// The response is too long.
    #[error("The response has more than {max_bytes} bytes. Return a shorter one.")]
    TooLarge {
        /// Maximum size in bytes.
        max_bytes: usize,
    },
}

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
    fn new(response: &'t str, range: Range<usize>, value: Value, others: usize) -> Self {
        Self {
            response,
            range,
            value,
            others,
        }
    }

    /// Returns the value.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Returns the owned value.
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
    pub fn text(&self) -> &'t str {
        self.response.get(self.range.clone()).unwrap_or_default()
    }

    /// Returns the text before the value: prose, a fence, other values.
    pub fn before(&self) -> &'t str {
        self.response.get(..self.range.start).unwrap_or_default()
    }

    /// Returns the text after the value.
    pub fn after(&self) -> &'t str {
        self.response.get(self.range.end..).unwrap_or_default()
    }

    /// Returns the number of other complete objects and arrays in the response, without nested ones:
    /// a sign that the wrong one may have been selected.
    pub fn others(&self) -> usize {
        self.others
    }

    /// Returns `true` if there is text around the value, other than whitespace.
    pub fn was_trimmed(&self) -> bool {
        !self.before().trim().is_empty() || !self.after().trim().is_empty()
    }
}

#[cfg(test)]
mod tests;
