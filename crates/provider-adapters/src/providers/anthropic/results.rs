//! Conversion of conversations.

use serde_json::{Map, Value, json};
use tool_core::LossKind;

use crate::Block;
use crate::transcript::{Answer, AssistantTurn, Conversation, Roles, Turn, hoist_system};

pub(crate) fn encode(conversation: &mut Conversation) -> Value {
    let system = hoist_system(conversation);
    let mut roles = Roles::new("user", "assistant");
    for turn in std::mem::take(&mut conversation.turns) {
        match turn {
            Turn::System { .. } => {}
            Turn::User { blocks, .. } => roles.user(blocks.iter().map(block).collect()),
            Turn::Results(answers) => roles.user(answers.iter().map(result).collect()),
            Turn::Assistant(turn) => {
                let pointer = turn.pointer.clone();
                let content = assistant(turn, conversation);
                roles.model(content, &pointer, conversation);
            }
        }
    }
    let messages: Vec<Value> = roles
        .into_list(|| block(&Block::text("Continue.")), conversation)
        .into_iter()
        .map(|(role, content)| json!({"role": role, "content": shortest(content)}))
        .collect();
    let mut body = Map::new();
    if !system.is_empty() {
        body.insert("system".to_owned(), system.join("\n\n").into());
    }
    body.insert("messages".to_owned(), messages.into());
    Value::Object(body)
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
        other => json!({"type": "text", "text": other.to_text().unwrap_or_default()}),
    }
}

fn assistant(turn: AssistantTurn, conversation: &mut Conversation) -> Vec<Value> {
    conversation.lose_unreadable(&turn);
    let mut content = Vec::new();
    for (position, reasoning) in turn.reasoning.into_iter().enumerate() {
        match reasoning.provider_data.filter(is_signed) {
            Some(data) => content.push(data),
            None => conversation.lose(
                format!("{}/reasoning/{position}", turn.pointer),
                "reasoning",
                LossKind::Dropped,
                "the provider only accepts reasoning with its own signature",
            ),
        }
    }
    if !turn.text.trim().is_empty() {
        content.push(block(&Block::text(turn.text)));
    }
    for call in turn.calls {
        content.push(json!({
            "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments,
        }));
    }
    content
}

/// Returns `true` if the block has the format of Anthropic. Other providers have different thinking
/// blocks.
fn is_signed(data: &Value) -> bool {
    let is_text = |key: &str| data.get(key).is_some_and(Value::is_string);
    match data.get("type").and_then(Value::as_str) {
        Some("thinking") => is_text("thinking") && is_text("signature"),
        Some("redacted_thinking") => is_text("data"),
        _ => false,
    }
}

fn result(answer: &Answer) -> Value {
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
