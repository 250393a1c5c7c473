//! Conversion of conversations to the messages of a sampling request.

use serde_json::{Map, Value, json};
use tool_core::ResourceContents;

use crate::Block;
use crate::transcript::{AssistantTurn, Conversation, Turn, TurnPart, WireResult, hoist_system};

pub(super) fn encode(conversation: &mut Conversation) -> Value {
    let system = hoist_system(conversation);
    let mut messages = Vec::new();
    for turn in std::mem::take(&mut conversation.turns) {
        let (role, content) = match turn {
            Turn::System { .. } => continue,
            Turn::User { blocks, .. } => ("user", blocks.iter().map(block).collect()),
            // Results are separate, because a message with results may not contain anything else.
            Turn::Results(answers) => ("user", answers.iter().map(result).collect()),
            Turn::Assistant(turn) => ("assistant", assistant(turn, conversation)),
        };
        if !content.is_empty() {
            messages.push(json!({"role": role, "content": shortest(content)}));
        }
    }
    let mut body = Map::new();
    if !system.is_empty() {
        body.insert("systemPrompt".to_owned(), system.join("\n\n").into());
    }
    body.insert("messages".to_owned(), messages.into());
    Value::Object(body)
}

/// Returns a single block without an array.
fn shortest(content: Vec<Value>) -> Value {
    match <[Value; 1]>::try_from(content) {
        Ok([only]) => only,
        Err(content) => Value::Array(content),
    }
}

fn block(block: &Block) -> Value {
    match block {
        Block::Image { media_type, data } => {
            json!({"type": "image", "data": data, "mimeType": media_type})
        }
        Block::Audio { media_type, data } => {
            json!({"type": "audio", "data": data, "mimeType": media_type})
        }
        Block::Resource {
            uri,
            media_type,
            contents,
        } => resource(uri, media_type.as_deref(), contents),
        other => json!({"type": "text", "text": other.to_text().unwrap_or_default()}),
    }
}

fn resource(uri: &str, media_type: Option<&str>, contents: &ResourceContents) -> Value {
    let (key, data) = match contents {
        ResourceContents::Text(text) => ("text", text),
        ResourceContents::Blob(data) => ("blob", data),
    };
    let mut resource = Map::from_iter([("uri".to_owned(), uri.into())]);
    resource.extend(media_type.map(|kind| ("mimeType".to_owned(), kind.into())));
    resource.insert(key.to_owned(), data.as_str().into());
    json!({"type": "resource", "resource": resource})
}

fn assistant(turn: AssistantTurn, conversation: &mut Conversation) -> Vec<Value> {
    conversation.record_unreadable(&turn);
    conversation.record_dropped_reasoning(&turn, "the protocol does not support reasoning");
    let parts = turn.parts.into_iter();
    let blocks = parts.filter_map(|part| match part {
        TurnPart::Reasoning(_) => None,
        TurnPart::Text(text) if text.trim().is_empty() => None,
        TurnPart::Text(text) => Some(block(&Block::text(text))),
        TurnPart::Call(call) => Some(json!({
            "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments,
        })),
    });
    let content: Vec<Value> = blocks.collect();
    if content.is_empty() {
        conversation.record_empty(turn.pointer);
    }
    content
}

/// Converts a result. A single JSON object is also sent as structured content.
fn result(answer: &WireResult) -> Value {
    let content: Vec<Value> = answer.content.iter().map(block).collect();
    let mut result = Map::new();
    result.insert("type".to_owned(), "tool_result".into());
    result.insert("toolUseId".to_owned(), answer.id.as_str().into());
    result.insert("content".to_owned(), content.into());
    if let [Block::Json { value }] = answer.content.as_slice()
        && value.is_object()
    {
        result.insert("structuredContent".to_owned(), value.clone());
    }
    if answer.is_error {
        result.insert("isError".to_owned(), true.into());
    }
    Value::Object(result)
}
