//! Results out.

use serde_json::{Map, Value, json};
use tool_core::LossAction;

use super::PLAN;
use crate::encode::{Answer, AssistantTurn, Conversation, Turn, answer_text};
use crate::{Block, Reasoning, openai};

pub(super) fn encode(conversation: &mut Conversation) -> Value {
    let mut messages = Vec::new();
    for turn in std::mem::take(&mut conversation.turns) {
        match turn {
            Turn::System(text) => messages.push(json!({"role": "system", "content": text})),
            Turn::User(blocks) => messages.push(openai::user(&blocks)),
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
    let mut message = Map::from_iter([("role".to_owned(), "assistant".into())]);
    let mut content = Vec::new();
    for (position, reasoning) in turn.reasoning.iter().enumerate() {
        match kind(reasoning) {
            Some(PLAN) if !turn.calls.is_empty() => {
                message.insert(PLAN.to_owned(), reasoning.text.as_str().into());
            }
            Some("thinking") => {
                content.push(json!({"type": "thinking", "thinking": reasoning.text}));
            }
            _ => conversation.lose(
                format!("{}/reasoning/{position}", turn.pointer),
                "reasoning",
                LossAction::Dropped,
                "the provider takes back only what its own models thought",
            ),
        }
    }
    if !content.is_empty() && !turn.text.is_empty() {
        content.push(json!({"type": "text", "text": turn.text}));
    }
    if !content.is_empty() {
        message.insert("content".to_owned(), content.into());
    } else if !turn.text.is_empty() {
        message.insert("content".to_owned(), turn.text.into());
    } else if turn.calls.is_empty() {
        let detail = "an empty message of the model is left out";
        conversation.lose(turn.pointer, "content", LossAction::Dropped, detail);
        return None;
    }
    if !turn.calls.is_empty() {
        let calls: Value = turn.calls.into_iter().map(openai::wire_call).collect();
        message.insert("tool_calls".to_owned(), calls);
    }
    Some(Value::Object(message))
}

/// Which of the provider's own kinds of reasoning this is; others sign theirs or have another shape.
fn kind(reasoning: &Reasoning) -> Option<&str> {
    let data = reasoning.provider_data.as_ref()?;
    let is_foreign =
        data.get("signature").is_some() || data.get("thinking").is_some_and(Value::is_array);
    data.get("type")?.as_str().filter(|_| !is_foreign)
}

/// Values go as documents, which the model can cite.
fn result(answer: &Answer) -> Value {
    let documents: Option<Vec<Value>> = answer.content.iter().map(document).collect();
    let content = match documents {
        Some(documents) if !answer.is_error && !documents.is_empty() => Value::Array(documents),
        _ => Value::String(answer_text(answer)),
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
