//! Decoder of streamed responses.

mod choice;
mod chunk;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::Value;

use self::choice::Choice;
use self::chunk::{Chunk, ChunkChoice};
use crate::Object;
use crate::decoded::read;
use crate::stream::{Accumulator, CompleteResponse, DeltaSink, PushError};

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
        let chunk = Chunk::read(event);
        let error = match (chunk.error, chunk.choices) {
            (Some(error), _) => Some(error.clone()),
            (None, Some(_)) => None,
            (None, None) => bare_error(event),
        };
        self.error = error.or(self.error.take());
        if let Some(usage @ Value::Object(_)) = chunk.usage {
            self.usage = Some(usage.clone());
        }
        for (position, choice) in (0..).zip(read::objects_in(chunk.choices)) {
            let chunk = ChunkChoice::read(choice);
            let index = chunk.index.unwrap_or(position);
            let choice = match self.choices.entry(index) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    sink.count_part()?;
                    new.insert(Choice::default())
                }
            };
            choice.push(index, &chunk, sink)?;
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

/// Returns an event that is itself an error, which some servers send instead of a chunk.
fn bare_error(event: &Object) -> Option<Value> {
    let is_error =
        !event.contains_key("choices") && event.get("message").is_some_and(Value::is_string);
    is_error.then(|| Value::Object(event.clone()))
}
