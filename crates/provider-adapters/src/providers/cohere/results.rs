//! Conversion of conversations.

use serde_json::{Map, Value, json};
use tool_core::LossKind;

use super::PLAN;
use crate::transcript::{AssistantTurn, Conversation, Turn, TurnFields, WireResult, result_text};
use crate::{Block, Reasoning, providers::openai};

pub(super) fn encode(conversation: &mut Conversation) -> Value {
    let mut messages = Vec::new();
    for turn in std::mem::take(&mut conversation.turns) {
        match turn {
            Turn::System { text, .. } => messages.push(json!({"role": "system", "content": text})),
            Turn::User { blocks, .. } => messages.push(openai::user(&blocks)),
            Turn::Assistant(turn) => messages.extend(assistant(turn, conversation)),
            Turn::Results(answers) => {
                messages.extend(answers.iter().map(result));
                let images = openai::image_turn(&answers, conversation);
                messages.extend(images.map(|blocks| openai::user(&blocks)));
            }
        }
    }
    json!({"messages": messages})
}

fn assistant(turn: AssistantTurn, conversation: &mut Conversation) -> Option<Value> {
    let (plan, thoughts) = thoughts(&turn, conversation);
    let TurnFields { text, calls, .. } = turn.parts.into();
    let content = content(thoughts, text);
    if content.is_none() && calls.is_empty() {
        conversation.record_empty(turn.pointer);
        return None;
    }
    let mut message = Map::from_iter([("role".to_owned(), "assistant".into())]);
    message.extend(plan.map(|plan| (PLAN.to_owned(), plan.into())));
    message.extend(content.map(|content| ("content".to_owned(), content)));
    if !calls.is_empty() {
        let calls: Value = calls.into_iter().map(openai::wire_call).collect();
        message.insert("tool_calls".to_owned(), calls);
    }
    Some(Value::Object(message))
}

/// Returns the plan before the calls, and the parts that contain reasoning.
fn thoughts(turn: &AssistantTurn, conversation: &mut Conversation) -> (Option<String>, Vec<Value>) {
    let mut plan = None;
    let mut parts = Vec::new();
    for (position, reasoning) in turn.reasoning().enumerate() {
        match kind(reasoning) {
            Some(PLAN) if turn.calls().next().is_some() => plan = Some(reasoning.text.clone()),
            Some("thinking") => {
                parts.push(json!({"type": "thinking", "thinking": reasoning.text}));
            }
            _ => conversation.record_loss(
                format!("{}/reasoning/{position}", turn.pointer),
                "reasoning",
                LossKind::Dropped,
                "the provider only accepts reasoning from its own models",
            ),
        }
    }
    (plan, parts)
}

/// Returns text without reasoning as a string, otherwise an array of parts.
fn content(mut parts: Vec<Value>, text: String) -> Option<Value> {
    match (parts.is_empty(), text.is_empty()) {
        (true, true) => None,
        (true, false) => Some(text.into()),
        (false, true) => Some(parts.into()),
        (false, false) => {
            parts.push(json!({"type": "text", "text": text}));
            Some(parts.into())
        }
    }
}

/// Returns the kind of the provider's own reasoning. Reasoning of other providers has a signature
/// or another format.
fn kind(reasoning: &Reasoning) -> Option<&str> {
    let data = reasoning.provider_data.as_ref()?;
    let is_foreign =
        data.get("signature").is_some() || data.get("thinking").is_some_and(Value::is_array);
    data.get("type")?.as_str().filter(|_| !is_foreign)
}

/// Converts a result. JSON objects are sent as documents, which the model can cite.
fn result(answer: &WireResult) -> Value {
    let documents: Option<Vec<Value>> = answer.content.iter().map(document).collect();
    let content = match documents {
        Some(documents) if !answer.is_error && !documents.is_empty() => Value::Array(documents),
        _ => Value::String(result_text(answer)),
    };
    json!({"role": "tool", "tool_call_id": answer.id, "content": content})
}

fn document(block: &Block) -> Option<Value> {
    match block {
        Block::Json { value } if value.is_object() => {
            Some(json!({"type": "document", "document": {"data": value}}))
        }
        _ => None,
    }
}
