//! Results out.

use serde_json::{Map, Value, json};
use tool_core::LossKind;

use crate::Block;
use crate::transcript::{Answer, AssistantTurn, Conversation, Turn, WireCall, answer_text, joined};

/// How a provider that speaks as OpenAI does wants a conversation.
pub(crate) struct Habits {
    /// Whether calls with free text go back as such.
    pub(crate) custom_calls: bool,
    /// What the model thought, as members of its message; `None` where the provider takes none back.
    pub(crate) reasoning: KeepReasoning,
    /// Why reasoning that is not given back is left out.
    pub(crate) dropped: &'static str,
}

/// Takes a turn of the model, and gives the members of its message that hold what it thought.
pub(crate) type KeepReasoning = fn(&AssistantTurn) -> Option<Map<String, Value>>;

impl Habits {
    pub(crate) const COMPATIBLE: Self = Self {
        custom_calls: false,
        reasoning: |_| None,
        dropped: "the provider takes no reasoning back",
    };
}

pub(crate) fn encode_by(habits: &Habits, conversation: &mut Conversation) -> Value {
    let mut messages = Vec::new();
    for turn in std::mem::take(&mut conversation.turns) {
        match turn {
            Turn::System { text, .. } => messages.push(json!({"role": "system", "content": text})),
            Turn::User { blocks, .. } => messages.push(user(&blocks)),
            Turn::Assistant(turn) => messages.push(assistant(habits, turn, conversation)),
            Turn::Results(answers) => results(&answers, &mut messages, conversation),
        }
    }
    json!({"messages": messages})
}

pub(crate) fn user(blocks: &[Block]) -> Value {
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
            "image_url": {"url": image_url(media_type, data)},
        }),
        other => json!({"type": "text", "text": other.to_text().unwrap_or_default()}),
    }
}

pub(crate) fn image_url(media_type: &str, data: &str) -> String {
    format!("data:{media_type};base64,{data}")
}

fn assistant(habits: &Habits, turn: AssistantTurn, conversation: &mut Conversation) -> Value {
    let reasoning = (habits.reasoning)(&turn);
    if reasoning.is_none() && !turn.reasoning.is_empty() {
        conversation.lose(
            format!("{}/reasoning", turn.pointer),
            "reasoning",
            LossKind::Dropped,
            habits.dropped,
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
    message.extend(reasoning.unwrap_or_default());
    if !turn.calls.is_empty() {
        let calls = turn.calls.into_iter();
        let calls: Value = calls.map(|call| told_call(habits, call)).collect();
        message.insert("tool_calls".to_owned(), calls);
    }
    Value::Object(message)
}

fn told_call(habits: &Habits, call: WireCall) -> Value {
    match call.custom_input() {
        Some(input) if habits.custom_calls => {
            json!({"id": call.id, "type": "custom", "custom": {"name": call.name, "input": input}})
        }
        _ => wire_call(call),
    }
}

/// A call as a function with its arguments as text.
pub(crate) fn wire_call(call: WireCall) -> Value {
    let arguments = call
        .unreadable
        .unwrap_or_else(|| Value::Object(call.arguments).to_string());
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

/// All answers first, then what only a message of the user can show.
fn results(answers: &[Answer], messages: &mut Vec<Value>, conversation: &mut Conversation) {
    messages.extend(answers.iter().map(
        |answer| json!({"role": "tool", "tool_call_id": answer.id, "content": answer_text(answer)}),
    ));
    messages.extend(image_turn(answers, conversation).map(|blocks| user(&blocks)));
}

/// The images of the answers as words of the user, for a provider whose results hold text only.
pub(crate) fn image_turn(
    answers: &[Answer],
    conversation: &mut Conversation,
) -> Option<Vec<Block>> {
    let mut shown = Vec::new();
    for answer in answers {
        let images = answer.content.iter().filter(|block| block.is_image());
        let images: Vec<Block> = images.cloned().collect();
        if images.is_empty() {
            continue;
        }
        conversation.lose(
            format!("{}/content", answer.pointer),
            "image",
            LossKind::Degraded,
            "a result holds text only, so that its images follow in a message of the user",
        );
        let words = format!("Images from the result of `{}`:", answer.name);
        shown.push(Block::text(words));
        shown.extend(images);
    }
    (!shown.is_empty()).then_some(shown)
}
