//! Mistral Chat Completions.

mod decode;
mod results;
mod tools;

use crate::providers::openai;
use crate::wire::{Endpoint, IdRule, StreamSwitch, Wire};

pub(crate) const WIRE: Wire = Wire {
    name: "mistral",
    endpoint: Endpoint {
        stream_switch: StreamSwitch::Flag,
        token_limit: "/max_tokens",
        temperature: ("/temperature", 1.5),
        stop: ("/stop", usize::MAX),
        effort: "",
        ..Endpoint::CHAT_COMPLETIONS.at("https://api.mistral.ai/v1")
    },
    // Some models and templates reject any other format.
    ids: IdRule::Nine,
    max_tools: None,
    request: tools::request,
    decode: decode::decode,
    encode: results::encode,
    ..openai::COMPATIBLE_WIRE
};
