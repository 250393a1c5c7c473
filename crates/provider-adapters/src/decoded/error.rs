//! Decoding errors.

/// Error for a value that is not a response of the provider.
///
/// # Examples
/// ```
/// use provider_adapters::{DecodeError, Provider, decode};
/// use serde_json::json;
///
/// assert_eq!(decode(Provider::OpenAi, &json!([]), None), Err(DecodeError::NotAnObject));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The response is not JSON.
    #[error("the response is not JSON ({0}); check that it is complete")]
    NotJson(String),
    /// The response is not a JSON object.
    #[error("the response is not a JSON object; pass the parsed body of the response")]
    NotAnObject,
    /// The response contains neither a message nor an error. The field is the missing member.
    #[error("the response has no `{0}`; check that it is from this provider")]
    NoAnswer(&'static str),
}
