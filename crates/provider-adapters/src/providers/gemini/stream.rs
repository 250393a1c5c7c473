//! Decoder of streamed responses. Each call arrives in one part.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::StreamError;
use crate::decoded::read;
use crate::stream::{Feed, Fold, PushError, Whole, append, merge};

/// Stream of `streamGenerateContent`.
#[derive(Debug, Default)]
pub(super) struct Contents {
    candidates: BTreeMap<u64, Candidate>,
    /// Other members of the response.
    told: Map<String, Value>,
    error: Option<StreamError>,
}

#[derive(Debug, Default)]
struct Candidate {
    parts: Vec<Value>,
    calls: usize,
    /// Calls with `willContinue`.
    open: Vec<usize>,
    told: Map<String, Value>,
}

impl Contents {
    pub(super) fn fold() -> Box<dyn Fold> {
        Box::<Self>::default()
    }
}

impl Candidate {
    fn take(
        &mut self,
        at: u64,
        part: &Map<String, Value>,
        feed: &mut Feed<'_>,
    ) -> Result<(), PushError> {
        if let Some(Value::Object(call)) = part.get("functionCall") {
            return self.take_call(at, call, part, feed);
        }
        let text = read::text(part, "text");
        let is_thought = part.get("thought") == Some(&true.into());
        if is_thought {
            feed.reasoning(at, text);
        } else {
            feed.text(at, text);
        }
        if text.is_empty() && !part.contains_key("thoughtSignature") {
            return Ok(());
        }
        let continues = |last: &Map<String, Value>| {
            last.contains_key("text")
                && !last.contains_key("thoughtSignature")
                && last.get("thought") == part.get("thought")
        };
        match self.parts.last_mut() {
            Some(Value::Object(last)) if continues(last) => {
                append(last, "text", text);
                let signature = part.get("thoughtSignature").cloned();
                last.extend(signature.map(|signature| ("thoughtSignature".to_owned(), signature)));
            }
            _ => {
                feed.part()?;
                self.parts.push(Value::Object(part.clone()));
            }
        }
        Ok(())
    }

    fn take_call(
        &mut self,
        at: u64,
        call: &Map<String, Value>,
        part: &Map<String, Value>,
        feed: &mut Feed<'_>,
    ) -> Result<(), PushError> {
        // Partial arguments are supported only by another API. A part without a name is not a call.
        if !call.contains_key("name") {
            return Ok(());
        }
        feed.part()?;
        if call.get("willContinue") == Some(&true.into()) {
            self.open.push(self.calls);
        }
        let (id, name) = (read::text(call, "id"), read::text(call, "name"));
        feed.call(at, self.calls, id, name);
        if let Some(arguments) = call.get("args") {
            feed.arguments(at, self.calls, &arguments.to_string())?;
        }
        self.calls += 1;
        self.parts.push(Value::Object(part.clone()));
        Ok(())
    }
}

impl Fold for Contents {
    fn take(&mut self, event: &Map<String, Value>, feed: &mut Feed<'_>) -> Result<(), PushError> {
        if let Some(error) = read::error(event) {
            self.error = Some(error);
        }
        for key in ["usageMetadata", "promptFeedback"] {
            let told = event.get(key).filter(|value| !value.is_null());
            self.told
                .extend(told.map(|value| (key.to_owned(), value.clone())));
        }
        for (position, told) in (0..).zip(read::objects(event, "candidates")) {
            let index = told.get("index").and_then(Value::as_u64);
            let index = index.unwrap_or(position);
            if !self.candidates.contains_key(&index) {
                feed.part()?;
            }
            let candidate = self.candidates.entry(index).or_default();
            if let Some(Value::Object(content)) = told.get("content") {
                for part in read::objects(content, "parts") {
                    candidate.take(index, part, feed)?;
                }
            }
            for key in ["finishReason", "finishMessage"] {
                let told = told.get(key).filter(|value| !value.is_null());
                let told = told.map(|value| (key.to_owned(), value.clone()));
                candidate.told.extend(told);
            }
        }
        Ok(())
    }

    fn has_ended(&self) -> bool {
        if self.candidates.is_empty() {
            let feedback = self.told.get("promptFeedback");
            return feedback.is_some_and(|feedback| feedback.get("blockReason").is_some());
        }
        let mut candidates = self.candidates.values();
        candidates.all(|candidate| candidate.told.contains_key("finishReason"))
    }

    fn whole(&mut self) -> Whole {
        let mut response = std::mem::take(&mut self.told);
        let mut open = Vec::new();
        let candidates = std::mem::take(&mut self.candidates).into_values();
        let candidates: Vec<Value> = candidates
            .enumerate()
            .map(|(position, mut candidate)| {
                open.extend(candidate.open.iter().map(|call| (position, *call)));
                let content = json!({"parts": candidate.parts});
                candidate.told.insert("content".to_owned(), content);
                Value::Object(candidate.told)
            })
            .collect();
        if !candidates.is_empty() {
            merge(&mut response, Some(&json!({"candidates": candidates})));
        }
        let unfinished =
            || StreamError::new("ended_early", "the stream ended before a call was complete");
        let error = (!open.is_empty()).then(unfinished);
        Whole {
            response,
            error: self.error.take().or(error),
            open,
        }
    }
}
