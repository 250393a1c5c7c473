//! Decoded responses in a common format.

mod call;
pub(crate) mod read;
mod received;

use std::borrow::Cow;

use serde::ser::{Error, SerializeStruct};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

pub use call::DecodedCall;
pub(crate) use received::{
    ArgumentsError, CARRIED_ORDER, CARRIED_REASONING, Choice, LOCAL_ID, RawArguments, ReceivedCall,
    parse_arguments,
};

use crate::{Message, MessagePart, Reasoning};

/// Reason the model stopped.
///
/// # Examples
/// ```
/// use provider_adapters::Finish;
///
/// assert_eq!(serde_json::to_string(&Finish::Calls)?, "\"calls\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finish {
    /// The model requested calls, and the response is not truncated.
    Calls,
    /// The model finished its message.
    Stop,
    /// The token limit was reached.
    Length,
    /// A content filter or a refusal stopped the model.
    Filtered,
    /// The provider paused a long turn. Send the message back to continue it.
    Paused,
    /// The provider reported an error.
    Error,
    /// Any other reason. A text that ends with it isn't a final answer.
    #[default]
    Other,
}

/// Error inside a response, such as one with a success status.
///
/// # Examples
/// ```
/// use provider_adapters::{Provider, decode};
/// use serde_json::json;
///
/// let decoded = decode(Provider::Ollama, &json!({"error": "model not found"}), None)?;
/// assert_eq!(decoded.stream_error.map(|error| error.message).as_deref(), Some("model not found"));
/// # Ok::<_, provider_adapters::DecodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StreamError {
    /// The provider's error code, or `error` if it sent none.
    pub code: String,
    /// The provider's error message.
    pub message: String,
}

impl StreamError {
    pub(crate) fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
        }
    }
}

/// Token counts of a turn.
///
/// # Examples
/// ```
/// use provider_adapters::{Provider, decode};
/// use serde_json::json;
///
/// let response = json!({
///     "content": [{"type": "text", "text": "Hello."}],
///     "stop_reason": "end_turn",
///     "usage": {"input_tokens": 12, "output_tokens": 3},
/// });
/// let usage = decode(Provider::Anthropic, &response, None)?.usage.unwrap_or_default();
/// assert_eq!(usage.input_tokens + usage.output_tokens, 15);
/// # Ok::<_, provider_adapters::DecodeError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// Input tokens, including cached ones.
    pub input_tokens: u64,
    /// Output tokens, including reasoning.
    pub output_tokens: u64,
    /// Input tokens read from a cache, if the provider reports them.
    #[serde(default)]
    pub cached_tokens: u64,
    /// Input tokens written to a cache, if the provider reports them.
    #[serde(default)]
    pub cache_write_tokens: u64,
    /// Output tokens used for reasoning, if the provider reports them.
    #[serde(default)]
    pub reasoning_tokens: u64,
}

/// Decoded response of a model.
///
/// In the serialized form, reasoning that must be sent back to the provider is stored as
/// `reasoning` in the `provider_data` of the first call, together with the `order`. [`encode`](crate::encode()) reads
/// both there.
///
/// # Examples
/// ```
/// use provider_adapters::{Finish, Provider, decode};
/// use serde_json::json;
///
/// let response = json!({"message": {"role": "assistant", "content": "Hello."}, "done_reason": "stop"});
/// let decoded = decode(Provider::Ollama, &response, None)?;
/// assert_eq!((decoded.text.as_str(), decoded.finish), ("Hello.", Finish::Stop));
/// # Ok::<_, provider_adapters::DecodeError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Decoded {
    /// Text of the message. May be empty.
    pub text: String,
    /// Text of the reasoning if the provider sends it. May be empty.
    pub reasoning: String,
    /// Calls of the first choice.
    pub calls: Vec<DecodedCall>,
    /// Other choices, if several were requested.
    pub choices: Vec<Decoded>,
    /// Reason the model stopped.
    pub finish: Finish,
    /// The provider's own name for the reason.
    pub finish_raw: Option<String>,
    /// Error inside the response.
    pub stream_error: Option<StreamError>,
    /// Token counts. Not part of the serialized form.
    pub usage: Option<Usage>,
    /// Blocks of reasoning with the data that must be sent back to the provider.
    pub reasoning_blocks: Vec<Reasoning>,
    /// Order of text, calls and reasoning blocks. Empty if the reasoning comes first, then the text, and then the
    /// calls, or if the provider has no order.
    pub order: Vec<MessagePart>,
    /// Repairs of the response, such as replaced characters. Not part of the serialized form.
    pub notes: Vec<String>,
}

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

