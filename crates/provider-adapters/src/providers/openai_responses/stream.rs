//! Decoder of streamed responses.

use serde_json::Value;

use super::completed::merge_items;
use super::item::{CALLS, Item};
use crate::decoded::read;
use crate::stream::{Accumulator, CompleteResponse, DeltaSink, PushError, append};
use crate::{Object, StreamError};

/// Stream of Responses.
#[derive(Debug, Default)]
pub(super) struct Responses {
    items: Vec<Item>,
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
        self.replace_implied(event, given);
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

    /// Replaces an item that was created for deltas with the item of this event. Returns `false` if
    /// there is none.
    fn replace_implied(&mut self, event: &Object, given: &Object) -> bool {
        let index = read::number(event, "output_index");
        let matches = |item: &&mut Item| {
            item.is_implied
                && (index.is_none() || item.index.is_none() || item.index == index)
                && read::text(&item.value, "type") == read::text(given, "type")
        };
        let Some(item) = self.items.iter_mut().find(matches) else {
            return false;
        };
        item.is_implied = false;
        item.index = index.or(item.index);
        item.value.clone_from(given);
        true
    }

    fn add_arguments(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        let chunk = read::text(event, "delta");
        let Some(item) = self.find(event) else {
            return Ok(());
        };
        if let Some(call) = item.call {
            sink.arguments(0, call, chunk)?;
            item.arguments.push(chunk);
        }
        Ok(())
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

    /// Adds text to its item. Creates the item if it had no event.
    fn push_content(
        &mut self,
        event: &Object,
        key: &str,
        sink: &mut DeltaSink<'_>,
    ) -> Result<(), PushError> {
        let index = read::number(event, "output_index");
        let kind = if key == "reasoning" { key } else { "message" };
        let matches = |item: &&mut Item| {
            (index.is_none() || item.index == index)
                && item.call.is_none()
                && item.accepts_text_of(kind)
        };
        if self.items.iter_mut().rev().find(matches).is_none() {
            sink.count_part()?;
            self.items.push(Item {
                index,
                value: Object::from_iter([("type".to_owned(), kind.into())]),
                is_implied: true,
                ..Item::default()
            });
        }
        if let Some(item) = self.items.iter_mut().rev().find(matches) {
            append(&mut item.streamed_text, key, read::text(event, "delta"));
        }
        Ok(())
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
                if let Some(Value::Object(item)) = event.get("item")
                    && !self.replace_implied(event, item)
                {
                    self.begin(event, item, sink)?;
                }
            }
            "response.output_item.done" => self.end(event, sink)?,
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                self.add_arguments(event, sink)?;
            }
            "response.function_call_arguments.done" => self.end_arguments(event, "arguments"),
            "response.custom_tool_call_input.done" => self.end_arguments(event, "input"),
            "response.output_text.delta" => {
                sink.text(0, delta);
                self.push_content(event, "text", sink)?;
            }
            "response.refusal.delta" => {
                sink.text(0, delta);
                self.push_content(event, "refusal", sink)?;
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                sink.reasoning(0, delta);
                self.push_content(event, "reasoning", sink)?;
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
        let mut items = std::mem::take(&mut self.items);
        if items.iter().all(|item| item.index.is_some()) {
            items.sort_by_key(|item| item.index);
        }
        let mut response = std::mem::take(&mut self.response);
        let listed = response.shift_remove("output");
        let mut open = Vec::new();
        if !items.is_empty() || listed.is_none() {
            let items = merge_items(items, listed.as_ref());
            let calls = items.iter().filter(|item| item.call.is_some()).enumerate();
            let left = calls.filter(|(_, item)| !item.is_closed);
            open.extend(left.map(|(position, _)| (0, position)));
            let output: Vec<Value> = items.into_iter().map(Item::into_wire).collect();
            response.insert("output".to_owned(), output.into());
        } else {
            response.extend(listed.map(|output| ("output".to_owned(), output)));
        }
        CompleteResponse {
            response,
            error: self.error.take(),
            open,
        }
    }
}
