//! Decoder of streamed responses.

use serde_json::{Map, Value, json};

use crate::StreamError;
use crate::decoded::read;
use crate::stream::{Blocks, Feed, Fold, PushError, Whole, append, merge};

/// Stream of Messages.
#[derive(Debug, Default)]
pub(super) struct Messages {
    blocks: Blocks,
    /// Stop reason, and other members of `message_delta`.
    told: Map<String, Value>,
    usage: Map<String, Value>,
    error: Option<StreamError>,
    has_ended: bool,
}

impl Messages {
    pub(super) fn fold() -> Box<dyn Fold> {
        Box::<Self>::default()
    }

    fn start(&mut self, event: &Map<String, Value>, feed: &mut Feed<'_>) -> Result<(), PushError> {
        let Some(Value::Object(given)) = event.get("content_block") else {
            return Ok(());
        };
        let block = self.blocks.begin(index(event), feed)?;
        block.value.clone_from(given);
        match read::text(given, "type") {
            "text" => feed.text(0, read::text(given, "text")),
            "thinking" => feed.reasoning(0, read::text(given, "thinking")),
            "tool_use" => {
                let call = self.blocks.name_call();
                feed.call(0, call, read::text(given, "id"), read::text(given, "name"));
            }
            _ => {}
        }
        Ok(())
    }

    fn add(&mut self, event: &Map<String, Value>, feed: &mut Feed<'_>) -> Result<(), PushError> {
        let Some(Value::Object(delta)) = event.get("delta") else {
            return Ok(());
        };
        let Some(block) = self.blocks.newest(index(event)) else {
            return Ok(());
        };
        match read::text(delta, "type") {
            "text_delta" => {
                let text = read::text(delta, "text");
                append(&mut block.value, "text", text);
                feed.text(0, text);
            }
            "thinking_delta" => {
                let text = read::text(delta, "thinking");
                append(&mut block.value, "thinking", text);
                feed.reasoning(0, text);
            }
            "signature_delta" => {
                append(
                    &mut block.value,
                    "signature",
                    read::text(delta, "signature"),
                );
            }
            "input_json_delta" => {
                let piece = read::text(delta, "partial_json");
                if let Some(call) = block.call {
                    feed.arguments(0, call, piece)?;
                    block.input.push(piece);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn index(event: &Map<String, Value>) -> Option<u64> {
    event.get("index").and_then(Value::as_u64)
}

impl Fold for Messages {
    fn take(&mut self, event: &Map<String, Value>, feed: &mut Feed<'_>) -> Result<(), PushError> {
        if let Some(error) = read::error(event) {
            self.error = Some(error);
        }
        match read::text(event, "type") {
            "message_start" => {
                let message = event.get("message");
                merge(
                    &mut self.usage,
                    message.and_then(|message| message.get("usage")),
                );
            }
            "content_block_start" => self.start(event, feed)?,
            "content_block_delta" => self.add(event, feed)?,
            "content_block_stop" => self.blocks.close(index(event)),
            "message_delta" => {
                merge(&mut self.told, event.get("delta"));
                merge(&mut self.usage, event.get("usage"));
            }
            "message_stop" => self.has_ended = true,
            _ => {}
        }
        Ok(())
    }

    fn has_ended(&self) -> bool {
        self.has_ended || self.told.contains_key("stop_reason")
    }

    fn whole(&mut self) -> Whole {
        let (content, open) = self.blocks.whole(|block| {
            if block.call.is_some() && !block.input.is_blank() {
                let input = std::mem::take(&mut block.input).into_value();
                block.value.insert("input".to_owned(), input);
            }
            Value::Object(std::mem::take(&mut block.value))
        });
        let mut response = std::mem::take(&mut self.told);
        response.insert("content".to_owned(), content);
        response.insert("usage".to_owned(), json!(self.usage));
        response.shift_remove("error");
        Whole {
            response,
            error: self.error.take(),
            open,
        }
    }
}
