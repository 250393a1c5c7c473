//! Conversion of conversations.

use serde_json::{Map, Value, json};

use super::decode::{BLOCK, CITED, REASONING};
use crate::Block;
use crate::transcript::{
    AlternatingMessages, AssistantTurn, Conversation, TurnPart, WireResult, hoist_system,
};

pub(super) fn encode(conversation: &mut Conversation) -> Value {
    let system = hoist_system(conversation);
    let roles = AlternatingMessages {
        model: "assistant",
        block: content_block,
        results: |answers, conversation| {
            let results = answers.iter().map(|answer| result(answer, conversation));
            results.collect()
        },
        assistant,
    };
    let messages: Vec<Value> = (roles.of(conversation).into_iter())
        .map(|(role, content)| json!({"role": role, "content": content}))
        .collect();
    let mut body = Map::new();
    if !system.is_empty() {
        let texts: Value = system.iter().map(|text| json!({"text": text})).collect();
        body.insert("system".to_owned(), texts);
    }
    body.insert("messages".to_owned(), messages.into());
    Value::Object(body)
}

/// Adds a marker to the system message and to the end of the conversation.
pub(super) fn mark_for_cache(body: &mut Value) {
    let mark = || json!({"cachePoint": {"type": "default"}});
    if let Some(system) = body.get_mut("system").and_then(Value::as_array_mut) {
        system.push(mark());
    }
    let messages = body.get_mut("messages").and_then(Value::as_array_mut);
    let last = messages.and_then(|messages| messages.last_mut());
    let content = last.and_then(|message| message.get_mut("content"));
    if let Some(content) = content.and_then(Value::as_array_mut) {
        content.push(mark());
    }
}

fn content_block(block: &Block) -> Value {
    match block {
        Block::Image { media_type, data } => json!({"image": {
            "format": media_type.trim_start_matches("image/"),
            "source": {"bytes": data},
        }}),
        other if let Some((name, data)) = other.as_pdf() => json!({"document": {
            "format": "pdf",
            "name": document_name(name),
            "source": {"bytes": data},
        }}),
        other => json!({"text": other.to_text().unwrap_or_default()}),
    }
}

/// Replaces characters that Bedrock rejects in the names of documents.
fn document_name(name: &str) -> String {
    let is_allowed =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '(' | ')' | '[' | ']');
    name.trim_end_matches(".pdf")
        .chars()
        .map(|c| if is_allowed(c) { c } else { '-' })
        .collect()
}

/// Converts a turn. Its blocks keep their order, because reasoning is signed together with its position.
fn assistant(mut turn: AssistantTurn, conversation: &mut Conversation) -> Vec<Value> {
    let detail = "the provider only accepts its own reasoning";
    conversation.keep_own_reasoning(&mut turn, detail, |reasoning| {
        reasoning.is_kept(REASONING) || reasoning.is_kept(BLOCK)
    });
    let parts = turn.parts.into_iter();
    let blocks = parts.filter_map(|part| match part {
        TurnPart::Reasoning(reasoning) => reasoning.into_block(BLOCK),
        TurnPart::Text {
            data: Some(cited), ..
        } if cited.get(CITED).is_some() => Some(cited),
        // Bedrock rejects blank text blocks.
        TurnPart::Text { text, .. } if text.trim().is_empty() => None,
        TurnPart::Text { text, .. } => Some(json!({"text": text})),
        TurnPart::Call(call) => Some(json!({
            "toolUse": {"toolUseId": call.id, "name": call.name, "input": call.arguments},
        })),
    });
    blocks.collect()
}

fn result(answer: &WireResult, conversation: &Conversation) -> Value {
    let blocks = answer.content.iter().map(|block| match block {
        // Bedrock rejects JSON values other than objects.
        Block::Json { value } if value.is_object() => json!({"json": value}),
        other => content_block(other),
    });
    let mut content: Vec<Value> = blocks.collect();
    let mut result = Map::from_iter([("toolUseId".to_owned(), answer.id.as_str().into())]);
    // A result needs at least one block.
    if content.is_empty() {
        let text = if answer.is_error {
            "Error"
        } else {
            "[no output]"
        };
        content.push(json!({"text": text}));
    }
    let has_status = !conversation.model.without_error_status;
    if answer.is_error && !has_status {
        content.insert(0, json!({"text": "Error:"}));
    }
    result.insert("content".to_owned(), content.into());
    if answer.is_error && has_status {
        // Set the field only for errors, because some models reject it.
        result.insert("status".to_owned(), "error".into());
    }
    json!({"toolResult": result})
}
