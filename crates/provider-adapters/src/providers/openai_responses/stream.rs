//! Decoder of streamed responses.

use serde_json::{Value, json};

use crate::decoded::read;
use crate::stream::{Accumulator, ArgumentBuffer, CompleteResponse, DeltaSink, PushError, append};
use crate::{Object, StreamError};

/// Stream of Responses.
#[derive(Debug, Default)]
pub(super) struct Responses {
    items: Vec<Item>,
    /// Text, refusal and reasoning of items without an event.
    loose: Object,
    calls: usize,
    /// Response in the last event.
    response: Object,
    error: Option<StreamError>,
    has_ended: bool,
}

impl Responses {
    fn find(&mut self, event: &Object) -> Option<&mut Item> {
        let index = read::number(event, "output_index");
        let mut newest = self.items.iter_mut().rev();
        // By index and not by id, because gateways change the ids of items.
        newest.find(|item| index.is_none() || item.index == index)
    }

    /// Adds a new item.
    fn begin(
        &mut self,
        event: &Object,
        given: &Object,
        sink: &mut DeltaSink<'_>,
    ) -> Result<(), PushError> {
        sink.count_part()?;
        let mut item = Item {
            index: read::number(event, "output_index"),
            value: given.clone(),
            ..Item::default()
        };
        if CALLS.contains(&read::text(given, "type")) {
            let (id, name) = (read::text(given, "call_id"), read::text(given, "name"));
            sink.call(0, self.calls, id, name);
            item.call = Some(self.calls);
            self.calls += 1;
        }
        self.items.push(item);
        Ok(())
    }

    /// Completes an item that was added before, or adds a complete one.
    fn end(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        let Some(Value::Object(given)) = event.get("item") else {
            return Ok(());
        };
        let matches = |item: &Item| {
            !item.is_done || read::text(&item.value, "call_id") == read::text(given, "call_id")
        };
        if !self.find(event).is_some_and(|item| matches(item)) {
            self.begin(event, given, sink)?;
        }
        if let Some(item) = self.find(event) {
            item.value.clone_from(given);
            // This event has the complete item, which replaces the deltas.
            (item.is_closed, item.is_done) = (true, true);
        }
        Ok(())
    }

    fn add_arguments(&mut self, event: &Object, sink: &mut DeltaSink<'_>) {
        let chunk = read::text(event, "delta");
        if let Some(item) = self.find(event)
            && let Some(call) = item.call
        {
            sink.arguments(0, call, chunk);
            item.arguments.push(chunk);
        }
    }

    /// Completes the arguments with the text under `key`.
    fn end_arguments(&mut self, event: &Object, key: &str) {
        if let Some(item) = self.find(event) {
            item.is_closed = true;
            let text = read::text(event, key);
            if !text.is_empty() {
                item.arguments.replace(text);
            }
        }
    }

    /// Adds text to its item.
    fn push_content(&mut self, event: &Object, key: &str) {
        let index = read::number(event, "output_index");
        let mut newest = self.items.iter_mut().rev();
        let item = newest.find(|item| {
            (index.is_none() || item.index == index) && item.accepts_text(key != "reasoning")
        });
        let text = item.map_or(&mut self.loose, |item| &mut item.streamed_text);
        append(text, key, read::text(event, "delta"));
    }

    /// Returns the output of the last event, or the streamed items if it lacks any of them or their content.
    fn output(&mut self, listed: Option<Value>) -> (Vec<Value>, Vec<(usize, usize)>) {
        let mut items = std::mem::take(&mut self.items);
        if let Some(Value::Array(listed)) = listed
            && listed.len() >= items.len()
            && listed.iter().all(has_content)
        {
            return (listed, Vec::new());
        }
        if items.iter().all(|item| item.index.is_some()) {
            items.sort_by_key(|item| item.index);
        }
        let calls = items.iter().filter(|item| item.call.is_some()).enumerate();
        let open = calls.filter(|(_, item)| !item.is_closed);
        let open = open.map(|(position, _)| (0, position)).collect();
        (items.into_iter().map(Item::into_wire).collect(), open)
    }

