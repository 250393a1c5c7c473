//! Conversion of conversations.

use serde_json::{Map, Value, json};

use crate::Block;
use crate::transcript::{
    AssistantTurn, Conversation, Turn, TurnFields, WireCall, WireResult, joined, result_text,
};

pub(crate) fn encode(conversation: &mut Conversation) -> Value {
    let mut messages = Vec::new();
    for turn in std::mem::take(&mut conversation.turns) {
        match turn {
            Turn::System { text, .. } => messages.push(json!({"role": "system", "content": text})),
            Turn::User { blocks, .. } => messages.push(with_images(
                json!({"role": "user", "content": joined(&blocks)}),
                &blocks,
            )),
            Turn::Assistant(turn) => messages.push(assistant(turn, conversation)),
            Turn::Results(answers) => messages.extend(answers.iter().map(result)),
        }
    }
    json!({"messages": messages})
}

fn with_images(mut message: Value, blocks: &[Block]) -> Value {
    let images: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::Image { data, .. } => Some(data.as_str()),
            _ => None,
        })
        .collect();
    if let (false, Value::Object(message)) = (images.is_empty(), &mut message) {
        message.insert("images".to_owned(), images.into());
    }
    message
}

fn assistant(turn: AssistantTurn, conversation: &mut Conversation) -> Value {
    conversation.record_unreadable(&turn);
    let TurnFields {
        reasoning,
        text,
        calls,
    } = turn.parts.into();
    let mut message = Map::new();
    message.insert("role".to_owned(), "assistant".into());
    message.insert("content".to_owned(), text.into());
    let thoughts: Vec<&str> = reasoning
        .iter()
        .map(|reasoning| reasoning.text.as_str())
        .filter(|text| !text.is_empty())
        .collect();
    if !thoughts.is_empty() {
        message.insert("thinking".to_owned(), thoughts.join("\n").into());
    }
    if !calls.is_empty() {
        let calls: Value = calls.into_iter().map(call).collect();
        message.insert("tool_calls".to_owned(), calls);
    }
    Value::Object(message)
}

fn call(call: WireCall) -> Value {
    let mut wire = Map::new();
    if !call.local {
        wire.insert("id".to_owned(), call.id.into());
    }
    let function = json!({"name": call.name, "arguments": call.arguments});
    wire.insert("function".to_owned(), function);
    Value::Object(wire)
}

fn result(answer: &WireResult) -> Value {
    let mut message = Map::new();
    message.insert("role".to_owned(), "tool".into());
    // Results also carry the name, because older versions of Ollama have no ids.
    message.insert("tool_name".to_owned(), answer.name.as_str().into());
    if !answer.local {
        message.insert("tool_call_id".to_owned(), answer.id.as_str().into());
    }
    message.insert("content".to_owned(), result_text(answer).into());
    with_images(Value::Object(message), &answer.content)
}
