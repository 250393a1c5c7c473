//! OpenAI Chat Completions, and parts that compatible providers share.

mod decode;
mod results;
mod stream;
mod strict;
mod tools;

pub(crate) use decode::{call, content, decode, function};
pub(crate) use results::{ChatVariant, data_url, encode_by, image_turn, user, wire_call};
pub(crate) use strict::{StrictRules, strict_schema, strict_schema_by};
pub(crate) use tools::{compatible_request, plain_schema, request, seen_by_model, tool, tool_by};

use serde_json::Value;
use tool_core::LossKind;

use crate::StrictMode;
use crate::schema::Losses;
use crate::strictness::ConvertSchema;
use crate::transcript::Conversation;
use crate::wire::{
    Endpoint, Extras, IdRule, NameRule, ReplyFormat, SourceTool, Strictness, Wire, WireTool,
    tools_beside,
};

pub(crate) const WIRE: Wire = Wire {
    name: "openai",
    endpoint: Endpoint {
        answer: ReplyFormat::ResponseFormat,
        ..Endpoint::CHAT_COMPLETIONS.at("https://api.openai.com/v1")
    },
    names: NameRule::Portable,
    ids: IdRule::Short,
    strictness: Strictness::Always,
    max_tools: Some(128),
    max_description: Some(1024),
    extras: Extras {
        documents: true,
        ..Extras::NONE
    },
    tool,
    request,
    body: tools_beside,
    decode,
    accumulator: || Box::<stream::Chat>::default(),
    encode,
};

/// Defaults for providers that implement Chat Completions.
pub(crate) const COMPATIBLE_WIRE: Wire = Wire {
    strictness: Strictness::WhenAsked,
    max_description: None,
    extras: Extras::NONE,
    tool: compatible_tool,
    request: compatible_request,
    encode: encode_compatible,
    ..WIRE
};

fn encode(conversation: &mut Conversation) -> Value {
    let variant = ChatVariant {
        custom_calls: true,
        ..ChatVariant::COMPATIBLE
    };
    encode_by(&variant, conversation)
}

fn encode_compatible(conversation: &mut Conversation) -> Value {
    encode_by(&ChatVariant::COMPATIBLE, conversation)
}

fn compatible_tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    tool_by(
        (strict::compatible_strict_schema, plain_schema),
        source,
        losses,
    )
}

/// Like [`compatible_tool`], but for servers with models that do not support `$defs`.
pub(crate) fn inlining_tool(
    source: SourceTool<'_>,
    losses: &mut Losses,
) -> Result<WireTool, String> {
    let plain: ConvertSchema = tools::plain_inline_schema;
    tool_by((strict::compatible_strict_schema, plain), source, losses)
}

/// Like [`compatible_tool`], but for Gemini models behind a gateway, which support neither strict
/// tools nor `enum` values other than strings.
pub(crate) fn text_values_tool(
    source: SourceTool<'_>,
    losses: &mut Losses,
) -> Result<WireTool, String> {
    if source.strict == StrictMode::On {
        let detail = "Gemini models do not support strict tools";
        losses.add("", "strict", LossKind::Degraded, detail);
    }
    let source = SourceTool {
        strict: StrictMode::Off,
        ..source
    };
    let conversions = (
        tools::plain_text_values_schema as _,
        tools::plain_text_values_schema as _,
    );
    tool_by(conversions, source, losses)
}