    fn close(&mut self, event: &Object) {
        self.has_ended = true;
        if let Some(Value::Object(response)) = event.get("response") {
            self.response.clone_from(response);
        }
    }
}

impl Accumulator for Responses {
    fn push(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        let delta = read::text(event, "delta");
        match read::text(event, "type") {
            "response.output_item.added" => {
                if let Some(Value::Object(item)) = event.get("item") {
                    self.begin(event, item, sink)?;
                }
            }
            "response.output_item.done" => self.end(event, sink)?,
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                self.add_arguments(event, sink);
            }
            "response.function_call_arguments.done" => self.end_arguments(event, "arguments"),
            "response.custom_tool_call_input.done" => self.end_arguments(event, "input"),
            "response.output_text.delta" => {
                sink.text(0, delta);
                self.push_content(event, "text");
            }
            "response.refusal.delta" => {
                sink.text(0, delta);
                self.push_content(event, "refusal");
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                sink.reasoning(0, delta);
                self.push_content(event, "reasoning");
            }
            "response.completed" | "response.incomplete" | "response.failed" => self.close(event),
            "error" => {
                let nested = read::error(event);
                let code = Some(read::text(event, "code")).filter(|code| !code.is_empty());
                let flat =
                    || StreamError::new(code.unwrap_or("error"), read::text(event, "message"));
                self.error = Some(nested.unwrap_or_else(flat));
            }
            _ => self.error = read::error(event).or(self.error.take()),
        }
        Ok(())
    }

    fn has_ended(&self) -> bool {
        self.has_ended
    }

    fn finish(&mut self) -> CompleteResponse {
        let mut response = std::mem::take(&mut self.response);
        let (output, open) = self.output(response.shift_remove("output"));
        let output = with_loose_text(output, &self.loose);
        response.insert("output".to_owned(), output.into());
        CompleteResponse {
            response,
            error: self.error.take(),
            open,
        }
    }
}

/// Output item of a stream. Identified by its index, because gateways change ids.
#[derive(Debug, Default)]
struct Item {
    index: Option<u64>,
    value: Object,
    /// Position among the calls if the item is a call.
    call: Option<usize>,
    arguments: ArgumentBuffer,
    /// Streamed text, refusal and reasoning.
    streamed_text: Object,
    is_closed: bool,
    is_done: bool,
}

const CALLS: [&str; 2] = ["function_call", "custom_tool_call"];

impl Item {
    fn accepts_text(&self, is_message: bool) -> bool {
        self.call.is_none() && (read::text(&self.value, "type") == "message") == is_message
    }

    /// Returns the item in the format of complete responses. The item's last event takes precedence
    /// over deltas.
    fn into_wire(mut self) -> Value {
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

    fn complete(&mut self, key: &str) {
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

/// Adds text whose item had no event, unless the output has an item of its kind.
fn with_loose_text(mut output: Vec<Value>, loose: &Object) -> Vec<Value> {
    let message = json!({"type": "message", "content": [loose]});
    let reasoning = json!({"type": "reasoning", "summary": [{"text": loose.get("reasoning")}]});
    for (item, keys) in [
        (message, &["text", "refusal"][..]),
        (reasoning, &["reasoning"]),
    ] {
        let is_known = output
            .iter()
            .any(|known| known.get("type") == item.get("type"));
        if !is_known && keys.iter().any(|key| loose.contains_key(*key)) {
            output.insert(0, item);
        }
    }
    output
}

/// Returns whether an item has what the model wrote, which some gateways omit in the last event.
fn has_content(item: &Value) -> bool {
    let content = match item["type"].as_str() {
        Some("message") => &item["content"],
        Some("function_call") => &item["arguments"],
        Some("custom_tool_call") => &item["input"],
        _ => return true,
    };
    !content.is_null() && *content != "" && *content != json!([])
}

#[cfg(test)]
mod tests;
