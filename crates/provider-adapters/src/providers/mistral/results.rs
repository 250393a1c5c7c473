//! Conversion of conversations.

use serde_json::{Map, Value, json};
use tool_core::LossKind;

use crate::transcript::{AssistantTurn, Conversation, Turn, TurnFields, WireResult, result_text};
use crate::{Block, providers::openai};

pub(super) fn encode(conversation: &mut Conversation) -> Value {
    let mut messages = Vec::new();
    for turn in std::mem::take(&mut conversation.turns) {
        match turn {
            Turn::System { text, .. } => messages.push(json!({"role": "system", "content": text})),
            Turn::User { pointer, blocks } => {
                let last: Option<&Value> = messages.last();
                if last.is_some_and(|message| message["role"] == "tool") {
                    messages.push(placeholder_reply(pointer, conversation));
                }
                messages.push(openai::user(&blocks));
            }
            Turn::Assistant(turn) => messages.extend(assistant(turn, conversation)),
            Turn::Results(answers) => messages.extend(answers.iter().map(result)),
        }
    }
    json!({"messages": messages})
}

/// Returns an assistant message to insert between results and a user message, because some models
/// reject that order.
fn placeholder_reply(pointer: String, conversation: &mut Conversation) -> Value {
    let detail = "the provider requires an assistant message between results and a user message; a short one is inserted";
    conversation.record_loss(pointer, "role", LossKind::Degraded, detail);
    json!({"role": "assistant", "content": "OK."})
}

fn assistant(mut turn: AssistantTurn, conversation: &mut Conversation) -> Option<Value> {
    let detail = "the provider only accepts reasoning from its own models";
    conversation.keep_own_reasoning(&mut turn, detail, is_own);
    if turn.parts.is_empty() {
        conversation.record_empty(turn.pointer);
        return None;
    }
    let TurnFields {
        reasoning,
        text,
        calls,
    } = turn.parts.into();
    let chunks = reasoning.into_iter().filter_map(|own| own.provider_data);
    let mut message = Map::from_iter([("role".to_owned(), "assistant".into())]);
    message.insert("content".to_owned(), content(chunks.collect(), text));
    if !calls.is_empty() {
        let calls: Value = calls.into_iter().map(openai::wire_call).collect();
        message.insert("tool_calls".to_owned(), calls);
    }
    Some(Value::Object(message))
}

fn content(mut chunks: Vec<Value>, text: String) -> Value {
    if chunks.is_empty() {
        return text.into();
    }
    if !text.is_empty() {
        chunks.push(json!({"type": "text", "text": text}));
    }
    Value::Array(chunks)
}

/// Returns `true` for a reasoning chunk in the format of Mistral. Other providers have different thinking
/// blocks.
fn is_own(chunk: &Value) -> bool {
    chunk.get("type").is_some_and(|kind| kind == "thinking")
        && chunk.get("thinking").is_some_and(Value::is_array)
}

fn result(answer: &WireResult) -> Value {
    let content = if answer.content.iter().any(Block::is_image) {
        let text = json!({"type": "text", "text": result_text(answer)});
        let images = answer.content.iter().filter_map(image);
        std::iter::once(text).chain(images).collect()
    } else {
        Value::String(result_text(answer))
    };
    json!({"role": "tool", "tool_call_id": answer.id, "name": answer.name, "content": content})
}

fn image(block: &Block) -> Option<Value> {
    match block {
        Block::Image { media_type, data } => {
            let url = openai::data_url(media_type, data);
            Some(json!({"type": "image_url", "image_url": {"url": url}}))
        }
        _ => None,
    }
}
