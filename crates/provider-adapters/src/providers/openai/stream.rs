//! Decoder of streamed responses.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::{Value, json};

use crate::Object;
use crate::decoded::read;
use crate::providers::openai::decode::REASONING;
use crate::stream::{
    Accumulator, CallChunk, Calls, CompleteResponse, DeltaSink, PushError, append, merge,
};

/// Stream of Chat Completions from OpenAI or a compatible server.
#[derive(Debug, Default)]
pub(crate) struct Chat {
    choices: BTreeMap<u64, Choice>,
    usage: Option<Value>,
    error: Option<Value>,
    is_closed: bool,
}

impl Accumulator for Chat {
    fn push(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        let error = non_null(event, "error").cloned();
        let error = error.or_else(|| bare_error(event));
        self.error = error.or(self.error.take());
        if let Some(usage @ Value::Object(_)) = event.get("usage") {
            self.usage = Some(usage.clone());
        }
        for (position, chunk) in (0..).zip(read::objects(event, "choices")) {
            let index = read::number(chunk, "index").unwrap_or(position);
            let choice = match self.choices.entry(index) {
                Entry::Occupied(known) => known.into_mut(),
                // Azure sends a first chunk without choices, so a choice begins with its first chunk.
                Entry::Vacant(new) => {
                    sink.count_part()?;
                    new.insert(Choice::default())
                }
            };
            choice.push(index, chunk, sink)?;
        }
        Ok(())
    }

    fn close(&mut self) {
        self.is_closed = true;
    }

    fn has_ended(&self) -> bool {
        let mut choices = self.choices.values();
        // Some servers omit `[DONE]`, so finish reasons count as the end too.
        let finished = !self.choices.is_empty() && choices.all(Choice::has_finished);
        self.is_closed || finished || self.error.is_some()
    }

    fn finish(&mut self) -> CompleteResponse {
        let mut response = CompleteResponse::default();
        let choices = std::mem::take(&mut self.choices).into_values();
        let choices: Vec<Value> = choices
            .enumerate()
            .map(|(position, choice)| choice.into_wire(position, &mut response.open))
            .collect();
        // A stream that ended without a choice or error is an empty response.
        if !choices.is_empty() || (self.error.is_none() && self.is_closed) {
            response
                .response
                .insert("choices".to_owned(), choices.into());
        }
        for (key, value) in [("usage", &mut self.usage), ("error", &mut self.error)] {
            response
                .response
                .extend(value.take().map(|value| (key.to_owned(), value)));
        }
        response
    }
}

/// Returns a member that is present and not null.
fn non_null<'o>(object: &'o Object, key: &str) -> Option<&'o Value> {
    object.get(key).filter(|value| !value.is_null())
}

/// Returns an event that is itself an error, which some servers send instead of a chunk.
fn bare_error(event: &Object) -> Option<Value> {
    let is_error =
        !event.contains_key("choices") && event.get("message").is_some_and(Value::is_string);
    is_error.then(|| Value::Object(event.clone()))
}

/// Choice that is being streamed.
#[derive(Debug, Default)]
struct Choice {
    message: Object,
    content: Vec<Value>,
    calls: Calls,
    /// Call in the legacy `function_call` format.
    function: Calls,
    finish_reason: Option<String>,
    error: Option<Value>,
}

impl Choice {
    fn has_finished(&self) -> bool {
        self.finish_reason.is_some() || self.error.is_some()
    }

    /// Adds the members of a chunk.
    fn push(&mut self, at: u64, chunk: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        if let Some(error) = non_null(chunk, "error") {
            self.error = Some(error.clone());
        }
        // Servers that do not stream a response may send the complete message.
        let delta = read::object(chunk, "delta").or_else(|| read::object(chunk, "message"));
        if let Some(delta) = delta {
            self.push_content(at, delta, sink)?;
            self.push_calls(at, delta, sink)?;
        }
        let reason = read::optional_text(chunk, "finish_reason");
        self.finish_reason = reason
            .filter(|reason| !reason.is_empty())
            .or(self.finish_reason.take());
        Ok(())
    }

    fn push_calls(
        &mut self,
        at: u64,
        delta: &Object,
        sink: &mut DeltaSink<'_>,
    ) -> Result<(), PushError> {
        self.calls.next_event();
        for entry in read::objects(delta, "tool_calls") {
            self.calls.push(at, CallChunk::read(entry), sink)?;
        }
        if let Some(function) = read::object(delta, "function_call") {
            // The legacy form has a single call and no index.
            let entry = CallChunk::read(function).at(Some(0));
            self.function.push(at, entry, sink)?;
        }
        Ok(())
    }

