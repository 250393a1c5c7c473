//! Conversion of conversations to a provider's format.

mod turns;

use serde_json::Value;
use tool_core::{ConversionLoss, ProviderTools};

use crate::{ProviderDialect, Transcript};

/// Conversation in a provider's format.
///
/// # Examples
/// ```
/// use provider_adapters::{Message, Provider, Transcript, encode};
/// use serde_json::json;
///
/// let transcript = Transcript::from(vec![Message::user("Hi")]);
/// let encoded = encode(Provider::Anthropic, &transcript, None);
/// assert_eq!(encoded.body, json!({"messages": [{"role": "user", "content": "Hi"}]}));
/// assert!(encoded.losses.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Encoded {
    /// Members of the request body that contain the conversation.
    pub body: Value,
    /// All lossy changes. Their pointers refer to the transcript.
    pub losses: Vec<ConversionLoss>,
}

/// Converts a conversation to a provider's format.
///
/// Each call has exactly one result, ids are valid, and roles are in the required order. `dialect`
/// is a [`Provider`](crate::Provider), or one with options if the model differs from the provider's
/// defaults (see [`ModelTraits`](crate::ModelTraits)). With `tools`, calls use the names and keys
/// of the converted tools.
///
/// # Examples
/// ```
/// use provider_adapters::{Message, Provider, ToolMessage, Transcript, encode};
/// use serde_json::json;
///
/// let transcript: Transcript = serde_json::from_value(json!([
///     {"role": "user", "content": "List the files."},
///     {"role": "assistant", "content": "", "calls": [{"id": "c1", "name": "list", "arguments": {}}]},
///     {"role": "tool", "results": [{"call_id": "c1", "name": "list", "content": "a.txt"}]},
/// ]))?;
/// let encoded = encode(Provider::OpenAi, &transcript, None);
/// assert_eq!(
///     encoded.body["messages"][2],
///     json!({"role": "tool", "tool_call_id": "c1", "content": "a.txt"})
/// );
/// # Ok::<_, serde_json::Error>(())
/// ```
#[must_use]
pub fn encode(
    dialect: impl Into<ProviderDialect>,
    transcript: &Transcript,
    tools: Option<&ProviderTools>,
) -> Encoded {
    let dialect = dialect.into();
    let mut conversation = turns::arrange(&dialect, transcript, tools);
    let wire = dialect.provider().wire();
    let mut body = (wire.encode)(&mut conversation);
    if let Some(mark) = wire.extras.cache.filter(|_| dialect.options().cache) {
        mark(&mut body);
    }
    Encoded {
        body,
        losses: conversation.losses,
    }
}
