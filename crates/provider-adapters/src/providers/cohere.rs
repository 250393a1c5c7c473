//! Cohere Chat, version 2.

mod decode;
mod results;
mod stream;
mod tools;

use crate::providers::openai;
use crate::wire::{Endpoint, IdRule, StreamSwitch, Strictness, UsageFields, Wire};

pub(crate) const WIRE: Wire = Wire {
    name: "cohere",
    endpoint: Endpoint {
        version: Some("v2"),
        path: "chat",
        stream_switch: StreamSwitch::Flag,
        token_limit: "/max_tokens",
        temperature: ("/temperature", 1.0),
        stop: ("/stop_sequences", 5),
        effort: "",
        usage: &[
            UsageFields {
                input: &["/usage/tokens/input_tokens"],
                output: &["/usage/tokens/output_tokens"],
                ..USAGE
            },
            UsageFields {
                input: &["/usage/billed_units/input_tokens"],
                output: &["/usage/billed_units/output_tokens"],
                ..USAGE
            },
        ],
        ..Endpoint::CHAT_COMPLETIONS.at("https://api.cohere.com")
    },
    ids: IdRule::Short,
    strictness: Strictness::OfRequest,
    max_tools: None,
    tool: tools::tool,
    request: tools::request,
    decode: decode::decode,
    accumulator: || Box::<stream::Chat>::default(),
    encode: results::encode,
    ..openai::COMPATIBLE_WIRE
};

const USAGE: UsageFields = UsageFields {
    input: &[],
    output: &[],
    total: "",
    cached: &["/usage/cached_tokens"],
    cache_write: "",
    reasoning: "",
};

/// Type of reasoning that contains the plan before the calls.
const PLAN: &str = "tool_plan";
