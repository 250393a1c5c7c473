//! Choice of a response as received, before ids are assigned, and the strict parser of its arguments.

use serde_json::Value;
use tool_json::{ParseLimits, wide_numbers};

use super::{Finish, StreamError};
use crate::{MessagePart, Object, Reasoning};

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
    /// Appends text to the last part if that is text too, because some providers split their text.
    pub(crate) fn push_text(&mut self, text: &str) {
        match self.order.last_mut() {
            Some(MessagePart::Text {
                bytes,
                provider_data: None,
            }) => {
                *bytes += text.len();
                self.text.push_str(text);
            }
            _ => self.push_text_part(text, None),
        }
    }

    /// Adds a separate part of the text. Without text and data, there is none.
    pub(crate) fn push_text_part(&mut self, text: &str, provider_data: Option<Value>) {
        if text.is_empty() && provider_data.is_none() {
            return;
        }
        self.text.push_str(text);
        self.order.push(MessagePart::Text {
            bytes: text.len(),
            provider_data,
        });
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

/// Reason for unusable arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentsError {
    Invalid,
    Truncated,
}

/// Returns the raw text of the arguments and the parsed object. `truncated` states whether the response
/// reached a limit here.
pub(crate) fn parse_arguments(
    arguments: RawArguments,
    truncated: bool,
) -> (String, Result<Object, ArgumentsError>) {
    let truncated = truncated || matches!(arguments, RawArguments::Truncated(_));
    let (raw, value) = match arguments {
        RawArguments::Text(text) | RawArguments::Truncated(text) => {
            let value = parse_text(&text);
            (text, value)
        }
        RawArguments::Value(Value::Null) => (String::new(), Some(Value::Null)),
        RawArguments::Value(value) => (value.to_string(), Some(value)),
        RawArguments::Incomplete(text) => return (text, Err(ArgumentsError::Truncated)),
        RawArguments::Invalid(text) => return (text, Err(ArgumentsError::Invalid)),
    };
    let object = match value {
        Some(Value::Object(object)) => Some(object),
        Some(Value::Null) => Some(Object::new()),
        _ => None,
    };
    let parsed = match object {
        Some(object) if truncated && object.is_empty() => Err(ArgumentsError::Truncated),
        Some(object) => Ok(object),
        None if truncated => Err(ArgumentsError::Truncated),
        None => Err(ArgumentsError::Invalid),
    };
    (raw, parsed)
}

fn parse_text(text: &str) -> Option<Value> {
    if text.trim().is_empty() {
        return Some(Value::Null);
    }
    // The stream and the body of a response limit the size.
    let limits = ParseLimits {
        max_bytes: usize::MAX,
        max_values: usize::MAX,
        ..ParseLimits::default()
    };
    // The registry records wide numbers when it reads the raw text.
    let tape = wide_numbers::parse_quoting(text, &limits).ok()?;
    Some(tape.to_value())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn accepts_empty_text_and_rejects_non_objects() {
        for (text, expected) in [
            ("", Ok(json!({}))),
            (" \n", Ok(json!({}))),
            ("null", Ok(json!({}))),
            (
                "{\"a\":[1,-2,0.5,\"x\",true,null]}",
                Ok(json!({"a": [1, -2, 0.5, "x", true, null]})),
            ),
            (
                "{\"a\":340282366920938463463374607431768211455}",
                Ok(json!({"a": "340282366920938463463374607431768211455"})),
            ),
            ("[]", Err(ArgumentsError::Invalid)),
            ("\"{}\"", Err(ArgumentsError::Invalid)),
            ("{\"a\":1", Err(ArgumentsError::Invalid)),
            ("{\"a\":1}}", Err(ArgumentsError::Invalid)),
            ("{\"a\":1,\"a\":2}", Err(ArgumentsError::Invalid)),
        ] {
            let (raw, parsed) = parse_arguments(RawArguments::Text(text.to_owned()), false);

            assert_eq!((raw.as_str(), parsed.map(Value::Object)), (text, expected));
        }
    }

    #[test]
    fn deep_nesting_is_invalid_without_stack_overflow() {
        let text = format!("{{\"a\":{}", "[".repeat(100_000));

        let (_, parsed) = parse_arguments(RawArguments::Text(text), false);

        assert_eq!(parsed, Err(ArgumentsError::Invalid));
    }

    #[test]
    fn object_has_compact_raw_text() {
        let (raw, parsed) = parse_arguments(RawArguments::Value(json!({"a": 1})), true);

        assert_eq!(raw, "{\"a\":1}");
        assert_eq!(parsed.map(Value::Object), Ok(json!({"a": 1})));
    }
}
