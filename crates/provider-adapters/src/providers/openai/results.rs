//! Conversion of conversations.

use serde_json::{Value, json};
use tool_core::LossKind;

use super::decode::{REASONING, REASONING_FIELD};
use crate::transcript::{
    AssistantTurn, Conversation, PDF, Turn, TurnFields, WireCall, WireResult, joined,
    reasoning_text, result_text,
};
use crate::{Block, Object, Reasoning};

/// Field of most servers with reasoning models.
pub(crate) const REASONING_CONTENT: &str = "reasoning_content";

/// Differences between servers that implement Chat Completions.
pub(crate) struct ChatVariant {
    /// Whether calls of custom tools are sent back with free text.
    pub(crate) custom_calls: bool,
    /// Returns whether the server with this name accepts the reasoning.
    pub(crate) accepts: fn(&Reasoning, &str) -> bool,
    /// Returns the members of an assistant message that contain the accepted reasoning of a turn.
    pub(crate) reasoning: fn(&[Reasoning], &str) -> Object,
    /// Detail of the loss if reasoning is omitted.
    pub(crate) dropped: &'static str,
}

impl ChatVariant {
    pub(crate) const COMPATIBLE: Self = Self {
        custom_calls: false,
        accepts: |reasoning, server| reasoning_field(reasoning, server).is_some(),
        reasoning: reasoning_as_received,
        dropped: "the provider only accepts reasoning that it sent as text",
    };
}

/// Adds the name of the server to the field that contained the reasoning, because other servers reject such a field.
pub(crate) fn add_server(reasoning: &mut Reasoning, server: &str) {
    let data = reasoning.provider_data.as_mut();
    if let Some(field) = data.and_then(|data| data.get_mut(REASONING_FIELD)) {
        *field = json!({server: field.take()});
    }
}

/// Returns the name of the field in which the server sent this reasoning. OpenAI itself has no such field.
pub(crate) fn reasoning_field<'r>(reasoning: &'r Reasoning, server: &str) -> Option<&'r str> {
    let fields = reasoning.provider_data.as_ref()?.get(REASONING_FIELD)?;
    // Only the known names, so that a stored conversation cannot replace another member.
    let field = fields.get(server)?.as_str();
    field.filter(|field| REASONING.contains(field))
}

/// Returns the reasoning in the field of its server, even if it is empty.
pub(crate) fn reasoning_as_received(reasoning: &[Reasoning], server: &str) -> Object {
    let mut fields = reasoning.iter();
    let field = fields.find_map(|reasoning| reasoning_field(reasoning, server));
    let member = |field| crate::wire::member(field, reasoning_text(reasoning).into());
    field.map(member).unwrap_or_default()
}

pub(crate) fn encode_by(variant: &ChatVariant, conversation: &mut Conversation) -> Value {
    let mut messages = Vec::new();
    for turn in std::mem::take(&mut conversation.turns) {
        match turn {
            Turn::System { text, .. } => messages.push(json!({"role": "system", "content": text})),
            Turn::User { blocks, .. } => messages.push(user(&blocks)),
            Turn::Assistant(turn) => messages.push(assistant(variant, turn, conversation)),
            Turn::Results(answers) => results(&answers, &mut messages, conversation),
        }
    }
    json!({"messages": messages})
}

pub(crate) fn user(blocks: &[Block]) -> Value {
    let content = if blocks.iter().any(Block::is_part) {
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
            "image_url": {"url": data_url(media_type, data)},
        }),
        other if let Some((name, data)) = other.as_pdf() => json!({
            "type": "file",
            "file": {"filename": name, "file_data": data_url(PDF, data)},
        }),
        other => json!({"type": "text", "text": other.to_text().unwrap_or_default()}),
    }
}

pub(crate) fn data_url(media_type: &str, data: &str) -> String {
    format!("data:{media_type};base64,{data}")
}

fn assistant(
    variant: &ChatVariant,
    mut turn: AssistantTurn,
    conversation: &mut Conversation,
) -> Value {
    // Chat Completions has no member for reasoning; some compatible servers have their own.
    let server = conversation.server;
    conversation.keep_own_reasoning(&mut turn, variant.dropped, |reasoning| {
        (variant.accepts)(reasoning, server)
    });
    conversation.record_reordered(&turn, false);
    let TurnFields {
        reasoning,
        text,
        calls,
    } = turn.parts.into();
    let mut message = Object::new();
    message.insert("role".to_owned(), "assistant".into());
    let content = match text {
        // Content may be null only with calls. Some servers reject empty text with calls.
        text if text.is_empty() && !calls.is_empty() => Value::Null,
        text => Value::String(text),
    };
    message.insert("content".to_owned(), content);
    message.extend((variant.reasoning)(&reasoning, server));
    if conversation.model.requires_reasoning && !calls.is_empty() {
        // Such a model rejects calls without it, also those that another model requested.
        message
            .entry(REASONING_CONTENT)
            .or_insert_with(|| "".into());
    }
    if !calls.is_empty() {
        let calls = calls.into_iter();
        let calls: Value = calls.map(|call| convert_call(variant, call)).collect();
        message.insert("tool_calls".to_owned(), calls);
    }
    Value::Object(message)
}

fn convert_call(variant: &ChatVariant, call: WireCall) -> Value {
    match call.custom_input() {
        Some(input) if variant.custom_calls => {
            json!({"id": call.id, "type": "custom", "custom": {"name": call.name, "input": input}})
        }
        _ => wire_call(call),
    }
}

/// Converts a call to a function call with arguments as text.
pub(crate) fn wire_call(call: WireCall) -> Value {
    let arguments = Value::Object(call.arguments).to_string();
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

/// Returns text parts without other chunks as a string.
pub(crate) fn texts_or_chunks(chunks: Vec<Value>) -> Value {
    let texts: Option<Vec<&str>> = chunks
        .iter()
        .map(|chunk| chunk.get("text")?.as_str())
        .collect();
    match texts {
        Some(texts) => texts.join("\n").into(),
        None => Value::Array(chunks),
    }
}

/// Adds all results, and then a user message with their images.
fn results(answers: &[WireResult], messages: &mut Vec<Value>, conversation: &mut Conversation) {
    messages.extend(answers.iter().map(
        |answer| json!({"role": "tool", "tool_call_id": answer.id, "content": result_text(answer)}),
    ));
    // After all results: another message between them would leave calls without a result.
    messages.extend(image_turn(answers, conversation).map(|blocks| user(&blocks)));
}

/// Returns a user message with the images of the results, for providers whose results contain only
/// text.
pub(crate) fn image_turn(
    answers: &[WireResult],
    conversation: &mut Conversation,
) -> Option<Vec<Block>> {
    let mut shown = Vec::new();
    for answer in answers {
        let images = answer.content.iter().filter(|block| block.is_image());
        let images: Vec<Block> = images.cloned().collect();
        if images.is_empty() {
            continue;
        }
        let pointer = format!("{}/content", answer.pointer);
        let detail = "results contain only text; images are sent in a user message";
        conversation.record_loss(pointer, "image", LossKind::Degraded, detail);
        let words = format!("Images from the result of `{}`:", answer.name);
        shown.push(Block::text(words));
        shown.extend(images);
    }
    (!shown.is_empty()).then_some(shown)
}
