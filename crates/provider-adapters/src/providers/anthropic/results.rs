//! Conversion of conversations.

use serde_json::{Map, Value, json};

use super::decode::{BLOCK, CITATIONS, SERVER_CALL, is_of_server};
use crate::transcript::{
    AlternatingMessages, AssistantTurn, Conversation, PDF, TurnPart, WireResult, hoist_system,
};
use crate::wire::with_member;
use crate::{Block, Reasoning};

pub(crate) fn encode(conversation: &mut Conversation) -> Value {
    let system = hoist_system(conversation);
    let roles = AlternatingMessages {
        model: "assistant",
        block,
        results: |answers, _| answers.iter().map(result).collect(),
        assistant,
    };
    let messages: Vec<Value> = (roles.of(conversation).into_iter())
        .map(|(role, content)| json!({"role": role, "content": shortest(content)}))
        .collect();
    let mut body = Map::new();
    if !system.is_empty() {
        body.insert("system".to_owned(), system.join("\n\n").into());
    }
    body.insert("messages".to_owned(), messages.into());
    Value::Object(body)
}

/// Marks the system message and the last block of the conversation.
pub(super) fn mark_for_cache(body: &mut Value) {
    if let Some(system) = body.get_mut("system") {
        mark_last_block(system);
    }
    let messages = body.get_mut("messages").and_then(Value::as_array_mut);
    let last = messages.and_then(|messages| messages.last_mut());
    if let Some(content) = last.and_then(|message| message.get_mut("content")) {
        mark_last_block(content);
    }
}

/// Marks the last block of a content, which may be a string. Reasoning cannot be marked.
fn mark_last_block(content: &mut Value) {
    if let Value::String(text) = content {
        *content = json!([{"type": "text", "text": text}]);
    }
    let blocks = content.as_array_mut().into_iter().flatten();
    let can_be_marked = |block: &&mut Value| {
        let kind = block.get("type").and_then(Value::as_str);
        !matches!(kind, Some("thinking" | "redacted_thinking"))
    };
    if let Some(Value::Object(block)) = blocks.filter(can_be_marked).last() {
        block.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
    }
}

/// Returns a single text block as a string.
fn shortest(mut content: Vec<Value>) -> Value {
    if let [only] = content.as_mut_slice()
        && only.get("type") == Some(&json!("text"))
        && let Some(text) = only.get_mut("text")
    {
        return text.take();
    }
    Value::Array(content)
}

fn block(block: &Block) -> Value {
    match block {
        Block::Image { media_type, data } => json!({
            "type": "image",
            "source": {"type": "base64", "media_type": media_type, "data": data},
        }),
        other if let Some((name, data)) = other.as_pdf() => json!({
            "type": "document",
            "title": name,
            "source": {"type": "base64", "media_type": PDF, "data": data},
        }),
        other => json!({"type": "text", "text": other.to_text().unwrap_or_default()}),
    }
}

/// Converts a turn. Its blocks keep their order, because reasoning is signed together with its position.
fn assistant(mut turn: AssistantTurn, conversation: &mut Conversation) -> Vec<Value> {
    let detail = "the provider only accepts reasoning with its own signature";
    conversation.keep_own_reasoning(&mut turn, detail, is_own);
    let parts = turn.parts.into_iter();
    let blocks = parts.filter_map(|part| match part {
        TurnPart::Reasoning(reasoning) => reasoning.into_block(BLOCK),
        // Anthropic rejects empty text blocks.
        TurnPart::Text { text, .. } if text.trim().is_empty() => None,
        TurnPart::Text { text, data } => {
            let words = json!({"type": "text", "text": text});
            Some(with_member(words, data.as_ref(), CITATIONS))
        }
        TurnPart::Call(call) => Some(json!({
            "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments,
        })),
    });
    blocks.collect()
}

/// Returns `true` if the block has the format of Anthropic. Other providers have different blocks.
fn is_own(reasoning: &Reasoning) -> bool {
    let Some(data) = &reasoning.provider_data else {
        return false;
    };
    let is_text = |key: &str| data.get(key).is_some_and(Value::is_string);
    match data.get("type").and_then(Value::as_str) {
        Some("thinking") => is_text("thinking") && is_text("signature"),
        Some("redacted_thinking") => is_text("data"),
        Some(SERVER_CALL) => {
            is_text("id") && is_text("name") && data.get("input").is_some_and(Value::is_object)
        }
        Some(kind) if is_of_server(kind) => is_text("tool_use_id"),
        Some(_) => false,
        None => {
            let block = data.get(BLOCK);
            block.is_some_and(|block| block.get("type") != Some(&"document".into()))
        }
    }
}

fn result(answer: &WireResult) -> Value {
    let mut result = Map::new();
    result.insert("type".to_owned(), "tool_result".into());
    result.insert("tool_use_id".to_owned(), answer.id.as_str().into());
    let content: Vec<Value> = answer.content.iter().map(block).collect();
    if !content.is_empty() {
        result.insert("content".to_owned(), shortest(content));
    }
    if answer.is_error {
        // Anthropic rejects errors without content.
        result.entry("content").or_insert_with(|| "Error".into());
        result.insert("is_error".to_owned(), true.into());
    }
    Value::Object(result)
}
