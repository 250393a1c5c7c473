//! Conversations in a common format.

mod content;
mod conversation;
mod image;
mod message;

use serde::{Deserialize, Serialize};

pub(crate) use content::PDF;
pub use content::{Block, Content};
pub(crate) use conversation::{
    AlternatingMessages, AssistantTurn, Conversation, Turn, TurnFields, TurnPart, WireCall,
    WireResult, hoist_system, joined, result_text,
};
pub(crate) use image::ImageRules;
pub(crate) use message::reasoning_text;
pub use message::{Message, MessagePart, Reasoning, ToolMessage};

/// Conversation. Serialized as a JSON array of messages.
///
/// # Examples
/// ```
/// use provider_adapters::{Message, Transcript};
///
/// let mut transcript = Transcript::new();
/// transcript.push(Message::system("Be brief."));
/// transcript.push(Message::user("List the files."));
/// assert_eq!(
///     serde_json::to_string(&transcript)?,
///     r#"[{"role":"system","content":"Be brief."},{"role":"user","content":"List the files."}]"#
/// );
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Transcript(Vec<Message>);

impl Transcript {
    /// Creates an empty conversation.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a message.
    pub fn push(&mut self, message: impl Into<Message>) {
        self.0.push(message.into());
    }

    /// Returns the messages in order.
    pub fn messages(&self) -> &[Message] {
        &self.0
    }
}

impl From<Vec<Message>> for Transcript {
    fn from(messages: Vec<Message>) -> Self {
        Self(messages)
    }
}

impl FromIterator<Message> for Transcript {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        Self(messages.into_iter().collect())
    }
}
