//! Results out: a conversation as a provider wants it.

mod conversation;
mod ids;
mod roles;
mod turns;

use serde_json::Value;
use tool_core::Loss;

pub(crate) use conversation::{Answer, AssistantTurn, Conversation, Turn, WireCall};
pub(crate) use ids::IdRule;
pub(crate) use roles::{Roles, hoist_system};

use crate::{Block, ProviderDialect, ToolSet, Transcript};

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
    pub losses: Vec<Loss>,
}

/// Writes a conversation as a provider wants it: every call answered once, ids legal, roles in order.
///
/// `dialect` is a [`Provider`](crate::Provider), or one with options where its model differs from the usual (see
/// [`ModelTraits`](crate::ModelTraits)). With `tools`, calls bear the names and keys that the provider was told; what was
/// said of the model for them holds here too, unless `dialect` says more.
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
    tools: Option<&ToolSet>,
) -> Encoded {
    let dialect = dialect.into();
    let mut conversation = turns::arrange(&dialect, transcript, tools);
    let body = (dialect.provider().wire().encode)(&mut conversation);
    Encoded {
        body,
        losses: conversation.losses,
    }
}

/// The words of these blocks, joined by line breaks.
pub(crate) fn joined(blocks: &[Block]) -> String {
    let texts: Vec<String> = blocks.iter().filter_map(Block::to_text).collect();
    texts.join("\n")
}

/// What an answer says, for a provider without a flag for errors.
pub(crate) fn answer_text(answer: &Answer) -> String {
    let text = joined(&answer.content);
    match (answer.is_error, text.is_empty()) {
        (true, true) => "Error: the tool failed without a message.".to_owned(),
        (true, false) if !text.trim_start().starts_with("Error") => format!("Error: {text}"),
        (false, true) if answer.content.iter().any(Block::is_image) => "[image]".to_owned(),
        _ => text,
    }
}