    fn push_content(
        &mut self,
        at: u64,
        delta: &Object,
        sink: &mut DeltaSink<'_>,
    ) -> Result<(), PushError> {
        match delta.get("content") {
            Some(Value::String(text)) => self.add_text(at, text, sink)?,
            Some(Value::Array(chunks)) => {
                for chunk in chunks {
                    self.add_chunk(at, chunk, sink)?;
                }
            }
            _ => {}
        }
        let refusal = read::text(delta, "refusal");
        if !refusal.is_empty() {
            append(&mut self.message, "refusal", refusal);
            sink.text(at, refusal);
        }
        self.push_reasoning(at, delta, sink)
    }

    fn add_text(&mut self, at: u64, text: &str, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        sink.text(at, text);
        match self.content.last_mut() {
            Some(Value::String(last)) => last.push_str(text),
            _ if text.is_empty() => {}
            _ => {
                sink.count_part()?;
                self.content.push(text.into());
            }
        }
        Ok(())
    }

    /// Adds a chunk of Mistral content, where reasoning has separate chunks.
    fn add_chunk(
        &mut self,
        at: u64,
        chunk: &Value,
        sink: &mut DeltaSink<'_>,
    ) -> Result<(), PushError> {
        let Value::Object(chunk) = chunk else {
            return Ok(());
        };
        match read::text(chunk, "type") {
            "text" => return self.add_text(at, read::text(chunk, "text"), sink),
            "thinking" => {}
            // References and other kinds arrive whole.
            _ => {
                sink.count_part()?;
                self.content.push(Value::Object(chunk.clone()));
                return Ok(());
            }
        }
        let thought: String = read::objects(chunk, "thinking")
            .map(|part| read::text(part, "text"))
            .collect();
        sink.reasoning(at, &thought);
        match self.content.last_mut() {
            Some(Value::Object(last))
                if read::text(last, "type") == "thinking"
                    && last.get("closed") != Some(&true.into()) =>
            {
                let mut more = chunk.clone();
                more.shift_remove("thinking");
                merge(last, Some(&Value::Object(more)));
                extend_thought(last, &thought);
            }
            _ => {
                sink.count_part()?;
                self.content.push(Value::Object(chunk.clone()));
            }
        }
        Ok(())
    }

    fn push_reasoning(
        &mut self,
        at: u64,
        delta: &Object,
        sink: &mut DeltaSink<'_>,
    ) -> Result<(), PushError> {
        // The same text can be under several of these names, and is shown once.
        let mut is_shown = false;
        for key in REASONING {
            let text = read::text(delta, key);
            append(&mut self.message, key, text);
            if delta.get(key).is_some_and(Value::is_string) {
                // An empty text is kept too, because the server may require it back.
                self.message.entry(key).or_insert_with(|| "".into());
            }
            if !is_shown {
                sink.reasoning(at, text);
            }
            is_shown |= !text.is_empty();
        }
        let opaque = read::text(delta, "reasoning_opaque");
        append(&mut self.message, "reasoning_opaque", opaque);
        for detail in read::objects(delta, "reasoning_details") {
            if !is_shown {
                sink.reasoning(at, read::text(detail, "text"));
                sink.reasoning(at, read::text(detail, "summary"));
            }
            self.add_detail(detail, sink)?;
        }
        Ok(())
    }

    /// Appends a detail to the last one if it continues it.
    fn add_detail(&mut self, detail: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        let key = "reasoning_details".to_owned();
        let details = self.message.entry(key).or_insert_with(|| json!([]));
        let Value::Array(details) = details else {
            return Ok(());
        };
        let continues = |last: &Object| {
            ["type", "index"]
                .iter()
                .all(|key| last.get(*key) == detail.get(*key))
                // Encrypted data must be sent back as received, so it is never joined.
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
                sink.count_part()?;
                details.push(Value::Object(detail.clone()));
            }
        }
        Ok(())
    }

    /// Returns the choice as in a complete response. Adds calls that may be incomplete to `open`.
    fn into_wire(mut self, position: usize, open: &mut Vec<(usize, usize)>) -> Value {
        let has_finished = self.has_finished();
        let (mut calls, _) = self.calls.into_wire();
        if calls.is_empty() {
            (calls, _) = self.function.into_wire();
        }
        if !has_finished {
            open.extend((0..calls.len()).map(|call| (position, call)));
        }
        self.message.insert("tool_calls".to_owned(), calls.into());
        let content = content(self.content);
        self.message.insert("content".to_owned(), content);
        json!({"message": self.message, "finish_reason": self.finish_reason, "error": self.error})
    }
}

fn extend_thought(chunk: &mut Object, thought: &str) {
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
