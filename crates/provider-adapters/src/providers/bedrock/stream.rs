//! Decoder of streamed responses. Each event is an object with one member, as in the AWS SDKs.

use serde_json::{Value, json};

use super::decode::{exception, is_of_server};
use crate::decoded::read;
use crate::stream::{
    Accumulator, ArgumentBuffer, Block, Blocks, CompleteResponse, DeltaSink, PushError, append,
    merge,
};
use crate::{Object, StreamError};

/// Stream of Converse.
#[derive(Debug, Default)]
pub(super) struct Converse {
    blocks: Blocks,
    stop_reason: Option<String>,
    usage: Object,
    error: Option<StreamError>,
    has_ended: bool,
}

impl Converse {
    fn start(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        // Only calls and results have a start event; text and reasoning begin with their first delta.
        let Some(Value::Object(start)) = event.get("start").filter(|start| **start != json!({}))
        else {
            return Ok(());
        };
        let block = self
            .blocks
            .begin(read::number(event, "contentBlockIndex"), sink)?;
        let call = read::object(start, "toolUse").filter(|call| !is_of_server(call));
        let Some(call) = call else {
            block.value.clone_from(start);
            return Ok(());
        };
        block.value.clone_from(call);
        // Text blocks have no start event, so their first delta begins them.
        let number = self.blocks.name_call();
        let (id, name) = (read::text(call, "toolUseId"), read::text(call, "name"));
        sink.call(0, number, id, name);
        Ok(())
    }

    fn add(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        let Some(Value::Object(delta)) = event.get("delta") else {
            return Ok(());
        };
        let block = self
            .blocks
            .open(read::number(event, "contentBlockIndex"), sink)?;
        let text = read::text(delta, "text");
        append(&mut block.value, "text", text);
        sink.text(0, text);
        if let Some(Value::Array(items)) = delta.get("toolResult") {
            add_result(block, items);
        }
        if let (Some(Value::Object(call)), None) = (delta.get("toolUse"), block.call) {
            block.input.push(read::text(call, "input"));
        }
        if let (Some(Value::Object(call)), Some(number)) = (delta.get("toolUse"), block.call) {
            match call.get("input") {
                Some(Value::String(chunk)) => {
                    sink.arguments(0, number, chunk);
                    block.input.push(chunk);
                }
                Some(value) if !value.is_null() => {
                    sink.arguments(0, number, &value.to_string());
                    block.input.push_value(value);
                }
                _ => {}
            }
        }
        if let Some(Value::Object(content)) = delta.get("reasoningContent") {
            sink.reasoning(0, read::text(content, "text"));
            add_reasoning(block, content);
        }
        Ok(())
    }
}

/// Appends items to the content of a result.
fn add_result(block: &mut Block, items: &[Value]) {
    if let Some(Value::Object(result)) = block.value.get_mut("toolResult")
        && let Value::Array(content) = result.entry("content").or_insert_with(|| json!([]))
    {
        content.extend_from_slice(items);
    }
}

/// Adds the streamed input to a call that the service runs itself.
fn complete_server_call(value: &mut Object, input: ArgumentBuffer) {
    if let (Some(Value::Object(call)), false) = (value.get_mut("toolUse"), input.is_blank()) {
        let text = input.into_value();
        let parsed = text.as_str().map(serde_json::from_str);
        call.insert(
            "input".to_owned(),
            parsed.and_then(Result::ok).unwrap_or(text),
        );
    }
}

/// Appends text, signature or redacted content in the format of complete responses.
fn add_reasoning(block: &mut Block, delta: &Object) {
    let content = block.value.entry("reasoningContent");
    let Value::Object(content) = content.or_insert_with(|| json!({})) else {
        return;
    };
    let redacted = read::text(delta, "redactedContent");
    append(content, "redactedContent", redacted);
    if delta.contains_key("text") || delta.contains_key("signature") {
        let words = content.entry("reasoningText");
        if let Value::Object(words) = words.or_insert_with(|| json!({"text": ""})) {
            append(words, "text", read::text(delta, "text"));
            append(words, "signature", read::text(delta, "signature"));
        }
    }
}

impl Accumulator for Converse {
    fn push(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError> {
        let named = |key: &str| read::object(event, key);
        if let Some(event) = named("contentBlockStart") {
            self.start(event, sink)
        } else if let Some(event) = named("contentBlockDelta") {
            self.add(event, sink)
        } else if let Some(event) = named("contentBlockStop") {
            self.blocks.close(read::number(event, "contentBlockIndex"));
            Ok(())
        } else {
            if let Some(stop) = named("messageStop") {
                self.stop_reason = read::optional_text(stop, "stopReason");
                self.has_ended = true;
            } else if let Some(metadata) = named("metadata") {
                merge(&mut self.usage, metadata.get("usage"));
            } else if let Some(error) = read::error(event).or_else(|| exception(event)) {
                self.error = Some(error);
            }
            Ok(())
        }
    }

    fn has_ended(&self) -> bool {
        self.has_ended
    }

    fn finish(&mut self) -> CompleteResponse {
        let (content, open) = self.blocks.finish(|block| {
            let mut value = std::mem::take(&mut block.value);
            if block.call.is_none() {
                complete_server_call(&mut value, std::mem::take(&mut block.input));
                return Value::Object(value);
            }
            if !block.input.is_blank() {
                let input = std::mem::take(&mut block.input).into_value();
                value.insert("input".to_owned(), input);
            }
            json!({"toolUse": value})
        });
        let response = json!({
            "output": {"message": {"content": content}},
            "stopReason": self.stop_reason,
            "usage": self.usage,
        });
        CompleteResponse {
            response: response.as_object().cloned().unwrap_or_default(),
            error: self.error.take(),
            open,
        }
    }
}
