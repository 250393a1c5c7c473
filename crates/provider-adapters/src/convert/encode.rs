//! Results out: a conversation as a provider wants it.

mod turns;

use serde_json::Value;
use tool_core::{ConversionLoss, ProviderTools};

use crate::{ProviderDialect, Transcript};

/// A conversation as a provider wants it.
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
    /// The part of a request's body that is the conversation, and nothing else.
    pub body: Value,
    /// Every change that the provider sees; pointers lead into the transcript.
    pub losses: Vec<ConversionLoss>,
}

/// Writes a conversation as a provider wants it: every call answered once, ids legal, roles in order.
///
/// `dialect` is a [`Provider`](crate::Provider), or one with options where its model differs from the usual (see
/// [`ModelTraits`](crate::ModelTraits)). With `tools`, calls have the names and keys of the converted tools.
///
/// # Examples
/// ```
/// use provider_adapters::{Message, Provider, ToolAnswer, Transcript, encode};
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
    let body = (dialect.provider().wire().encode)(&mut conversation);
    Encoded {
        body,
        losses: conversation.losses,
    }
}
