//! Decoder of streamed responses. Each call arrives in one line.

use serde_json::{Value, json};

use super::decode::function;
use crate::decoded::read;
use crate::stream::{
    Accumulator, CompleteResponse, DeltaSink, PushError, append, copy_members, merge,
};
use crate::{Object, StreamError};

/// Stream of the chat endpoint.
#[derive(Debug, Default)]
pub(super) struct Chat {
    message: Object,
    calls: Vec<Value>,
    /// Other members of the response.
    members: Object,
    error: Option<StreamError>,
}

impl Chat {
    fn add(&mut self, message: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        for key in ["content", "thinking"] {
            append(&mut self.message, key, read::text(message, key));
        }
        sink.reasoning(0, read::text(message, "thinking"));
        sink.text(0, read::text(message, "content"));
        for call in read::objects(message, "tool_calls") {
            sink.count_part()?;
            let (number, called) = (self.calls.len(), function(call));
            sink.call(
                0,
                number,
                read::text(call, "id"),
                read::text(called, "name"),
            );
            let arguments = match called.get("arguments") {
                Some(Value::String(text)) => text.clone(),
                Some(value) => value.to_string(),
                None => String::new(),
            };
            sink.arguments(0, number, &arguments)?;
            self.calls.push(Value::Object(call.clone()));
        }
        Ok(())
    }
}

impl Accumulator for Chat {
    fn push(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        if let Some(error) = read::error(event) {
            self.error = Some(error);
        }
        if let Some(Value::Object(message)) = event.get("message") {
            self.add(message, sink)?;
        }
        let kept = ["done", "done_reason", "prompt_eval_count", "eval_count"];
        copy_members(&mut self.members, event, &kept);
        Ok(())
    }

    fn has_ended(&self) -> bool {
        self.members.get("done") == Some(&true.into()) || self.members.contains_key("done_reason")
    }

    fn finish(&mut self) -> CompleteResponse {
        let mut message = std::mem::take(&mut self.message);
        let calls = json!(std::mem::take(&mut self.calls));
        message.insert("tool_calls".to_owned(), calls);
        let mut response = Object::new();
        merge(&mut response, Some(&json!({"message": message})));
        response.append(&mut self.members);
        CompleteResponse {
            response,
            error: self.error.take(),
            open: Vec::new(),
        }
    }
}
