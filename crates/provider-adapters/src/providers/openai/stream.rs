//! Decoder of streamed responses.

mod told;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;

use serde_json::{Map, Value, json};

use self::told::{Told, ToldChoice, ToldMessage};
use super::decode::REASONING;
use crate::decoded::read;
use crate::stream::{Calls, Entry, Feed, Fold, PushError, Whole, append, merge};

/// Stream of Chat Completions from OpenAI or a compatible server.
#[derive(Debug, Default)]
pub(crate) struct Chat {
    choices: BTreeMap<u64, Choice>,
    usage: Option<Value>,
    error: Option<Value>,
    is_closed: bool,
}

#[derive(Debug, Default)]
struct Choice {
    message: Map<String, Value>,
    content: Vec<Value>,
    calls: Calls,
    /// Call in the legacy `function_call` format.
    function: Calls,
    finish_reason: Option<String>,
    error: Option<Value>,
}

impl Chat {
    pub(crate) fn fold() -> Box<dyn Fold> {
        Box::<Self>::default()
    }
}

impl Fold for Chat {
    fn take(&mut self, event: &Map<String, Value>, feed: &mut Feed<'_>) -> Result<(), PushError> {
        let told = Told::read(event);
        let error = match (told.error, told.choices) {
            (Some(error), _) => Some(error.clone()),
            (None, Some(_)) => None,
            (None, None) => bare_error(event),
        };
        self.error = error.or(self.error.take());
        if let Some(usage @ Value::Object(_)) = told.usage {
            self.usage = Some(usage.clone());
        }
        for (position, told) in (0..).zip(read::objects_in(told.choices)) {
            let told = ToldChoice::read(told);
            let index = told.index.unwrap_or(position);
            let choice = match self.choices.entry(index) {
                Slot::Occupied(known) => known.into_mut(),
                Slot::Vacant(new) => {
                    feed.part()?;
                    new.insert(Choice::default())
                }
            };
            choice.take(index, &told, feed)?;
        }
        Ok(())
    }

    fn close(&mut self) {
        self.is_closed = true;
    }

    fn has_ended(&self) -> bool {
        let mut choices = self.choices.values();
        let finished = !self.choices.is_empty() && choices.all(Choice::has_finished);
        self.is_closed || finished || self.error.is_some()
    }

    fn whole(&mut self) -> Whole {
        let mut whole = Whole::default();
        let choices = std::mem::take(&mut self.choices).into_values();
        let choices: Vec<Value> = choices
            .enumerate()
            .map(|(position, choice)| choice.into_wire(position, &mut whole.open))
            .collect();
        // A stream that ended without a choice or error is an empty response.
        if !choices.is_empty() || (self.error.is_none() && self.is_closed) {
            whole.response.insert("choices".to_owned(), choices.into());
        }
        for (key, told) in [("usage", &mut self.usage), ("error", &mut self.error)] {
            whole
                .response
                .extend(told.take().map(|value| (key.to_owned(), value)));
        }
        whole
    }
}

/// Returns an event that is itself an error, which some servers send instead of a chunk.
fn bare_error(event: &Map<String, Value>) -> Option<Value> {
    let is_error =
        !event.contains_key("choices") && event.get("message").is_some_and(Value::is_string);
    is_error.then(|| Value::Object(event.clone()))
}

impl Choice {
    fn has_finished(&self) -> bool {
        self.finish_reason.is_some() || self.error.is_some()
    }

    fn take(
        &mut self,
        at: u64,
        told: &ToldChoice<'_>,
        feed: &mut Feed<'_>,
    ) -> Result<(), PushError> {
        if let Some(error) = told.error {
            self.error = Some(error.clone());
        }
        // Servers that do not stream a response may send the complete message.
        if let Some(delta) = told.delta.or(told.message) {
            let told = ToldMessage::read(delta);
            if told.has_words {
                self.take_words(at, delta, feed)?;
            }
            self.take_calls(at, &told, feed)?;
        }
        if let Some(reason) = told.finish_reason.filter(|reason| !reason.is_empty()) {
            self.finish_reason = Some(reason.to_owned());
        }
        Ok(())
    }

    fn take_calls(
        &mut self,
        at: u64,
        told: &ToldMessage<'_>,
        feed: &mut Feed<'_>,
    ) -> Result<(), PushError> {
        self.calls.next_event();
        for entry in read::objects_in(told.calls) {
            self.calls.take(at, Entry::read(entry), feed)?;
        }
        if let Some(function) = told.function {
            let entry = Entry::read(function).at(Some(0));
            self.function.take(at, entry, feed)?;
        }
        Ok(())
    }

    fn take_words(
        &mut self,
        at: u64,
        delta: &Map<String, Value>,
        feed: &mut Feed<'_>,
    ) -> Result<(), PushError> {
        match delta.get("content") {
            Some(Value::String(text)) => self.add_text(at, text, feed)?,
            Some(Value::Array(chunks)) => {
                for chunk in chunks {
                    self.add_chunk(at, chunk, feed)?;
                }
            }
            _ => {}
        }
        let refusal = read::text(delta, "refusal");
        if !refusal.is_empty() {
            append(&mut self.message, "refusal", refusal);
            feed.text(at, refusal);
        }
        self.take_reasoning(at, delta, feed)
    }

