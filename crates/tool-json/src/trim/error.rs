//! Errors of a search for JSON.

use super::kind::JsonKind;

/// Reason why a response has no usable JSON.
///
/// The messages can be sent to the model: they state what to return, and contain no text of the response.
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
