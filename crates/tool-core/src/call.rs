//! What a model asks.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ShortText;

/// The arguments of a call as they came: the model's own text, or a value.
///
/// As JSON a text is a string and a value is itself. A string is no arguments of its own, so nothing is lost.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::CallArguments;
///
/// let arguments = CallArguments::from(json!({"path": "."}));
/// assert_eq!(arguments.to_text(), r#"{"path":"."}"#);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Value", into = "Value")]
pub enum CallArguments {
    /// The model's own text, to be parsed strictly and repaired only where nothing is guessed.
    Text(String),
    /// A value that is JSON already.
    Value(Value),
}

impl CallArguments {
    /// The arguments as JSON text.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Value(value) => value.to_string(),
        }
    }
}

impl From<Value> for CallArguments {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text),
            other => Self::Value(other),
        }
    }
}

impl From<CallArguments> for Value {
    fn from(arguments: CallArguments) -> Self {
        match arguments {
            CallArguments::Text(text) => Self::String(text),
            CallArguments::Value(value) => value,
        }
    }
}

impl From<String> for CallArguments {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for CallArguments {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// One call that a model asks for.
///
/// # Examples
/// ```
/// use tool_core::ToolCall;
///
/// let call = ToolCall::new("read_file", r#"{"path": "README.md"}"#).with_id("call_1");
/// assert_eq!(call.id, "call_1");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// The id that the result is to carry.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments as they came.
    pub arguments: CallArguments,
    /// What the provider wants back unchanged, such as a thought signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_data: Option<Value>,
}

impl ToolCall {
    /// Creates a call with an id of its own, unique in this process.
    #[must_use]
    pub fn new(name: impl Into<String>, arguments: impl Into<CallArguments>) -> Self {
        Self {
            id: next_id().into(),
            name: name.into(),
            arguments: arguments.into(),
            provider_data: None,
        }
    }

    /// Gives the id of the provider.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = id.into();
        self
    }

    /// Keeps what the provider wants back.
    #[must_use]
    pub fn with_provider_data(mut self, data: Option<Value>) -> Self {
        self.provider_data = data;
        self
    }
}

/// Numbers that a thread takes at once, so that threads seldom meet at the counter.
const BLOCK: u64 = 256;

/// An id that no other call of this process has.
pub(crate) fn next_id() -> ShortText {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static LAST: Cell<u64> = const { Cell::new(0) };
    }
    let mut number = LAST.get();
    if number.is_multiple_of(BLOCK) {
        number = NEXT.fetch_add(BLOCK, Ordering::Relaxed);
    }
    LAST.set(number + 1);
    numbered(number + 1)
}

/// `call_` and `number`, without the detour through a formatter that each call would pay for.
fn numbered(number: u64) -> ShortText {
    let mut text = *b"call_00000000000000000000";
    let mut length = text.len();
    let mut left = number;
    // From the last digit to the first, and then the digits to the front.
    while let Some(digit) = text.get_mut(length - 1) {
        *digit = b'0' + u8::try_from(left % 10).unwrap_or_default();
        left /= 10;
        length -= 1;
        if left == 0 {
            break;
        }
    }
    text.copy_within(length.., 5);
    let text = text.get(..30 - length).unwrap_or_default();
    ShortText::of_ascii(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_stays_the_text_that_came() {
        let call = ToolCall::new("f", r#"{"a": 1,}"#).with_id("1");

        let stored = serde_json::to_value(&call).unwrap();

        assert_eq!(
            stored,
            json!({"id": "1", "name": "f", "arguments": "{\"a\": 1,}"})
        );
        assert_eq!(serde_json::from_value::<ToolCall>(stored).unwrap(), call);
    }

    #[test]
    fn a_number_is_written_as_it_is_spoken() {
        for number in [0, 1, 9, 10, 99, 100, 12_345, u64::MAX] {
            assert_eq!(numbered(number), format!("call_{number}"));
        }
    }

    #[test]
    fn ids_of_several_threads_differ() {
        let threads: Vec<_> = (0..4)
            .map(|_| std::thread::spawn(|| (0..1000).map(|_| next_id()).collect::<Vec<_>>()))
            .collect();

        let ids: Vec<ShortText> = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect();

        let different: std::collections::HashSet<&ShortText> = ids.iter().collect();
        assert_eq!(different.len(), ids.len());
    }

    #[test]
    fn calls_without_an_id_get_different_ones() {
        assert_ne!(ToolCall::new("f", "{}").id, ToolCall::new("f", "{}").id);
    }
}
