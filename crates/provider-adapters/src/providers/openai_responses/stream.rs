//! Decoder of streamed responses.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Value, json};

use crate::decoded::read;
use crate::stream::{Accumulator, ArgumentBuffer, CompleteResponse, DeltaSink, PushError, append};
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
    is_done: bool,
    /// Whether only deltas were received, without an event for the item.
    is_implied: bool,
}

const CALLS: [&str; 2] = ["function_call", "custom_tool_call"];

impl Item {
    /// Creates an item that only the last event contains.
    fn complete_from(value: Object) -> Self {
        Self {
            call: CALLS.contains(&read::text(&value, "type")).then_some(0),
            value,
            is_closed: true,
            is_done: true,
            ..Self::default()
        }
    }

    /// Returns `true` if text of this kind can belong to the item.
    fn accepts_text_of(&self, kind: &str) -> bool {
        let own = read::text(&self.value, "type");
        (own == "message") == (kind == "message")
    }

    /// Returns `true` if none of the item's content was streamed.
    fn has_no_streamed_content(&self) -> bool {
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

/// Adds items to `streamed` that only the last event contains. A streamed item takes precedence,
/// unless none of its content was streamed.
fn merge_items(streamed: Vec<Item>, listed: Option<&Value>) -> Vec<Item> {
    let listed: Vec<&Object> = listed
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .collect();
    // Items before the first streamed item and after each one.
    let mut gaps: Vec<Vec<Item>> = Vec::new();
    gaps.resize_with(streamed.len() + 1, Vec::new);
    let mut whole: HashMap<usize, &Object> = HashMap::new();
    let mut gap = 0;
    for (item, place) in listed.iter().zip(places(&streamed, &listed)) {
        if let Some(place) = place {
            whole.insert(place, item);
            gap = place + 1;
        } else if let Some(gap) = gaps.get_mut(gap) {
            gap.push(Item::complete_from((*item).clone()));
        }
    }
    let mut gaps = gaps.into_iter();
    let mut items = gaps.next().unwrap_or_default();
    for ((place, item), after) in streamed.into_iter().enumerate().zip(gaps) {
        items.push(match whole.get(&place) {
            Some(listed) if item.has_no_streamed_content() && has_content(listed) => {
                Item::complete_from((*listed).clone())
            }
            _ => item,
        });
        items.extend(after);
    }
    items
}

/// Returns the index of the streamed item for each item of the last event. Items are paired by their ids, then by their
/// position, and then in order, because gateways change ids and omit items from the last event.
fn places(streamed: &[Item], listed: &[&Object]) -> Vec<Option<usize>> {
    let mut by_key: HashMap<String, VecDeque<usize>> = HashMap::new();
    for (place, item) in streamed.iter().enumerate() {
        for key in keys(&item.value, item.index).into_iter().flatten() {
            by_key.entry(key).or_default().push_back(place);
        }
    }
    let mut places = vec![None; listed.len()];
    let mut used = HashSet::new();
    let listed: Vec<_> = (0..)
        .zip(listed)
        .map(|(at, item)| keys(item, Some(at)))
        .collect();
    for rule in 0..RULES {
        for (place, keys) in places.iter_mut().zip(&listed) {
            let key = keys.get(rule).and_then(Option::as_ref);
            if let (None, Some(free)) = (*place, key.and_then(|key| by_key.get_mut(key))) {
                *place = std::iter::from_fn(|| free.pop_front()).find(|place| used.insert(*place));
            }
        }
    }
    places
}

/// Number of keys of an item.
const RULES: usize = 4;

/// Returns the keys by which an item is known. Only its ids tell a call from others.
fn keys(item: &Object, index: Option<u64>) -> [Option<String>; RULES] {
    let kind = read::text(item, "type");
    let named = |key: &str| {
        let name = read::text(item, key);
        (!name.is_empty()).then(|| format!("{kind} {key} {name}"))
    };
    let numbered = index.map(|index| format!("{kind} {index}"));
    let any = (!kind.contains("call")).then(|| kind.to_owned());
    [named("call_id"), named("id"), numbered, any]
}

fn has_content(item: &Object) -> bool {
    let is_filled = |value: &Value| match value {
        Value::Array(parts) => !parts.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => false,
    };
    ["content", "summary", "arguments", "input"]
        .iter()
        .any(|key| item.get(*key).is_some_and(is_filled))
}

#[cfg(test)]
mod tests;
