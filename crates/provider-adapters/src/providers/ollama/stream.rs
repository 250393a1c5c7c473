//! Decoder of streamed responses. Each call arrives in one line.

use serde_json::{Map, Value, json};

use super::decode::function;
use crate::StreamError;
use crate::decoded::read;
use crate::stream::{Feed, Fold, PushError, Whole, append, merge};

/// Stream of the chat endpoint.
#[derive(Debug, Default)]
pub(super) struct Chat {
    message: Map<String, Value>,
    calls: Vec<Value>,
    /// Other members of the response.
    told: Map<String, Value>,
    error: Option<StreamError>,
}

impl Chat {
    pub(super) fn fold() -> Box<dyn Fold> {
        Box::<Self>::default()
    }

    fn add(&mut self, message: &Map<String, Value>, feed: &mut Feed<'_>) -> Result<(), PushError> {
        for key in ["content", "thinking"] {
            append(&mut self.message, key, read::text(message, key));
        }
        feed.reasoning(0, read::text(message, "thinking"));
        feed.text(0, read::text(message, "content"));
        for call in read::objects(message, "tool_calls") {
            feed.part()?;
            let (number, called) = (self.calls.len(), function(call));
            feed.call(
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
            feed.arguments(0, number, &arguments)?;
            self.calls.push(Value::Object(call.clone()));
        }
        Ok(())
    }
}

impl Fold for Chat {
    fn take(&mut self, event: &Map<String, Value>, feed: &mut Feed<'_>) -> Result<(), PushError> {
        if let Some(error) = read::error(event) {
            self.error = Some(error);
        }
        if let Some(Value::Object(message)) = event.get("message") {
            self.add(message, feed)?;
        }
        for key in ["done", "done_reason", "prompt_eval_count", "eval_count"] {
            let told = event.get(key).filter(|value| !value.is_null());
            self.told
                .extend(told.map(|value| (key.to_owned(), value.clone())));
        }
        Ok(())
    }

    fn has_ended(&self) -> bool {
        self.told.get("done") == Some(&true.into()) || self.told.contains_key("done_reason")
    }

    fn whole(&mut self) -> Whole {
        let mut message = std::mem::take(&mut self.message);
        let calls = json!(std::mem::take(&mut self.calls));
        message.insert("tool_calls".to_owned(), calls);
        let mut response = Map::new();
        merge(&mut response, Some(&json!({"message": message})));
        response.append(&mut self.told);
        Whole {
            response,
            error: self.error.take(),
            open: Vec::new(),
        }
    }
}
