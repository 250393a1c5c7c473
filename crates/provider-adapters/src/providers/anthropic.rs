//! Anthropic Messages.

mod decode;
mod results;
mod stream;
mod tools;

pub(crate) use decode::{mark_incomplete, usual_order};
pub(crate) use tools::input_schema;

use crate::transcript::ImageRules;
use crate::wire::{
    Endpoint, Extras, IdRule, NameRule, ReplyFormat, StreamSwitch, Strictness, UsageFields, Wire,
    tools_beside,
};

pub(crate) const WIRE: Wire = Wire {
    name: "anthropic",
    endpoint: Endpoint {
        version: Some("v1"),
        path: "messages",
        headers: &[("anthropic-version", "2026-10-21")],
        key_header: ("x-api-key", ""),
        stream_switch: StreamSwitch::Flag,
        token_limit: "/max_tokens",
        // This version of the API rejects sampling parameters, and documents in messages of the model.
        temperature: ("", 2.0),
        stop: ("/stop_sequences", usize::MAX),
        effort: "/output_config/effort",
        answer: ReplyFormat::OutputConfig,
        // The API requires `max_tokens`.
        default_token_limit: Some(8192),
        // Cached tokens are counted separately.
        usage: &[UsageFields {
            input: &[
                "/usage/input_tokens",
                "/usage/cache_creation_input_tokens",
                "/usage/cache_read_input_tokens",
            ],
            output: &["/usage/output_tokens"],
            cached: &["/usage/cache_read_input_tokens"],
            cache_write: "/usage/cache_creation_input_tokens",
            ..UsageFields::NONE
        }],
        ..Endpoint::CHAT_COMPLETIONS.at("https://api.anthropic.com")
    },
    // At most 64 characters, as documented, although the API accepts 128.
    names: NameRule::Portable,
    ids: IdRule::Portable,
    strictness: Strictness::Always,
    max_tools: None,
    max_description: None,
    extras: Extras {
        cache: Some(results::mark_for_cache),
        search: Some(tools::search),
        examples: true,
        documents: true,
        images: ImageRules::CLAUDE,
        ..Extras::NONE
    },
    tool: tools::tool,
    request: tools::request,
    body: tools_beside,
    decode: decode::decode,
    accumulator: || Box::<stream::Messages>::default(),
    encode: results::encode,
};
