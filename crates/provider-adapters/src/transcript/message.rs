//! Message of a conversation.

use serde::{Deserialize, Serialize};
use tool_core::ToolCall;

use super::{Content, MessagePart, Reasoning, ToolMessage};
use crate::{Decoded, DecodedCall};

/// Message of a conversation.
///
/// # Examples
/// ```
/// use provider_adapters::{Message, Provider, decode};
/// use serde_json::json;
///
/// let response = json!({"message": {"content": "Hello."}, "done_reason": "stop"});
/// let message = Message::from(decode(Provider::Ollama, &response, None)?);
/// assert_eq!(serde_json::to_value(&message).unwrap(), json!({"role": "assistant", "content": "Hello."}));
/// # Ok::<_, provider_adapters::DecodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Message {
    /// Instructions from the application.
    System {
        /// Content.
        content: Content,
    },
    /// Message from the user.
    User {
        /// Content.
        content: Content,
    },
    /// Response of the model.
    Assistant {
        /// Content.
        #[serde(default)]
        content: Content,
        /// Requested calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        /// Reasoning, with the data that must be sent back to the provider.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reasoning: Vec<Reasoning>,
        /// Order of text, calls and reasoning. Empty if reasoning comes first, then the text, and then the calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        order: Vec<MessagePart>,
    },
    /// Results of tools.
    Tool {
        /// One result per call.
        results: Vec<ToolMessage>,
    },
}

impl Message {
    /// Creates a system message.
    #[must_use]
    pub fn system(content: impl Into<Content>) -> Self {
        Self::System {
            content: content.into(),
        }
    }

    /// Creates a user message.
    #[must_use]
    pub fn user(content: impl Into<Content>) -> Self {
        Self::User {
            content: content.into(),
        }
    }

    /// Creates an assistant message without calls.
    #[must_use]
    pub fn assistant(content: impl Into<Content>) -> Self {
        Self::Assistant {
            content: content.into(),
            calls: Vec::new(),
            reasoning: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Creates a message with tool results.
    #[must_use]
    pub fn tool<A: Into<ToolMessage>>(results: impl IntoIterator<Item = A>) -> Self {
        Self::Tool {
            results: results.into_iter().map(Into::into).collect(),
        }
    }
}

/// The model's turn, ready to be sent back. Invalid arguments are kept as text.
impl From<Decoded> for Message {
    fn from(decoded: Decoded) -> Self {
        Self::Assistant {
            content: decoded.text.into(),
            calls: decoded.calls.iter().map(DecodedCall::to_recorded).collect(),
            reasoning: decoded.reasoning_blocks,
            order: decoded.order,
        }
    }
}
