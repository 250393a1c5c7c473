//! Decoder of streamed responses.

use serde_json::{Value, json};

use super::PLAN;
use crate::decoded::read;
use crate::stream::{
    Accumulator, Blocks, CallChunk, Calls, CompleteResponse, DeltaSink, PushError, append, merge,
};
use crate::{Object, StreamError};

/// Stream of Chat, version 2.
#[derive(Debug, Default)]
pub(super) struct Chat {
    blocks: Blocks,
    plan: Object,
    calls: Calls,
    /// Members of the `message-end` event.
    reported: Object,
    error: Option<StreamError>,
    has_ended: bool,
}

impl Chat {
    fn add_content(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        let Some(Value::Object(content)) =
            message(event).and_then(|reported| reported.get("content"))
        else {
            return Ok(());
        };
        let block = self.blocks.open(read::number(event, "index"), sink)?;
        for (key, value) in content {
            match value {
                Value::String(text) if key == "text" || key == "thinking" => {
                    append(&mut block.value, key, text);
                }
                other => {
                    block.value.insert(key.clone(), other.clone());
                }
            }
        }
        sink.text(0, read::text(content, "text"));
        sink.reasoning(0, read::text(content, "thinking"));
        Ok(())
    }

    /// Adds a call delta. `tool_calls` is a single call instead of an array.
    fn add_call(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        let reported = message(event).and_then(|reported| reported.get("tool_calls"));
        let call = match reported {
            Some(Value::Array(calls)) => calls.first(),
            other => other,
        };
        let Some(Value::Object(call)) = call else {
            return Ok(());
        };
        self.calls.next_event();
        let entry = CallChunk::read(call).at(read::number(event, "index"));
        self.calls.push(0, entry, sink)
    }
}

fn message(event: &Object) -> Option<&Object> {
    event.get("delta")?.get("message")?.as_object()
}

impl Accumulator for Chat {
    fn push(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        match read::text(event, "type") {
            "content-start" | "content-delta" => self.add_content(event, sink)?,
            "content-end" => self.blocks.close(read::number(event, "index")),
            "tool-plan-delta" => {
                let plan = message(event).map_or("", |reported| read::text(reported, PLAN));
                append(&mut self.plan, PLAN, plan);
                sink.reasoning(0, plan);
            }
            "tool-call-start" | "tool-call-delta" => self.add_call(event, sink)?,
            "tool-call-end" => self.calls.close(read::number(event, "index")),
            "message-end" => {
                merge(&mut self.reported, event.get("delta"));
                self.has_ended = true;
            }
            _ => {
                let message = || read::optional_text(event, "message");
                let error = read::error(event)
                    .or_else(|| message().map(|message| StreamError::new("error", message)));
                self.error = error.or(self.error.take());
            }
        }
        Ok(())
    }

    fn has_ended(&self) -> bool {
        self.has_ended
    }

    fn finish(&mut self) -> CompleteResponse {
        let (content, _) = self
            .blocks
            .finish(|block| Value::Object(std::mem::take(&mut block.value)));
        let calls = std::mem::take(&mut self.calls).into_wire();
        let is_open =
            |(position, (_, is_open)): (usize, &(Value, bool))| is_open.then_some((0, position));
        let open = calls.iter().enumerate().filter_map(is_open).collect();
        let calls: Vec<Value> = calls.into_iter().map(|(call, _)| call).collect();
        let mut message = std::mem::take(&mut self.plan);
        message.extend([
            ("content".to_owned(), content),
            ("tool_calls".to_owned(), json!(calls)),
        ]);
        let mut response = std::mem::take(&mut self.reported);
        let reported = read::error(&response);
        response.shift_remove("error");
        response.insert("message".to_owned(), Value::Object(message));
        CompleteResponse {
            response,
            error: self.error.take().or(reported),
            open,
        }
    }
}
