//! Why no JSON could be taken of an answer.

use super::JsonKind;

/// No JSON could be taken of an answer.
///
/// Each message can be told to the model as it is: it says what to send instead, and nothing of what came.
///
/// # Examples
/// ```
/// use tool_core::answer::{TrimError, trim_to_json};
///
/// let error = trim_to_json(r#"Sure: {"files": ["a.txt", "b."#).unwrap_err();
/// assert_eq!(error, TrimError::CutOff { start: 6 });
/// assert_eq!(
///     error.to_string(),
///     "The answer was cut off: it ends inside a JSON value. Send the whole value again, shorter if it is long."
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrimError {
    /// Nothing in the answer looks like the JSON that is wanted.
    #[error("There is no {0} in the answer. Send it as JSON, with nothing around it.")]
    NotFound(JsonKind),
    /// The answer ends inside an object or array, so it was cut off.
    #[error(
        "The answer was cut off: it ends inside a JSON value. Send the whole value again, shorter if it is long."
    )]
    CutOff {
        /// The byte at which the value begins that was not ended.
        start: usize,
    },
    /// What looks like JSON is none.
    #[error(
        "The JSON in the answer cannot be read: {reason}. Send it again as valid JSON, with nothing around it."
    )]
    Invalid {
        /// The byte at which that begins.
        start: usize,
        /// What is wrong with it, with line and column counted from there.
        reason: String,
    },
    /// There is JSON in the answer, but of another kind.
    #[error("The JSON in the answer is not a {0}. Send one, with nothing around it.")]
    OtherKind(JsonKind),
    /// There is JSON in the answer, but none that was accepted.
    #[error(
        "The JSON in the answer is not what was asked for. Send what was asked for, with nothing around it."
    )]
    NotAccepted,
    /// The answer is longer than an answer may be.
    #[error("The answer has more than {max_bytes} bytes. Send a shorter one.")]
    TooLarge {
        /// The most bytes that an answer may have.
        max_bytes: usize,
    },
}
