//! OpenAI Chat Completions, and parts that compatible providers share.

mod decode;
mod results;
mod stream;
mod tools;

use serde_json::Value;
use tool_core::LossKind;

pub(crate) use decode::{CHUNK, call, decode, function};
pub(crate) use results::{
    ChatVariant, REASONING_CONTENT, add_server, data_url, encode_by, image_turn,
    reasoning_as_received, reasoning_field, texts_or_chunks, user, wire_call,
};
pub(crate) use tools::{
    RULES, StrictRules, compatible_request, parameters, plain_schema, request, tool, tool_by,
};

use tools::{COMPATIBLE_RULES, plain_inline_schema, plain_text_values_schema};

use crate::StrictMode;
use crate::schema::Losses;
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
    // Longer descriptions are rejected by Chat Completions, but not by Responses.
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
    tool_by((&COMPATIBLE_RULES, plain_schema), source, losses)
}

/// Like [`compatible_tool`], but for servers with models that do not support `$defs`.
pub(crate) fn inlining_tool(
    source: SourceTool<'_>,
    losses: &mut Losses,
) -> Result<WireTool, String> {
    tool_by((&COMPATIBLE_RULES, plain_inline_schema), source, losses)
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
    tool_by(
        (&COMPATIBLE_RULES, plain_text_values_schema),
        source,
        losses,
    )
}

pub(crate) const FLAT_WIRE: Wire = Wire {
    name: "openai_flat",
    endpoint: Endpoint {
        path: "",
        ..Endpoint::CHAT_COMPLETIONS
    },
    strictness: Strictness::Never,
    max_tools: None,
    tool: flat_tool,
    ..COMPATIBLE_WIRE
};

fn flat_tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    let mut function = source.named();
    // All three members are required.
    function.entry("description").or_insert_with(|| "".into());
    let (parameters, _) = parameters((&COMPATIBLE_RULES, plain_schema), &source, losses)?;
    function.insert("parameters".to_owned(), parameters);
    Ok(WireTool::plain(function))
}
