//! Results out.

use serde_json::{Map, Value, json};
use tool_core::LossAction;

use crate::Block;
use crate::encode::{Answer, AssistantTurn, Conversation, Turn, WireCall, answer_text, joined};

pub(crate) fn encode(conversation: &mut Conversation) -> Value {
    let mut messages = Vec::new();
    for turn in std::mem::take(&mut conversation.turns) {
        match turn {
            Turn::System(text) => messages.push(json!({"role": "system", "content": text})),
            Turn::User(blocks) => messages.push(user(&blocks)),
            Turn::Assistant(turn) => messages.push(assistant(turn, conversation)),
            Turn::Results(answers) => results(&answers, &mut messages, conversation),
        }
    }
    json!({"messages": messages})
}

fn user(blocks: &[Block]) -> Value {
    let content = if blocks.iter().any(Block::is_image) {
        blocks.iter().map(part).collect()
    } else {
        Value::String(joined(blocks))
    };
    json!({"role": "user", "content": content})
}

fn part(block: &Block) -> Value {
    match block {
        Block::Image { media_type, data } => json!({
            "type": "image_url",
            "image_url": {"url": format!("data:{media_type};base64,{data}")},
        }),
        other => json!({"type": "text", "text": other.to_text().unwrap_or_default()}),
    }
}

fn assistant(turn: AssistantTurn, conversation: &mut Conversation) -> Value {
    if !turn.reasoning.is_empty() {
        conversation.lose(
            format!("{}/reasoning", turn.pointer),
            "reasoning",
            LossAction::Dropped,
            "the provider takes no reasoning back",
        );
    }
    let mut message = Map::new();
    message.insert("role".to_owned(), "assistant".into());
    let content = match turn.text {
        // Only beside calls may the content be null, and there an empty text is refused by some.
        text if text.is_empty() && !turn.calls.is_empty() => Value::Null,
        text => Value::String(text),
    };
    message.insert("content".to_owned(), content);
    if !turn.calls.is_empty() {
        let calls: Value = turn.calls.into_iter().map(call).collect();
        message.insert("tool_calls".to_owned(), calls);
    }
    Value::Object(message)
}

fn call(call: WireCall) -> Value {
    let is_custom = call
        .provider_data
        .as_ref()
        .is_some_and(|data| data.get("type") == Some(&json!("custom")));
    if let (true, Some(input)) = (is_custom, call.arguments.get("input")) {
        return json!({"id": call.id, "type": "custom", "custom": {"name": call.name, "input": input}});
    }
    let arguments = call
        .unreadable
        .unwrap_or_else(|| Value::Object(call.arguments).to_string());
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

/// All answers first, then what only a message of the user can show.
fn results(answers: &[Answer], messages: &mut Vec<Value>, conversation: &mut Conversation) {
    let mut shown = Vec::new();
    for answer in answers {
        messages.push(json!({
            "role": "tool",
            "tool_call_id": answer.id,
            "content": answer_text(answer),
        }));
        let images: Vec<&Block> = answer
            .content
            .iter()
            .filter(|block| block.is_image())
            .collect();
        if images.is_empty() {
            continue;
        }
        conversation.lose(
            format!("{}/content", answer.pointer),
            "image",
            LossAction::Degraded,
            "a result holds text only, so that its images follow in a message of the user",
        );
        shown.push(Block::text(format!(
            "Images from the result of `{}`:",
            answer.name
        )));
        shown.extend(images.into_iter().cloned());
    }
    if !shown.is_empty() {
        messages.push(user(&shown));
    }
}
