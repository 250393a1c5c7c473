//! Conversion of conversations.

use serde_json::{Map, Value, json};
use tool_core::LossKind;

use super::decode::PART;
use crate::transcript::{
    AlternatingMessages, AssistantTurn, Conversation, PDF, TurnPart, WireCall, WireResult,
    hoist_system, joined,
};
use crate::{Block, Reasoning};

/// Signature that the API accepts for calls of other models: `skip_thought_signature_validator` in
/// base64.
const FOREIGN_SIGNATURE: &str = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=";

pub(crate) fn encode(conversation: &mut Conversation) -> Value {
    let system = hoist_system(conversation);
    let roles = AlternatingMessages {
        model: "model",
        block: part,
        results,
        assistant,
    };
    let contents: Vec<Value> = (roles.of(conversation).into_iter())
        .map(|(role, parts)| json!({"role": role, "parts": parts}))
        .collect();
    let mut body = Map::new();
    if !system.is_empty() {
        let system = json!({"parts": [{"text": system.join("\n\n")}]});
        body.insert("systemInstruction".to_owned(), system);
    }
    body.insert("contents".to_owned(), contents.into());
    Value::Object(body)
}

fn part(block: &Block) -> Value {
    match block {
        Block::Image { media_type, data } | Block::Audio { media_type, data } => {
            json!({"inlineData": {"mimeType": media_type, "data": data}})
        }
        other if let Some((_, data)) = other.as_pdf() => {
            json!({"inlineData": {"mimeType": PDF, "data": data}})
        }
        other => json!({"text": other.to_text().unwrap_or_default()}),
    }
}

/// Converts a turn. Its parts keep their order, because signatures belong to their position.
fn assistant(mut turn: AssistantTurn, conversation: &mut Conversation) -> Vec<Value> {
    let detail = "the provider only accepts reasoning with its own signature";
    conversation.keep_own_reasoning(&mut turn, detail, is_own);
    let is_signed = |call: &WireCall| signature(call.provider_data.as_ref()).is_some();
    // Gemini 3 rejects a step whose first call has no signature, so calls of other models get a placeholder.
    let mut needs_signature = !turn.calls().any(is_signed);
    let parts = turn.parts.into_iter();
    let parts = parts.filter_map(|part| match part {
        TurnPart::Reasoning(thought) => sent_back(thought),
        TurnPart::Text { text, data } => words(text, signature(data.as_ref())),
        TurnPart::Call(wire) => {
            let is_first = std::mem::take(&mut needs_signature);
            Some(call(wire, is_first))
        }
    });
    parts.collect()
}

fn is_own(reasoning: &Reasoning) -> bool {
    signature(reasoning.provider_data.as_ref()).is_some() || reasoning.is_kept(PART)
}

fn sent_back(thought: Reasoning) -> Option<Value> {
    if thought.is_kept(PART) {
        return thought.into_block(PART);
    }
    let signature = signature(thought.provider_data.as_ref());
    Some(json!({"text": thought.text, "thought": true, "thoughtSignature": signature}))
}

/// Returns a part with text. A signature may belong to an empty one.
fn words(text: String, signature: Option<Value>) -> Option<Value> {
    if text.trim().is_empty() && signature.is_none() {
        return None;
    }
    let mut part = crate::wire::member("text", text.into());
    part.extend(signature.map(|value| ("thoughtSignature".to_owned(), value)));
    Some(Value::Object(part))
}

fn signature(data: Option<&Value>) -> Option<Value> {
    data?.get("thoughtSignature").cloned()
}

fn call(call: WireCall, needs_signature: bool) -> Value {
    let mut function = Map::new();
    // An id that we have made up must not be sent back: the API doesn't know it.
    if !call.local {
        function.insert("id".to_owned(), call.id.into());
    }
    function.insert("name".to_owned(), call.name.into());
    function.insert("args".to_owned(), Value::Object(call.arguments));
    let mut part = Map::from_iter([("functionCall".to_owned(), Value::Object(function))]);
    let own = signature(call.provider_data.as_ref());
    let foreign = needs_signature.then(|| FOREIGN_SIGNATURE.into());
    let signed = own.or(foreign);
    part.extend(signed.map(|value| ("thoughtSignature".to_owned(), value)));
    Value::Object(part)
}

