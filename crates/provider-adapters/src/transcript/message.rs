//! Messages of a conversation.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::{ToolCall, ToolResult};

use super::{Block, Content};
use crate::Object;

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
    pub fn system(content: impl Into<Content>) -> Self {
        Self::System {
            content: content.into(),
        }
    }

    /// Creates a user message.
    pub fn user(content: impl Into<Content>) -> Self {
        Self::User {
            content: content.into(),
        }
    }

    /// Creates an assistant message without calls.
    pub fn assistant(content: impl Into<Content>) -> Self {
        Self::Assistant {
            content: content.into(),
            calls: Vec::new(),
            reasoning: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Returns the number of images.
    pub(crate) fn images(&self) -> usize {
        match self {
            Self::User { content } => content.images(),
            Self::Tool { results } => results.iter().map(|result| result.content.images()).sum(),
            Self::System { .. } | Self::Assistant { .. } => 0,
        }
    }

    /// Creates a message with tool results.
    pub fn tool<A: Into<ToolMessage>>(results: impl IntoIterator<Item = A>) -> Self {
        Self::Tool {
            results: results.into_iter().map(Into::into).collect(),
        }
    }
}

/// Part of an assistant message. A list of them is the order in which the model sent the message.
///
/// Providers that sign their reasoning reject a message whose parts have moved. Each part stands for the next
/// element of its kind, so the text, calls and blocks themselves are stored only once. If a message was edited,
/// parts that the order lacks follow at the end, and nothing is lost.
///
/// # Examples
/// ```
/// use provider_adapters::{Message, MessagePart, Provider, decode};
/// use serde_json::json;
///
/// let response = json!({"stop_reason": "tool_use", "content": [
///     {"type": "tool_use", "id": "toolu_1", "name": "list", "input": {}},
///     {"type": "thinking", "thinking": "And the size?", "signature": "c2ln"},
///     {"type": "tool_use", "id": "toolu_2", "name": "size", "input": {}},
/// ]});
/// let decoded = decode(Provider::Anthropic, &response, None)?;
/// assert_eq!(decoded.order, [MessagePart::Call, MessagePart::Reasoning, MessagePart::Call]);
///
/// let saved = serde_json::to_value(Message::from(decoded)).unwrap();
/// assert_eq!(saved["order"], json!(["call", "reasoning", "call"]));
/// # Ok::<_, provider_adapters::DecodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MessagePart {
    /// The next block of reasoning.
    Reasoning,
    /// The next part of the text.
    Text {
        /// Length in bytes. If the lengths do not add up to the text, all of it is the last of these parts.
        bytes: usize,
        /// Data that must be sent back to the provider with this part, such as a signature. Ignored if the text was
        /// edited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_data: Option<Value>,
    },
    /// The next call.
    Call,
}

/// Result of one call, as the model receives it.
///
/// # Examples
/// ```
/// use provider_adapters::ToolMessage;
///
/// let answer = ToolMessage::new("call_1", "list_files", "a.txt");
/// assert!(!answer.is_error);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolMessage {
    /// Id of the call.
    pub call_id: String,
    /// Name of the tool.
    pub name: String,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: bool,
    /// Content for the model.
    #[serde(default)]
    pub content: Content,
}

impl ToolMessage {
    /// Creates the result of a successful call.
    pub fn new(
        call_id: impl Into<String>,
        name: impl Into<String>,
        content: impl Into<Content>,
    ) -> Self {
        Self {
            call_id: call_id.into(),
            name: name.into(),
            is_error: false,
            content: content.into(),
        }
    }

    /// Sets whether the call failed.
    #[must_use]
    pub fn with_error(mut self, is_error: bool) -> Self {
        self.is_error = is_error;
        self
    }
}

/// Contains the [blocks for the model](ToolResult::model_blocks), including warnings.
impl From<&ToolResult> for ToolMessage {
    fn from(result: &ToolResult) -> Self {
        let blocks: Vec<Block> = result
            .model_blocks()
            .map(|block| Block::from(&*block))
            .collect();
        Self::new(result.id.clone(), result.name.clone(), blocks).with_error(!result.success)
    }
}

impl From<ToolResult> for ToolMessage {
    fn from(result: ToolResult) -> Self {
        Self::from(&result)
    }
}

/// Data of the marker of a paused message.
const PAUSE: &str = "paused";

