//! Calls that a model requests.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use smol_str::{SmolStr, SmolStrBuilder};

/// Arguments of a call as sent: the model's text, or a value.
///
/// In JSON, text is a string and a value is unchanged. Arguments are never a plain string, so this is lossless.
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
    /// The model's text. It is parsed strictly; only unambiguous repairs are made.
    Text(String),
    /// A parsed value.
    Value(Value),
}

impl CallArguments {
    /// Returns the arguments as JSON text.
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

impl From<&String> for CallArguments {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<&str> for CallArguments {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// What [`Registry::execute`](crate::Registry::execute) takes: text or a value, owned or borrowed.
///
/// You don't name this type: pass a `&str`, a `String`, a `Value`, a `&Value` or [`CallArguments`]. Text is borrowed where
/// you have it, because a copy would be a quarter of the allocations of a small call.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{CallArguments, Registry};
///
/// # async fn call(registry: Registry, stored: CallArguments) {
/// registry.execute("add", r#"{"a": 2, "b": 40}"#).await;
/// registry.execute("add", json!({"a": 2, "b": 40})).await;
/// registry.execute("add", &stored).await;
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ArgumentsInput<'a>(pub(crate) Input<'a>);

#[derive(Debug, Clone)]
pub(crate) enum Input<'a> {
    Text(Cow<'a, str>),
    Value(Cow<'a, Value>),
}

impl<'a> From<&'a str> for ArgumentsInput<'a> {
    fn from(text: &'a str) -> Self {
        Self(Input::Text(text.into()))
    }
}

impl<'a> From<&'a String> for ArgumentsInput<'a> {
    fn from(text: &'a String) -> Self {
        Self(Input::Text(text.into()))
    }
}

impl From<String> for ArgumentsInput<'_> {
    fn from(text: String) -> Self {
        Self(Input::Text(text.into()))
    }
}

impl From<Value> for ArgumentsInput<'_> {
    fn from(value: Value) -> Self {
        CallArguments::from(value).into()
    }
}

impl<'a> From<&'a Value> for ArgumentsInput<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            // As in `CallArguments`: arguments are never a plain string, so it is the model's text.
            Value::String(text) => text.into(),
            value => Self(Input::Value(Cow::Borrowed(value))),
        }
    }
}

impl From<CallArguments> for ArgumentsInput<'_> {
    fn from(arguments: CallArguments) -> Self {
        match arguments {
            CallArguments::Text(text) => text.into(),
            CallArguments::Value(value) => Self(Input::Value(Cow::Owned(value))),
        }
    }
}

impl<'a> From<&'a CallArguments> for ArgumentsInput<'a> {
    fn from(arguments: &'a CallArguments) -> Self {
        match arguments {
            CallArguments::Text(text) => text.into(),
            CallArguments::Value(value) => Self(Input::Value(Cow::Borrowed(value))),
        }
    }
}

/// A call that a model requests.
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
    /// Id of the call and its result.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments as sent.
    pub arguments: CallArguments,
    /// Data that the provider requires back unchanged, such as a thought signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_data: Option<Value>,
}

impl ToolCall {
    /// Creates a call with a generated id, unique in this process.
    pub fn new(name: impl Into<String>, arguments: impl Into<CallArguments>) -> Self {
        Self {
            id: next_id().into(),
            name: name.into(),
            arguments: arguments.into(),
            provider_data: None,
        }
    }

    /// Sets the id of the provider.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = id.into();
        self
    }

    /// Sets the data that the provider requires back.
    #[must_use]
    pub fn with_provider_data(mut self, data: Option<Value>) -> Self {
        self.provider_data = data;
        self
    }
}

/// Returns an id that no other call of this process has.
#[inline]
pub(crate) fn next_id() -> SmolStr {
    /// Numbers that a thread reserves in one step, so that threads rarely contend for the counter.
    const BLOCK: u64 = 256;
    static NEXT: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        /// The last number of the thread, and the end of its block.
        static OWN: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
    }
    let (mut number, mut end) = OWN.get();
    if number == end {
        number = NEXT.fetch_add(BLOCK, Ordering::Relaxed);
        end = number + BLOCK;
    }
    number += 1;
    OWN.set((number, end));
    let mut id = SmolStrBuilder::new();
    id.push_str("call_");
    id.push_str(itoa::Buffer::new().format(number));
    id.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_arguments_survive_json() {
        let call = ToolCall::new("f", r#"{"a": 1,}"#).with_id("1");

        let stored = serde_json::to_value(&call).unwrap();

        assert_eq!(
            stored,
            json!({"id": "1", "name": "f", "arguments": "{\"a\": 1,}"})
        );
        assert_eq!(serde_json::from_value::<ToolCall>(stored).unwrap(), call);
    }

    #[test]
    fn ids_of_threads_differ() {
        let threads: Vec<_> = (0..4)
            .map(|_| std::thread::spawn(|| (0..1000).map(|_| next_id()).collect::<Vec<_>>()))
            .collect();

        let ids: Vec<SmolStr> = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect();

        let different: std::collections::HashSet<&SmolStr> = ids.iter().collect();
        assert_eq!(different.len(), ids.len());
    }

    #[test]
    fn generated_ids_differ() {
        assert_ne!(ToolCall::new("f", "{}").id, ToolCall::new("f", "{}").id);
    }
}
