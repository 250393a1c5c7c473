//! Calls in: what a model answered, read from a whole response.

use serde_json::Value;

use crate::{Decoded, Provider, ToolSet};

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

/// Reads a whole response. With `tools`, names and keys become those of the definitions and added nulls go.
///
/// Arguments are parsed strictly and never repaired.
///
/// # Errors
/// [`DecodeError`] for a value that is no response of this provider. An error inside a response is no such
/// case: it becomes [`Decoded::stream_error`].
///
/// # Examples
/// ```
/// use provider_adapters::{Finish, Provider, decode};
/// use serde_json::json;
///
/// let response = json!({
///     "content": [{"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1}}],
///     "stop_reason": "tool_use",
/// });
/// let decoded = decode(Provider::Anthropic, &response, None)?;
/// assert_eq!(decoded.finish, Finish::Calls);
/// assert_eq!(decoded.calls[0].name, "add");
/// # Ok::<_, provider_adapters::DecodeError>(())
/// ```
pub fn decode(
    provider: Provider,
    response: &Value,
    tools: Option<&ToolSet>,
) -> Result<Decoded, DecodeError> {
    let response = response.as_object().ok_or(DecodeError::NotAnObject)?;
    let choices = (provider.wire().decode)(response)?;
    let mut decoded = choices.into_iter().map(|choice| choice.finish(tools));
    let mut first = decoded.next().unwrap_or_default();
    first.choices = decoded.collect();
    Ok(first)
}
