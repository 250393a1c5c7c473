//! Decoder of streamed responses.

use serde_json::{Value, json};

use super::decode::CITATIONS;
use crate::decoded::read;
use crate::stream::{Accumulator, Blocks, CompleteResponse, DeltaSink, PushError, append, merge};
use crate::{Object, StreamError};

/// Stream of Messages.
#[derive(Debug, Default)]
pub(super) struct Messages {
    blocks: Blocks,
    /// Stop reason, and other members of `message_delta`.
    members: Object,
    usage: Object,
    error: Option<StreamError>,
    has_ended: bool,
}

impl Messages {
    fn start(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        let Some(Value::Object(start)) = event.get("content_block") else {
            return Ok(());
        };
        let block = self.blocks.begin(read::number(event, "index"), sink)?;
        block.value.clone_from(start);
        match read::text(start, "type") {
            "text" => sink.text(0, read::text(start, "text")),
            "thinking" => sink.reasoning(0, read::text(start, "thinking")),
            "tool_use" => {
                let call = self.blocks.name_call();
                sink.call(0, call, read::text(start, "id"), read::text(start, "name"));
            }
            _ => {}
        }
        Ok(())
    }

    fn add(&mut self, event: &Object, sink: &mut DeltaSink<'_>) {
        let Some(Value::Object(delta)) = event.get("delta") else {
            return;
        };
        let Some(block) = self.blocks.newest(read::number(event, "index")) else {
            return;
        };
        match read::text(delta, "type") {
            "text_delta" => {
                let text = read::text(delta, "text");
                append(&mut block.value, "text", text);
                sink.text(0, text);
            }
            "thinking_delta" => {
                let text = read::text(delta, "thinking");
                append(&mut block.value, "thinking", text);
                sink.reasoning(0, text);
            }
            "signature_delta" => {
                let signature = read::text(delta, "signature");
                append(&mut block.value, "signature", signature);
            }
            "input_json_delta" => {
                let chunk = read::text(delta, "partial_json");
                if let Some(call) = block.call {
                    sink.arguments(0, call, chunk);
                }
                block.input.push(chunk);
            }
            "citations_delta" => {
                if let Some(citation) = delta.get("citation") {
                    push_item(&mut block.value, CITATIONS, citation.clone());
                }
            }
            // The text of a block of an unknown kind, which is sent back as a whole.
            _ => {
                let texts = delta.iter().filter(|(key, _)| *key != "type");
                for (key, value) in texts {
                    append(&mut block.value, key, value.as_str().unwrap_or_default());
                }
            }
        }
    }
}

/// Appends an item to an array member, which the start event may omit or set to null.
fn push_item(block: &mut Object, key: &str, item: Value) {
    match block.get_mut(key) {
        Some(Value::Array(items)) => items.push(item),
        _ => {
            block.insert(key.to_owned(), json!([item]));
        }
    }
}

/// Returns the arguments of a call that the provider runs itself as it expects them back.
fn parsed(input: Value) -> Value {
    let value = input.as_str().map(serde_json::from_str);
    value.and_then(Result::ok).unwrap_or(input)
}

impl Accumulator for Messages {
    fn push(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        if let Some(error) = read::error(event) {
            self.error = Some(error);
        }
        match read::text(event, "type") {
            "message_start" => {
                let usage = event
                    .get("message")
                    .and_then(|message| message.get("usage"));
                merge(&mut self.usage, usage);
            }
            "content_block_start" => self.start(event, sink)?,
            "content_block_delta" => self.add(event, sink),
            // Other events, such as `ping`, and new ones are skipped: Anthropic adds events within a version.
            "content_block_stop" => self.blocks.close(read::number(event, "index")),
            "message_delta" => {
                merge(&mut self.members, event.get("delta"));
                merge(&mut self.usage, event.get("usage"));
            }
            "message_stop" => self.has_ended = true,
            _ => {}
        }
        Ok(())
    }

    fn has_ended(&self) -> bool {
        // A stop reason is enough: a stream without `message_stop` still contains the complete response.
        self.has_ended || self.members.contains_key("stop_reason")
    }

    fn finish(&mut self) -> CompleteResponse {
        let (content, open) = self.blocks.finish(|block| {
            // Without deltas, or with empty ones only, the input is that of the start event, normally `{}`.
            if !block.input.is_blank() {
                let input = std::mem::take(&mut block.input).into_value();
                let input = match block.call {
                    Some(_) => input,
                    None => parsed(input),
                };
                block.value.insert("input".to_owned(), input);
            }
            Value::Object(std::mem::take(&mut block.value))
        });
        let mut response = std::mem::take(&mut self.members);
        response.insert("content".to_owned(), content);
        response.insert("usage".to_owned(), json!(self.usage));
        response.shift_remove("error");
        CompleteResponse {
            response,
            error: self.error.take(),
            open,
        }
    }
}
