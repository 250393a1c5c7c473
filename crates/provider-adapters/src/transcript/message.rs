//! One message of a conversation.

use serde::{Deserialize, Serialize};
use tool_core::ToolCall;

use super::{Content, Reasoning, ToolAnswer};
use crate::{Decoded, DecodedCall};

/// One message of a conversation.
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
    /// What the application tells the model.
    System {
        /// What it says.
        content: Content,
    },
    /// What the user says.
    User {
        /// What it says.
        content: Content,
    },
    /// What the model answered.
    Assistant {
        /// What it says.
        #[serde(default)]
        content: Content,
        /// The calls that it asks for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        /// What it thought, with what the provider wants back.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reasoning: Vec<Reasoning>,
    },
    /// What the tools answered.
    Tool {
        /// One answer for each call.
        results: Vec<ToolAnswer>,
    },
}

impl Message {
    /// A message of the application.
    #[must_use]
    pub fn system(content: impl Into<Content>) -> Self {
        Self::System {
            content: content.into(),
        }
    }

    /// A message of the user.
    #[must_use]
    pub fn user(content: impl Into<Content>) -> Self {
        Self::User {
            content: content.into(),
        }
    }

    /// An answer of the model without calls.
    #[must_use]
    pub fn assistant(content: impl Into<Content>) -> Self {
        Self::Assistant {
            content: content.into(),
            calls: Vec::new(),
            reasoning: Vec::new(),
        }
    }

    /// The answers of the tools.
    #[must_use]
    pub fn tool<A: Into<ToolAnswer>>(results: impl IntoIterator<Item = A>) -> Self {
        Self::Tool {
            results: results.into_iter().map(Into::into).collect(),
        }
    }
}

/// The turn of the model, ready to be sent back; arguments that could not be read stay the text that came.
impl From<Decoded> for Message {
    fn from(decoded: Decoded) -> Self {
        Self::Assistant {
            content: decoded.text.into(),
            calls: decoded.calls.iter().map(DecodedCall::to_recorded).collect(),
            reasoning: decoded.reasoning_blocks,
        }
    }
}
