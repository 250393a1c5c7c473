//! Values that are no response.

/// A value that is no response of the provider.
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
    /// A response is a JSON object.
    #[error("the response is not a JSON object")]
    NotAnObject,
    /// The response holds neither an answer nor an error.
    #[error("the response has no `{0}`, so it is not of this provider")]
    NoAnswer(&'static str),
}
