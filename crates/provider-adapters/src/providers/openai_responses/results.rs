//! Conversion of conversations.

use serde_json::{Map, Value, json};
use tool_core::LossKind;

use super::{FIELDS, ITEM, PHASE};
use crate::providers::openai::data_url;
use crate::transcript::{
    AssistantTurn, Conversation, PDF, Turn, TurnPart, WireCall, WireResult, joined, result_text,
};
use crate::wire::with_member;
use crate::{Block, Reasoning};

pub(super) fn encode(conversation: &mut Conversation) -> Value {
    let mut instructions = Vec::new();
    let mut input = Vec::new();
    let mut custom = Vec::new();
    for turn in std::mem::take(&mut conversation.turns) {
        match turn {
            // `instructions` precede all input, so a later system message stays a message.
            Turn::System { text, .. } if input.is_empty() => instructions.push(text),
            Turn::System { text, .. } => input.push(json!({"role": "system", "content": text})),
            Turn::User { blocks, .. } => {
                input.push(json!({"role": "user", "content": content(&blocks)}));
            }
            Turn::Assistant(turn) => {
                custom = turn
                    .calls()
                    .map(|call| call.custom_input().is_some())
                    .collect();
                assistant(turn, &mut input, conversation);
            }
            Turn::Results(answers) => {
                let kinds = custom.iter().copied().chain(std::iter::repeat(false));
                let answers = answers.iter().zip(kinds);
                input.extend(answers.map(|(answer, is_custom)| result(answer, is_custom)));
            }
        }
    }
    let mut body = Map::new();
    if !instructions.is_empty() {
        body.insert("instructions".to_owned(), instructions.join("\n\n").into());
    }
    body.insert("input".to_owned(), input.into());
    Value::Object(body)
}

/// Returns a string if all blocks are text, otherwise an array of parts.
fn content(blocks: &[Block]) -> Value {
    if blocks.iter().any(Block::is_part) {
        blocks.iter().map(part).collect()
    } else {
        joined(blocks).into()
    }
}

fn part(block: &Block) -> Value {
    match block {
        Block::Image { media_type, data } => {
            let url = data_url(media_type, data);
            json!({"type": "input_image", "image_url": url, "detail": "auto"})
        }
        other if let Some((name, data)) = other.as_pdf() => {
            json!({"type": "input_file", "filename": name, "file_data": data_url(PDF, data)})
        }
        other => json!({"type": "input_text", "text": other.to_text().unwrap_or_default()}),
    }
}

/// Adds the items of a turn in their order, which the provider checks for reasoning.
fn assistant(mut turn: AssistantTurn, input: &mut Vec<Value>, conversation: &mut Conversation) {
    let detail = "the provider only accepts its own reasoning";
    let item = |reasoning: &Reasoning| reasoning.provider_data.as_ref()?.get(ITEM).cloned();
    conversation.keep_own_reasoning(&mut turn, detail, |reasoning| item(reasoning).is_some());
    let before = input.len();
    for part in turn.parts {
        match part {
            TurnPart::Reasoning(reasoning) => {
                let kept = item(&reasoning);
                input.extend(kept.map(|item| with_short_id(item, &turn.pointer, conversation)));
            }
            TurnPart::Text { text, .. } if text.trim().is_empty() => {}
            TurnPart::Text { text, data } => {
                let message = json!({"role": "assistant", "content": text});
                input.push(with_member(message, data.as_ref(), PHASE));
            }
            TurnPart::Call(wire) => input.push(call(wire)),
        }
    }
    if input.len() == before {
        conversation.record_empty(turn.pointer);
    }
}

/// Longest id of an item that the API accepts. Gateways put encrypted data into longer ones.
const MAX_ID: usize = 64;

/// Removes an id that the API rejects. The item itself contains what the model needs.
fn with_short_id(mut item: Value, pointer: &str, conversation: &mut Conversation) -> Value {
    if let Value::Object(members) = &mut item
        && let Some(Value::String(id)) = members.get("id")
        && id.len() > MAX_ID
    {
        members.shift_remove("id");
        let pointer = format!("{pointer}/reasoning");
        let detail = "the id of an item is over 64 characters, and is omitted";
        conversation.record_loss(pointer, "id", LossKind::Degraded, detail);
    }
    item
}

fn call(call: WireCall) -> Value {
    let fields = call
        .provider_data
        .as_ref()
        .and_then(|data| data.get(FIELDS));
    let mut item = fields
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    // Without `id`, which the API accepts only if it begins with `fc` and the provider knows it.
    item.insert("call_id".to_owned(), call.id.as_str().into());
    item.insert("name".to_owned(), call.name.as_str().into());
    if let Some(text) = call.custom_input() {
        item.insert("type".to_owned(), "custom_tool_call".into());
        item.insert("input".to_owned(), text.clone());
        return Value::Object(item);
    }
    let arguments = Value::Object(call.arguments).to_string();
    item.insert("type".to_owned(), "function_call".into());
    item.insert("arguments".to_owned(), arguments.into());
    Value::Object(item)
}

fn result(answer: &WireResult, is_custom: bool) -> Value {
    let kind = if is_custom {
        "custom_tool_call_output"
    } else {
        "function_call_output"
    };
    let output = if answer.content.iter().any(Block::is_image) {
        content(&marked(answer))
    } else {
        result_text(answer).into()
    };
    json!({"type": kind, "call_id": answer.id, "output": output})
}

/// There is no error flag, so the text marks the error.
fn marked(answer: &WireResult) -> Vec<Block> {
    let mut blocks = answer.content.clone();
    if answer.is_error {
        blocks.insert(0, Block::text("Error:"));
    }
    blocks
}

#[cfg(test)]
mod tests {
    use crate::{Message, Provider, ToolMessage, Transcript, decode, encode};

    use super::*;

    #[test]
    fn keeps_items_between_calls() {
        let items = json!([
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "a"},
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}", "namespace": "n"},
            {"type": "reasoning", "id": "rs_2", "summary": [{"type": "summary_text", "text": "Hm."}]},
            {"type": "custom_tool_call", "call_id": "c2", "name": "g", "input": "ls"},
        ]);
        let response = json!({"status": "completed", "output": items});
        let decoded = decode(Provider::OpenAiResponses, &response, None).unwrap();
        let answers = ["c1", "c2"].map(|id| ToolMessage::new(id, "f", "done"));
        let transcript = Transcript::from(vec![decoded.into(), Message::tool(answers)]);

        let encoded = encode(Provider::OpenAiResponses, &transcript, None);

        let mut expected = items.as_array().cloned().unwrap();
        expected.push(json!({"type": "function_call_output", "call_id": "c1", "output": "done"}));
        expected
            .push(json!({"type": "custom_tool_call_output", "call_id": "c2", "output": "done"}));
        assert_eq!(encoded.body, json!({"input": expected}));
        assert_eq!(encoded.losses, []);
    }

    #[test]
    fn later_system_message_keeps_position() {
        let transcript = Transcript::from(vec![
            Message::system("A"),
            Message::system("B"),
            Message::user("Go"),
            Message::system("C"),
        ]);

        let encoded = encode(Provider::OpenAiResponses, &transcript, None);

        assert_eq!(
            encoded.body,
            json!({"instructions": "A\n\nB", "input": [
                {"role": "user", "content": "Go"}, {"role": "system", "content": "C"},
            ]})
        );
        assert_eq!(encoded.losses, []);
    }
}