/// Media types of images that a function response may contain.
const WITHIN: [&str; 3] = ["image/jpeg", "image/png", "image/webp"];

/// Returns one function response per call, and then the media that the responses cannot contain.
fn results(answers: &[WireResult], conversation: &mut Conversation) -> Vec<Value> {
    // Only newer models accept images inside a response. For the others, they follow all responses, whose number must
    // equal that of the calls.
    let within: &[&str] = if conversation.model.images_in_results {
        &WITHIN
    } else {
        &[]
    };
    let responses = answers.iter().map(|answer| response(answer, within));
    let mut parts: Vec<Value> = responses.collect();
    for answer in answers {
        for (kind, label) in [("image", "Images"), ("audio", "Audio")] {
            let media = answer
                .content
                .iter()
                .filter(|block| block.restricted_kind() == Some(kind) && !is_within(block, within));
            let media: Vec<Value> = media.map(part).collect();
            if media.is_empty() {
                continue;
            }
            let pointer = format!("{}/content", answer.pointer);
            let label_inside = label.to_lowercase();
            let detail = format!("the {label_inside} of a result are sent after all results");
            conversation.record_loss(pointer, kind, LossKind::Degraded, &detail);
            parts.push(json!({"text": format!("{label} from the result of `{}`:", answer.name)}));
            parts.extend(media);
        }
    }
    parts
}

fn is_within(block: &Block, within: &[&str]) -> bool {
    matches!(block, Block::Image { media_type, .. } if within.contains(&media_type.as_str()))
}

fn response(answer: &WireResult, within: &[&str]) -> Value {
    // `response` must be an object, and has no flag for errors.
    let response = if answer.is_error {
        json!({"error": error_text(&answer.content)})
    } else {
        json!({"output": output(&answer.content)})
    };
    let mut function = Map::new();
    if !answer.local {
        function.insert("id".to_owned(), answer.id.as_str().into());
    }
    function.insert("name".to_owned(), answer.name.as_str().into());
    function.insert("response".to_owned(), response);
    let images = answer.content.iter();
    let images = images.filter(|block| is_within(block, within));
    let images: Vec<Value> = images.map(part).collect();
    if !images.is_empty() {
        function.insert("parts".to_owned(), images.into());
    }
    json!({"functionResponse": function})
}

fn error_text(content: &[Block]) -> String {
    match joined(content) {
        text if text.is_empty() => "the tool failed without a message".to_owned(),
        text => text,
    }
}

/// Returns a single JSON value unchanged, and any other content as text.
fn output(content: &[Block]) -> Value {
    match content {
        // Gemini interprets any `$ref` in a response as a reference and rejects it.
        [Block::Json { value }] if !holds_reference(value) => value.clone(),
        content => Value::String(joined(content)),
    }
}

fn holds_reference(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(holds_reference),
        Value::Object(members) => {
            members.contains_key("$ref") || members.values().any(holds_reference)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use base64::prelude::{BASE64_STANDARD, Engine};

    use crate::{Message, Provider, Transcript, decode};

    use super::*;

    #[test]
    fn foreign_signature_is_known_to_api() {
        let text = BASE64_STANDARD.encode("skip_thought_signature_validator");

        assert_eq!(FOREIGN_SIGNATURE, text);
    }

    #[test]
    fn sends_signature_on_empty_text() {
        let turn = json!({"candidates": [{"content": {"role": "model", "parts": [
            {"text": "", "thoughtSignature": "c2ln"}, {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "YQ=="},
        ]}}]});
        let decoded = decode(Provider::Gemini, &turn, None).unwrap();
        let transcript = Transcript::from(vec![Message::user("Go"), decoded.into()]);

        let body = crate::encode(Provider::Gemini, &transcript, None).body;

        assert_eq!(
            body["contents"][1]["parts"],
            json!([
                {"text": "", "thoughtSignature": "c2ln"},
                {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "YQ=="},
            ])
        );
    }

    #[test]
    fn sends_values_with_references_as_text() {
        for (value, expected) in [
            (json!({"a": [1]}), json!({"a": [1]})),
            (json!([{"$ref": "x"}]), json!("[{\"$ref\":\"x\"}]")),
        ] {
            assert_eq!(output(&[Block::Json { value }]), expected);
        }
    }
}