/// Block of a model's reasoning.
///
/// # Examples
/// ```
/// use provider_adapters::Reasoning;
///
/// let reasoning = Reasoning::new("The path is missing.");
/// assert_eq!(reasoning.provider_data, None);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reasoning {
    /// Text, if the provider sends it.
    #[serde(default)]
    pub text: String,
    /// Data that must be sent back to the provider unchanged, such as a signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_data: Option<Value>,
    /// Name of the model that wrote it, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// Returns the text of reasoning, joined by newlines. Blocks without text are omitted.
pub(crate) fn reasoning_text<'r>(reasoning: impl IntoIterator<Item = &'r Reasoning>) -> String {
    let texts = reasoning.into_iter().map(|block| block.text.as_str());
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    texts.join("\n")
}

/// Keys of the providers' reasoning, where it has no type.
const THOUGHTS: [&str; 5] = [
    "reasoningContent",
    "reasoning_details",
    "reasoning_field",
    "reasoning_opaque",
    "thoughtSignature",
];

impl Reasoning {
    /// Creates a block without provider data.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            provider_data: None,
            model: None,
        }
    }

    /// Creates a block that is sent back unchanged. `key` is the provider's own, so that no other provider receives it.
    pub(crate) fn kept(key: &str, block: &Object) -> Self {
        let data = crate::wire::member(key, Value::Object(block.clone()));
        Self::new("").with_provider_data(Some(data.into()))
    }

    /// Returns `true` if another model than `name` is known to have written it. Calls of the provider's own tools, their
    /// results and unknown blocks are not bound to a model.
    pub(crate) fn is_of_other_model(&self, name: Option<&str>) -> bool {
        let (Some(name), Some(own), Some(data)) = (name, &self.model, &self.provider_data) else {
            return false;
        };
        let kind = data.get("type").or(data.pointer("/output_item/type"));
        let is_thought = match kind.and_then(Value::as_str) {
            Some(kind) => matches!(kind, "thinking" | "redacted_thinking" | "reasoning"),
            None => THOUGHTS.iter().any(|key| data.get(key).is_some()),
        };
        is_thought && own != name
    }

    /// Returns `true` for a block from [`kept`](Self::kept) with this key.
    pub(crate) fn is_kept(&self, key: &str) -> bool {
        let data = self.provider_data.as_ref();
        data.is_some_and(|data| data.get(key).is_some())
    }

    /// Returns the block from [`kept`](Self::kept), or else the data, which is then the block itself.
    pub(crate) fn into_block(self, key: &str) -> Option<Value> {
        let mut data = self.provider_data?;
        let kept = data.get_mut(key).map(Value::take);
        Some(kept.unwrap_or(data))
    }

    /// Sets the data that must be sent back to the provider.
    #[must_use]
    pub fn with_provider_data(mut self, data: Option<Value>) -> Self {
        self.provider_data = data;
        self
    }

    /// Creates the marker of a message that the provider paused and continues in its next response
    /// ([`Finish::Paused`](crate::Finish::Paused)). It is not sent to providers.
    ///
    /// # Examples
    /// ```
    /// use provider_adapters::Reasoning;
    ///
    /// assert!(Reasoning::pause().is_pause());
    /// assert!(!Reasoning::new("The path is missing.").is_pause());
    /// ```
    pub fn pause() -> Self {
        Self::new("").with_provider_data(Some(PAUSE.into()))
    }

    /// Returns `true` for the marker of a paused message.
    pub fn is_pause(&self) -> bool {
        self.provider_data
            .as_ref()
            .is_some_and(|data| data == PAUSE)
    }
}

#[cfg(test)]
mod tests {
    use tool_core::{ContentBlock, ResourceContents, ToolError};

    use super::*;

    #[test]
    fn model_receives_displayed_text_of_result() {
        let mut result = ToolResult::refused("1", "f", ToolError::failed("No"));
        for success in [true, false] {
            result.success = success;
            result.content = vec![
                ContentBlock::text("Error: No."),
                ContentBlock::text(""),
                ContentBlock::ResourceLink {
                    uri: "test://a".into(),
                    name: "a".into(),
                    media_type: None,
                    title: None,
                    description: None,
                    size: None,
                },
                ContentBlock::Resource {
                    uri: "test://b".into(),
                    media_type: None,
                    contents: ResourceContents::Text("inside".into()),
                },
            ];
            result.warnings = vec!["The index is a day old.".into(), "Warning: old".into()];

            let answer = ToolMessage::from(&result);

            assert_eq!(answer.content.to_text(), result.to_string());
            assert_eq!(answer.is_error, !success);
        }
    }
}