    fn add_text(&mut self, at: u64, text: &str, feed: &mut Feed<'_>) -> Result<(), PushError> {
        feed.text(at, text);
        match self.content.last_mut() {
            Some(Value::String(last)) => last.push_str(text),
            _ if text.is_empty() => {}
            _ => {
                feed.part()?;
                self.content.push(text.into());
            }
        }
        Ok(())
    }

    /// Adds a chunk of Mistral content, where reasoning has separate chunks.
    fn add_chunk(&mut self, at: u64, chunk: &Value, feed: &mut Feed<'_>) -> Result<(), PushError> {
        let Value::Object(chunk) = chunk else {
            return Ok(());
        };
        match read::text(chunk, "type") {
            "text" => return self.add_text(at, read::text(chunk, "text"), feed),
            "thinking" => {}
            _ => return Ok(()),
        }
        let thought: String = read::objects(chunk, "thinking")
            .map(|part| read::text(part, "text"))
            .collect();
        feed.reasoning(at, &thought);
        match self.content.last_mut() {
            Some(Value::Object(last)) if last.get("closed") != Some(&true.into()) => {
                let mut more = chunk.clone();
                more.shift_remove("thinking");
                merge(last, Some(&Value::Object(more)));
                extend_thought(last, &thought);
            }
            _ => {
                feed.part()?;
                self.content.push(Value::Object(chunk.clone()));
            }
        }
        Ok(())
    }

    fn take_reasoning(
        &mut self,
        at: u64,
        delta: &Map<String, Value>,
        feed: &mut Feed<'_>,
    ) -> Result<(), PushError> {
        let mut is_shown = false;
        for key in REASONING {
            let text = read::text(delta, key);
            append(&mut self.message, key, text);
            if !is_shown {
                feed.reasoning(at, text);
            }
            is_shown |= !text.is_empty();
        }
        let opaque = read::text(delta, "reasoning_opaque");
        append(&mut self.message, "reasoning_opaque", opaque);
        for detail in read::objects(delta, "reasoning_details") {
            if !is_shown {
                feed.reasoning(at, read::text(detail, "text"));
                feed.reasoning(at, read::text(detail, "summary"));
            }
            self.add_detail(detail, feed)?;
        }
        Ok(())
    }

    /// Appends a detail to the last one if it continues it.
    fn add_detail(
        &mut self,
        detail: &Map<String, Value>,
        feed: &mut Feed<'_>,
    ) -> Result<(), PushError> {
        let key = "reasoning_details".to_owned();
        let details = self.message.entry(key).or_insert_with(|| json!([]));
        let Value::Array(details) = details else {
            return Ok(());
        };
        let continues = |last: &Map<String, Value>| {
            ["type", "index"]
                .iter()
                .all(|key| last.get(*key) == detail.get(*key))
                && read::text(detail, "type") != "reasoning.encrypted"
        };
        match details.last_mut() {
            Some(Value::Object(last)) if continues(last) => {
                let mut more = detail.clone();
                for key in ["text", "summary"] {
                    append(last, key, read::text(detail, key));
                    more.shift_remove(key);
                }
                merge(last, Some(&Value::Object(more)));
            }
            _ => {
                feed.part()?;
                details.push(Value::Object(detail.clone()));
            }
        }
        Ok(())
    }

    fn into_wire(mut self, position: usize, open: &mut Vec<(usize, usize)>) -> Value {
        let has_finished = self.has_finished();
        let calls = self.calls.into_wire();
        let calls = if calls.is_empty() {
            self.function.into_wire()
        } else {
            calls
        };
        if !has_finished {
            open.extend((0..calls.len()).map(|call| (position, call)));
        }
        let calls: Vec<Value> = calls.into_iter().map(|(call, _)| call).collect();
        self.message.insert("tool_calls".to_owned(), calls.into());
        let content = content(self.content);
        self.message.insert("content".to_owned(), content);
        json!({"message": self.message, "finish_reason": self.finish_reason, "error": self.error})
    }
}

fn extend_thought(chunk: &mut Map<String, Value>, thought: &str) {
    let last = match chunk.get_mut("thinking") {
        Some(Value::Array(parts)) => parts.last_mut().and_then(Value::as_object_mut),
        _ => None,
    };
    match last {
        Some(last) => append(last, "text", thought),
        None if thought.is_empty() => {}
        None => {
            let parts = json!([{"type": "text", "text": thought}]);
            chunk.insert("thinking".to_owned(), parts);
        }
    }
}

/// Returns a single text as a string, and several chunks as an array.
fn content(mut chunks: Vec<Value>) -> Value {
    match chunks.as_mut_slice() {
        [] => Value::Null,
        [text @ Value::String(_)] => text.take(),
        _ => chunks
            .into_iter()
            .map(|chunk| match chunk {
                Value::String(text) => json!({"type": "text", "text": text}),
                other => other,
            })
            .collect(),
    }
}