impl Serialize for Decoded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Nearly all responses have one choice, so the member is omitted then.
        let has_choices = !self.choices.is_empty();
        let mut form = serializer.serialize_struct("Decoded", 6 + usize::from(has_choices))?;
        form.serialize_field("text", &self.text)?;
        form.serialize_field("reasoning", &self.reasoning)?;
        let calls = self.calls_with_reasoning().map_err(S::Error::custom)?;
        form.serialize_field("calls", &calls)?;
        if has_choices {
            form.serialize_field("choices", &self.choices)?;
        } else {
            form.skip_field("choices")?;
        }
        form.serialize_field("finish", &self.finish)?;
        form.serialize_field("finish_raw", &self.finish_raw)?;
        form.serialize_field("stream_error", &self.stream_error)?;
        form.end()
    }
}

impl Decoded {
    /// Returns the calls. The first one contains the reasoning that must be sent back to the
    /// provider, and the order.
    fn calls_with_reasoning(&self) -> serde_json::Result<Vec<Cow<'_, DecodedCall>>> {
        let mut calls: Vec<Cow<'_, DecodedCall>> = self.calls.iter().map(Cow::Borrowed).collect();
        let has_data = self
            .reasoning_blocks
            .iter()
            .any(|block| block.provider_data.is_some());
        let is_carried = has_data || !self.order.is_empty();
        if let (true, Some(first)) = (is_carried, calls.first_mut()) {
            let reasoning = serde_json::to_value(&self.reasoning_blocks)?;
            let first = first.to_mut();
            let data = first.provider_data.get_or_insert_with(|| Map::new().into());
            if let Value::Object(data) = data {
                data.insert(CARRIED_REASONING.to_owned(), reasoning);
                if !self.order.is_empty() {
                    let order = serde_json::to_value(&self.order)?;
                    data.insert(CARRIED_ORDER.to_owned(), order);
                }
            }
        }
        Ok(calls)
    }
}

/// The model's turn, ready to be sent back. Invalid arguments are kept as text.
impl From<Decoded> for Message {
    fn from(decoded: Decoded) -> Self {
        Self::Assistant {
            content: decoded.text.into(),
            // Calls with invalid arguments stay: the model sees its own mistake next to the error.
            calls: decoded.calls.iter().map(DecodedCall::to_recorded).collect(),
            reasoning: decoded.reasoning_blocks,
            order: decoded.order,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::{Message, Provider, ToolMessage, Transcript, decode, encode};

    /// Returns responses with reasoning that must be sent back to the provider.
    fn answers() -> Vec<(Provider, Value)> {
        let call =
            json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}});
        let chat = |key: &str, thought: Value| json!({"choices": [{"message": {(key): thought, "tool_calls": [call]}}]});
        vec![
            (
                Provider::Anthropic,
                json!({"content": [
                    {"type": "thinking", "thinking": "Hm.", "signature": "s"},
                    {"type": "tool_use", "id": "c", "name": "f", "input": {}},
                ]}),
            ),
            (
                Provider::Bedrock,
                json!({"output": {"message": {"content": [
                    {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "s"}}},
                    {"toolUse": {"toolUseId": "c", "name": "f", "input": {}}},
                ]}}}),
            ),
            (
                Provider::OpenAiResponses,
                json!({"status": "completed", "output": [
                    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "s"},
                    {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"},
                ]}),
            ),
            (
                Provider::OpenRouter,
                chat(
                    "reasoning_details",
                    json!([{"type": "reasoning.text", "text": "Hm."}]),
                ),
            ),
            (Provider::Copilot, chat("reasoning_opaque", json!("s"))),
        ]
    }

    #[test]
    fn serialized_response_encodes_like_original() {
        for (provider, response) in answers() {
            let decoded = decode(provider, &response, None).unwrap();
            let written = serde_json::to_value(&decoded).unwrap();
            let calls: Vec<Value> = written["calls"]
                .as_array()
                .unwrap()
                .iter()
                .map(|call| {
                    json!({"id": call["id"], "name": call["name"], "arguments": call["arguments"],
                        "provider_data": call["provider_data"]})
                })
                .collect();
            let message = json!({"role": "assistant", "content": written["text"], "calls": calls});
            let answer = Message::tool([ToolMessage::new("c", "f", "done")]);
            let kept = vec![
                Message::user("Go"),
                serde_json::from_value(message).unwrap(),
                answer.clone(),
            ];
            let held = vec![Message::user("Go"), decoded.into(), answer];

            let (kept, held) = (Transcript::from(kept), Transcript::from(held));

            assert_eq!(
                encode(provider, &kept, None),
                encode(provider, &held, None),
                "{provider}"
            );
        }
    }

    #[test]
    fn keeps_item_id_in_call() {
        let item = json!({"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"});
        let response = json!({"status": "completed", "output": [item]});

        let decoded = decode(Provider::OpenAiResponses, &response, None).unwrap();

        assert_eq!(
            decoded.calls[0].provider_data,
            Some(json!({"output_item_id": "fc_1"}))
        );
    }
}
