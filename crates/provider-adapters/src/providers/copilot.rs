//! Differences between GitHub Copilot and OpenAI Chat Completions.

use serde_json::Value;

use crate::Object;
use crate::providers::openai::{self, ChatVariant};
use crate::transcript::{AssistantTurn, Conversation};
use crate::wire::{Endpoint, IdRule, Strictness, Wire};

pub(crate) const WIRE: Wire = Wire {
    name: "copilot",
    // The gateway rejects `max_tokens`, so the newer name of Chat Completions stays.
    endpoint: Endpoint::CHAT_COMPLETIONS.at("https://api.githubcopilot.com"),
    // The gateway forwards requests to models of several vendors; this is the strictest rule.
    ids: IdRule::Portable,
    strictness: Strictness::Never,
    encode,
    ..openai::COMPATIBLE_WIRE
};

fn encode(conversation: &mut Conversation) -> Value {
    let variant = ChatVariant {
        reasoning: opaque,
        dropped: "the provider only accepts its own encrypted reasoning",
        ..ChatVariant::COMPATIBLE
    };
    openai::encode_by(&variant, conversation)
}

/// Returns the encrypted reasoning with its text.
fn opaque(turn: &AssistantTurn) -> Option<Object> {
    // The encrypted part is what the gateway needs back; the text beside it may be empty.
    let sealed = |data: &Value| data.get("reasoning_opaque").cloned();
    let (text, opaque) = turn.reasoning().find_map(|piece| {
        let opaque = piece.provider_data.as_ref().and_then(sealed)?;
        Some((piece.text.as_str(), opaque))
    })?;
    let mut members = Object::from_iter([("reasoning_opaque".to_owned(), opaque)]);
    if !text.is_empty() {
        members.insert("reasoning_text".to_owned(), text.into());
    }
    Some(members)
}
