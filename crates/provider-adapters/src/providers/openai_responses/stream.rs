//! Decoder of streamed responses.

use serde_json::{Map, Value};

use super::completed::completed;
use super::item::{CALLS, Item};
use crate::StreamError;
use crate::decoded::read;
use crate::stream::{Feed, Fold, PushError, Whole, append};

/// Stream of Responses.
#[derive(Debug, Default)]
pub(super) struct Responses {
    items: Vec<Item>,
    calls: usize,
    /// Response in the last event.
    response: Map<String, Value>,
    error: Option<StreamError>,
    has_ended: bool,
}

impl Responses {
    pub(super) fn fold() -> Box<dyn Fold> {
        Box::<Self>::default()
    }

    fn find(&mut self, event: &Map<String, Value>) -> Option<&mut Item> {
        let index = event.get("output_index").and_then(Value::as_u64);
        let mut newest = self.items.iter_mut().rev();
        newest.find(|item| index.is_none() || item.index == index)
    }

    /// Adds a new item.
    fn begin(
        &mut self,
        event: &Map<String, Value>,
        given: &Map<String, Value>,
        feed: &mut Feed<'_>,
    ) -> Result<(), PushError> {
        feed.part()?;
        let mut item = Item {
            index: event.get("output_index").and_then(Value::as_u64),
            value: given.clone(),
            ..Item::default()
        };
        if CALLS.contains(&read::text(given, "type")) {
            let (id, name) = (read::text(given, "call_id"), read::text(given, "name"));
            feed.call(0, self.calls, id, name);
            item.call = Some(self.calls);
            self.calls += 1;
        }
        self.items.push(item);
        Ok(())
    }

    /// Completes an item that was added before, or adds a complete one.
    fn end(&mut self, event: &Map<String, Value>, feed: &mut Feed<'_>) -> Result<(), PushError> {
        let Some(Value::Object(given)) = event.get("item") else {
            return Ok(());
        };
        let is_meant = |item: &Item| {
            !item.is_done || read::text(&item.value, "call_id") == read::text(given, "call_id")
        };
        self.adopt(event, given);
        if !self.find(event).is_some_and(|item| is_meant(item)) {
            self.begin(event, given, feed)?;
        }
        if let Some(item) = self.find(event) {
            item.value.clone_from(given);
            (item.is_closed, item.is_done) = (true, true);
        }
        Ok(())
    }

    /// Replaces an item that was created for deltas with the item of this event. Returns `false` if
    /// there is none.
    fn adopt(&mut self, event: &Map<String, Value>, given: &Map<String, Value>) -> bool {
        let index = event.get("output_index").and_then(Value::as_u64);
        let is_meant = |item: &&mut Item| {
            item.is_implied
                && (index.is_none() || item.index.is_none() || item.index == index)
                && read::text(&item.value, "type") == read::text(given, "type")
        };
        let Some(item) = self.items.iter_mut().find(is_meant) else {
            return false;
        };
        item.is_implied = false;
        item.index = index.or(item.index);
        item.value.clone_from(given);
        true
    }

    fn add_arguments(
        &mut self,
        event: &Map<String, Value>,
        feed: &mut Feed<'_>,
    ) -> Result<(), PushError> {
        let piece = read::text(event, "delta");
        let Some(item) = self.find(event) else {
            return Ok(());
        };
        if let Some(call) = item.call {
            feed.arguments(0, call, piece)?;
            item.arguments.push(piece);
        }
        Ok(())
    }

    /// Completes the arguments with the text under `key`.
    fn end_arguments(&mut self, event: &Map<String, Value>, key: &str) {
        if let Some(item) = self.find(event) {
            item.is_closed = true;
            let text = read::text(event, key);
            if !text.is_empty() {
                item.arguments.replace(text);
            }
        }
    }

    /// Adds text to its item. Creates the item if it had no event.
    fn add_words(
        &mut self,
        event: &Map<String, Value>,
        key: &str,
        feed: &mut Feed<'_>,
    ) -> Result<(), PushError> {
        let index = event.get("output_index").and_then(Value::as_u64);
        let kind = if key == "reasoning" { key } else { "message" };
        let is_meant = |item: &&mut Item| {
            (index.is_none() || item.index == index) && item.call.is_none() && item.holds(kind)
        };
        if self.items.iter_mut().rev().find(is_meant).is_none() {
            feed.part()?;
            self.items.push(Item {
                index,
                value: Map::from_iter([("type".to_owned(), kind.into())]),
                is_implied: true,
                ..Item::default()
            });
        }
        if let Some(item) = self.items.iter_mut().rev().find(is_meant) {
            append(&mut item.words, key, read::text(event, "delta"));
        }
        Ok(())
    }

    fn close(&mut self, event: &Map<String, Value>) {
        self.has_ended = true;
        if let Some(Value::Object(response)) = event.get("response") {
            self.response.clone_from(response);
        }
    }
}

impl Fold for Responses {
    fn take(&mut self, event: &Map<String, Value>, feed: &mut Feed<'_>) -> Result<(), PushError> {
        let delta = read::text(event, "delta");
        match read::text(event, "type") {
            "response.output_item.added" => {
                if let Some(Value::Object(item)) = event.get("item")
                    && !self.adopt(event, item)
                {
                    self.begin(event, item, feed)?;
                }
            }
            "response.output_item.done" => self.end(event, feed)?,
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                self.add_arguments(event, feed)?;
            }
            "response.function_call_arguments.done" => self.end_arguments(event, "arguments"),
            "response.custom_tool_call_input.done" => self.end_arguments(event, "input"),
            "response.output_text.delta" => {
                feed.text(0, delta);
                self.add_words(event, "text", feed)?;
            }
            "response.refusal.delta" => {
                feed.text(0, delta);
                self.add_words(event, "refusal", feed)?;
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                feed.reasoning(0, delta);
                self.add_words(event, "reasoning", feed)?;
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

    fn whole(&mut self) -> Whole {
        let mut items = std::mem::take(&mut self.items);
        if items.iter().all(|item| item.index.is_some()) {
            items.sort_by_key(|item| item.index);
        }
        let mut response = std::mem::take(&mut self.response);
        let told = response.shift_remove("output");
        let mut open = Vec::new();
        if !items.is_empty() || told.is_none() {
            let items = completed(items, told.as_ref());
            let calls = items.iter().filter(|item| item.call.is_some()).enumerate();
            let left = calls.filter(|(_, item)| !item.is_closed);
            open.extend(left.map(|(position, _)| (0, position)));
            let output: Vec<Value> = items.into_iter().map(Item::into_wire).collect();
            response.insert("output".to_owned(), output.into());
        } else {
            response.extend(told.map(|output| ("output".to_owned(), output)));
        }
        Whole {
            response,
            error: self.error.take(),
            open,
        }
    }
}
