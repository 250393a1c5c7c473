//! Output item of a stream.

use serde_json::{Value, json};

use crate::Object;
use crate::decoded::read;
use crate::stream::ArgumentBuffer;

/// Output item of a stream. Identified by its index, because gateways change ids.
#[derive(Debug, Default)]
pub(super) struct Item {
    pub(super) index: Option<u64>,
    pub(super) value: Object,
    /// Position among the calls if the item is a call.
    pub(super) call: Option<usize>,
    pub(super) arguments: ArgumentBuffer,
    /// Streamed text, refusal and reasoning.
    pub(super) streamed_text: Object,
    pub(super) is_closed: bool,
    pub(super) is_done: bool,
    /// Whether only deltas were received, without an event for the item.
    pub(super) is_implied: bool,
}

pub(super) const CALLS: [&str; 2] = ["function_call", "custom_tool_call"];

impl Item {
    /// Creates an item that only the last event contains.
    pub(super) fn complete_from(value: Object) -> Self {
        Self {
            call: CALLS.contains(&read::text(&value, "type")).then_some(0),
            value,
            is_closed: true,
            is_done: true,
            ..Self::default()
        }
    }

    /// Returns `true` if text of this kind can belong to the item.
    pub(super) fn accepts_text_of(&self, kind: &str) -> bool {
        let own = read::text(&self.value, "type");
        (own == "message") == (kind == "message")
    }

    /// Returns `true` if none of the item's content was streamed.
    pub(super) fn has_no_streamed_content(&self) -> bool {
        self.is_implied
            || (!self.is_done && self.streamed_text.is_empty() && self.arguments.is_blank())
    }

    /// Returns the item in the format of complete responses. The item's last event takes precedence
    /// over deltas.
    pub(super) fn into_wire(mut self) -> Value {
        match read::text(&self.value, "type") {
            "function_call" => self.complete("arguments"),
            "custom_tool_call" => self.complete("input"),
            "message" if !self.is_done => {
                let part = json!({"text": self.streamed_text.get("text"), "refusal": self.streamed_text.get("refusal")});
                self.value.insert("content".to_owned(), json!([part]));
            }
            _ if !self.is_done => {
                let part = json!({"text": self.streamed_text.get("reasoning")});
                self.value.insert("summary".to_owned(), json!([part]));
            }
            _ => {}
        }
        Value::Object(self.value)
    }

    pub(super) fn complete(&mut self, key: &str) {
        let is_present = match self.value.get(key) {
            Some(Value::String(text)) => !text.trim().is_empty(),
            other => other.is_some_and(|value| !value.is_null()),
        };
        let is_settled = self.is_done && is_present;
        if !is_settled && !self.arguments.is_blank() {
            let arguments = std::mem::take(&mut self.arguments).into_value();
            self.value.insert(key.to_owned(), arguments);
        }
    }
}
