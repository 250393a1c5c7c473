//! Choice of a response before ids are assigned and arguments are parsed.

use serde_json::Value;

use super::{Finish, StreamError};
use crate::{MessagePart, Reasoning};

/// Prefix of every generated id. Gemini and Ollama never receive these ids.
pub(crate) const LOCAL_ID: &str = "local_";

/// Key in `provider_data` of the first serialized call, for reasoning that must be sent back to the
/// provider.
pub(crate) const CARRIED_REASONING: &str = "reasoning";

/// Key next to [`CARRIED_REASONING`] for the order of the message.
pub(crate) const CARRIED_ORDER: &str = "order";

/// Arguments of a call as received.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RawArguments {
    Text(String),
    Value(Value),
    /// Text that may be truncated.
    Truncated(String),
    /// Text that may be truncated although it can be parsed.
    Incomplete(String),
    /// Text that the provider marked as invalid.
    Invalid(String),
}

impl RawArguments {
    /// Returns a string as text and any other value unchanged. A missing value is null.
    pub(crate) fn from_field(field: Option<&Value>) -> Self {
        match field {
            Some(Value::String(text)) => Self::Text(text.clone()),
            other => Self::Value(other.cloned().unwrap_or_default()),
        }
    }
}

impl RawArguments {
    /// Returns the received value as text. Null is empty.
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Value(Value::Null) => String::new(),
            Self::Value(value) => value.to_string(),
            Self::Text(text)
            | Self::Truncated(text)
            | Self::Incomplete(text)
            | Self::Invalid(text) => text,
        }
    }
}

/// Call as received.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReceivedCall {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) arguments: RawArguments,
    pub(crate) provider_data: Option<Value>,
}

/// Choice as received.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Choice {
    pub(crate) text: String,
    pub(crate) reasoning: Vec<Reasoning>,
    pub(crate) calls: Vec<ReceivedCall>,
    /// Order of the parts. Empty if the provider has none.
    pub(crate) order: Vec<MessagePart>,
    pub(crate) finish: Finish,
    pub(crate) finish_raw: Option<String>,
    pub(crate) error: Option<StreamError>,
    /// Whether the provider marked the response as incomplete.
    pub(crate) is_truncated: bool,
}

impl Choice {
    /// Appends text to the last part if that is a text too, because some providers split their texts.
    pub(crate) fn push_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.text.push_str(text);
        match self.order.last_mut() {
            Some(MessagePart::Text { bytes }) => *bytes += text.len(),
            _ => self.order.push(MessagePart::Text { bytes: text.len() }),
        }
    }

    pub(crate) fn push_reasoning(&mut self, reasoning: Reasoning) {
        self.reasoning.push(reasoning);
        self.order.push(MessagePart::Reasoning);
    }

    pub(crate) fn push_call(&mut self, call: ReceivedCall) {
        self.calls.push(call);
        self.order.push(MessagePart::Call);
    }
}
