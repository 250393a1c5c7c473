//! Differences between GitHub Copilot and OpenAI Chat Completions.

use serde_json::{Map, Value};

use crate::decoded::Choice;
use crate::providers::openai::{self, ChatVariant};
use crate::transcript::{Conversation, reasoning_text};
use crate::wire::{Endpoint, IdRule, Strictness, Wire};
use crate::{DecodeError, Finish, Object, Reasoning};

pub(crate) const WIRE: Wire = Wire {
    name: "copilot",
    // The gateway rejects `max_tokens`, so the newer name of Chat Completions stays.
    endpoint: Endpoint {
        adapt_response: Some(as_one_choice),
        ..Endpoint::CHAT_COMPLETIONS.at("https://api.githubcopilot.com")
    },
    // The gateway forwards requests to models of several vendors; this is the strictest rule.
    ids: IdRule::Portable,
    strictness: Strictness::Never,
    decode,
    encode,
    ..openai::COMPATIBLE_WIRE
};

/// Gives all choices the same index, because the gateway splits one answer: the text is in its own choice, and the
/// calls in the next. A stream is joined by the index.
fn as_one_choice(response: &mut Map<String, Value>) {
    let choices = response.get_mut("choices").and_then(Value::as_array_mut);
    let choices = choices.into_iter().flatten();
    for choice in choices.filter_map(Value::as_object_mut) {
        choice.insert("index".to_owned(), 0.into());
    }
}

fn decode(response: &Object) -> Result<Vec<Choice>, DecodeError> {
    let choices = openai::decode(response)?.into_iter();
    Ok(choices.reduce(joined).into_iter().collect())
}

/// Joins the parts of one answer.
fn joined(first: Choice, second: Choice) -> Choice {
    // A part without calls ends with `stop`, and then a reason that says more counts.
    let (finish, finish_raw) = match first.finish {
        Finish::Stop | Finish::Other => (second.finish, second.finish_raw),
        finish => (finish, first.finish_raw),
    };
    Choice {
        text: first.text + &second.text,
        reasoning: [first.reasoning, second.reasoning].concat(),
        calls: [first.calls, second.calls].concat(),
        order: [first.order, second.order].concat(),
        error: first.error.or(second.error),
        finish,
        finish_raw,
        ..Choice::default()
    }
}

fn encode(conversation: &mut Conversation) -> Value {
    let variant = ChatVariant {
        accepts: |reasoning, _| opaque(reasoning).is_some(),
        reasoning: sealed,
        dropped: "the provider only accepts its own encrypted reasoning",
        ..ChatVariant::COMPATIBLE
    };
    openai::encode_by(&variant, conversation)
}

const OPAQUE: &str = "reasoning_opaque";

fn opaque(reasoning: &Reasoning) -> Option<&Value> {
    reasoning.provider_data.as_ref()?.get(OPAQUE)
}

/// Returns the encrypted reasoning with its text.
fn sealed(reasoning: &[Reasoning], _server: &str) -> Object {
    // The encrypted part is what the gateway needs back; the text next to it may be empty.
    let Some(last) = reasoning.iter().rev().find_map(opaque) else {
        return Object::new();
    };
    let mut members = crate::wire::member(OPAQUE, last.clone());
    let text = reasoning_text(reasoning);
    if !text.is_empty() {
        members.insert("reasoning_text".to_owned(), text.into());
    }
    members
}
