//! OpenAI Chat Completions, and parts that compatible providers share.

mod decode;
mod results;
mod stream;
mod strict;
mod tools;

pub(crate) use decode::{call, content, decode};
pub(crate) use results::{Habits, encode_by, image_turn, image_url, user, wire_call};
pub(crate) use strict::{StrictRules, strict_schema, strict_schema_by};
pub(crate) use tools::{compatible_request, plain_schema, request, seen_by_model, tool, tool_by};

use serde_json::Value;
use tool_core::LossKind;

use crate::StrictMode;
use crate::schema::Losses;
use crate::strictness::Translate;
use crate::transcript::Conversation;
use crate::wire::{
    AnswerForm, Asked, Endpoint, Extras, IdRule, NameRule, Spoken, Strictness, Wire, tools_beside,
};

pub(crate) const WIRE: Wire = Wire {
    name: "openai",
    endpoint: Endpoint {
        answer: AnswerForm::ResponseFormat,
        ..Endpoint::CHAT_COMPLETIONS.at("https://api.openai.com/v1")
    },
    names: NameRule::Portable,
    ids: IdRule::Short,
    strictness: Strictness::Always,
    max_tools: Some(128),
    max_description: Some(1024),
    extras: Extras::NONE,
    tool,
    request,
    body: tools_beside,
    decode,
    fold: stream::Chat::fold,
    encode,
};

/// Defaults for providers that implement Chat Completions.
pub(crate) const COMPATIBLE_WIRE: Wire = Wire {
    strictness: Strictness::WhenAsked,
    max_description: None,
    tool: compatible_tool,
    request: compatible_request,
    encode: encode_compatible,
    ..WIRE
};

fn encode(conversation: &mut Conversation) -> Value {
    let habits = Habits {
        custom_calls: true,
        ..Habits::COMPATIBLE
    };
    encode_by(&habits, conversation)
}

fn encode_compatible(conversation: &mut Conversation) -> Value {
    encode_by(&Habits::COMPATIBLE, conversation)
}

fn compatible_tool(asked: Asked<'_>, losses: &mut Losses) -> Result<Spoken, String> {
    tool_by(
        (strict::compatible_strict_schema, plain_schema),
        asked,
        losses,
    )
}

/// Like [`compatible_tool`], but for servers with models that do not support `$defs`.
pub(crate) fn inlining_tool(asked: Asked<'_>, losses: &mut Losses) -> Result<Spoken, String> {
    let plain: Translate = tools::plain_inline_schema;
    tool_by((strict::compatible_strict_schema, plain), asked, losses)
}

/// Like [`compatible_tool`], but for Gemini models behind a gateway, which support neither strict
/// tools nor `enum` values other than strings.
pub(crate) fn text_values_tool(asked: Asked<'_>, losses: &mut Losses) -> Result<Spoken, String> {
    if asked.strict == StrictMode::On {
        let detail = "Gemini models do not support strict tools";
        losses.add("", "strict", LossKind::Degraded, detail);
    }
    let asked = Asked {
        strict: StrictMode::Off,
        ..asked
    };
    let translations = (
        tools::plain_text_values_schema as _,
        tools::plain_text_values_schema as _,
    );
    tool_by(translations, asked, losses)
}
