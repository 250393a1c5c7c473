//! Decoder of streamed responses. Each call arrives in one part.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::decode::is_text;
use crate::decoded::read;
use crate::stream::{
    Accumulator, CompleteResponse, DeltaSink, PushError, append, copy_members, merge,
};
use crate::{Object, StreamError};

/// Stream of `streamGenerateContent`.
#[derive(Debug, Default)]
pub(super) struct Contents {
    candidates: BTreeMap<u64, Candidate>,
    /// Other members of the response.
    members: Object,
    error: Option<StreamError>,
}

#[derive(Debug, Default)]
struct Candidate {
    parts: Vec<Value>,
    calls: usize,
    // Only Vertex streams calls in parts. Without the rest, such a call must not run.
    /// Calls with `willContinue`.
    open: Vec<usize>,
    members: Object,
}

impl Candidate {
    fn push(&mut self, at: u64, part: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        if let Some(Value::Object(call)) = part.get("functionCall") {
            return self.push_call(at, call, part, sink);
        }
        if !is_text(part) {
            sink.count_part()?;
            self.parts.push(Value::Object(part.clone()));
            return Ok(());
        }
        let text = read::text(part, "text");
        let is_thought = part.get("thought") == Some(&true.into());
        if is_thought {
            sink.reasoning(at, text);
        } else {
            sink.text(at, text);
        }
        if text.is_empty() && !part.contains_key("thoughtSignature") {
            return Ok(());
        }
        // A signed part must be sent back unchanged, so no text is added to it.
        let continues = |last: &Object| {
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
                sink.count_part()?;
                self.parts.push(Value::Object(part.clone()));
            }
        }
        Ok(())
    }

    fn push_call(
        &mut self,
        at: u64,
        call: &Object,
        part: &Object,
        sink: &mut DeltaSink<'_>,
    ) -> Result<(), PushError> {
        // Partial arguments are supported only by another API. A part without a name is not a call.
        if !call.contains_key("name") {
            return Ok(());
        }
        sink.count_part()?;
        if call.get("willContinue") == Some(&true.into()) {
            self.open.push(self.calls);
        }
        let (id, name) = (read::text(call, "id"), read::text(call, "name"));
        sink.call(at, self.calls, id, name);
        if let Some(arguments) = call.get("args") {
            sink.arguments(at, self.calls, &arguments.to_string());
        }
        self.calls += 1;
        self.parts.push(Value::Object(part.clone()));
        Ok(())
    }
}

impl Accumulator for Contents {
    fn push(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        if let Some(error) = read::error(event) {
            self.error = Some(error);
        }
        let kept = ["usageMetadata", "promptFeedback"];
        copy_members(&mut self.members, event, &kept);
        for (position, members) in (0..).zip(read::objects(event, "candidates")) {
            let index = read::number(members, "index").unwrap_or(position);
            if !self.candidates.contains_key(&index) {
                sink.count_part()?;
            }
            let candidate = self.candidates.entry(index).or_default();
            if let Some(Value::Object(content)) = members.get("content") {
                for part in read::objects(content, "parts") {
                    candidate.push(index, part, sink)?;
                }
            }
            let kept = ["finishReason", "finishMessage"];
            copy_members(&mut candidate.members, members, &kept);
        }
        Ok(())
    }

    fn has_ended(&self) -> bool {
        if self.candidates.is_empty() {
            let feedback = self.members.get("promptFeedback");
            return feedback.is_some_and(|feedback| feedback.get("blockReason").is_some());
        }
        let mut candidates = self.candidates.values();
        candidates.all(|candidate| candidate.members.contains_key("finishReason"))
    }

    fn finish(&mut self) -> CompleteResponse {
        let mut response = std::mem::take(&mut self.members);
        let mut open = Vec::new();
        let candidates = std::mem::take(&mut self.candidates).into_values();
        let candidates: Vec<Value> = candidates
            .enumerate()
            .map(|(position, mut candidate)| {
                open.extend(candidate.open.iter().map(|call| (position, *call)));
                let content = json!({"parts": candidate.parts});
                candidate.members.insert("content".to_owned(), content);
                Value::Object(candidate.members)
            })
            .collect();
        if !candidates.is_empty() {
            merge(&mut response, Some(&json!({"candidates": candidates})));
        }
        let unfinished =
            || StreamError::new("ended_early", "the stream ended before a call was complete");
        let error = (!open.is_empty()).then(unfinished);
        CompleteResponse {
            response,
            error: self.error.take().or(error),
            open,
        }
    }
}
