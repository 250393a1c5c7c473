//! What a model asks.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ShortText;
use crate::short_text::InPlace;

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

/// What stands before the number of an id.
const PREFIX: &[u8] = b"call_";

/// The id that a thread gives next.
#[derive(Clone, Copy)]
struct NextId {
    number: u64,
    /// What it reads as; empty where that has no room here.
    text: InPlace<{ ShortText::IN_PLACE }>,
}

/// An id that no other call of this process has.
pub(crate) fn next_id() -> ShortText {
    let mut id = ShortText::default();
    set_next_id(&mut id);
    id
}

/// Makes `id` one that no other call of this process has.
#[inline]
pub(crate) fn set_next_id(id: &mut ShortText) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        /// The next id, and how many of the thread's numbers are left from there.
        static OWN: RefCell<(NextId, u64)> = const { RefCell::new((NextId::NONE, 0)) };
    }
    OWN.with_borrow_mut(|(next, left)| {
        if *left == 0 {
            *next = NextId::new(NEXT.fetch_add(BLOCK, Ordering::Relaxed) + 1);
            *left = BLOCK;
        }
        // The text first: what was just written takes longer to read.
        next.tell(id);
        next.count_up();
        *left -= 1;
    });
}

impl NextId {
    const NONE: Self = Self {
        number: 0,
        text: InPlace::EMPTY,
    };

    fn new(number: u64) -> Self {
        let mut text = InPlace::EMPTY;
        let _ = text.set(&format!("call_{number}"));
        Self { number, text }
    }

    /// Becomes the id after this one: most differ in the last digit only, which saves writing the others.
    #[inline]
    fn count_up(&mut self) {
        let digits = self.text.as_bytes_mut().get_mut(PREFIX.len()..);
        for digit in digits.unwrap_or_default().iter_mut().rev() {
            if *digit != b'9' {
                *digit += 1;
                self.number += 1;
                return;
            }
            *digit = b'0';
        }
        *self = Self::new(self.number + 1);
    }

    #[inline]
    fn tell(&self, id: &mut ShortText) {
        if self.text.is_empty() {
            *id = format!("call_{}", self.number).into();
        } else {
            id.put(self.text);
        }
    }
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
    fn ids_count_up_whatever_the_digits() {
        for first in [1, 8, 99, 12_345, 99_999_999_999_999_990, u64::MAX - 20] {
            let mut id = NextId::new(first);

            for number in first..first + 15 {
                let mut told = ShortText::default();
                id.tell(&mut told);
                assert_eq!(told, format!("call_{number}"));
                id.count_up();
            }
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
