//! Amazon Bedrock Converse.

mod decode;
mod results;
mod stream;
mod tools;

use crate::transcript::ImageRules;
use crate::wire::{
    Endpoint, Extras, Framing, IdRule, NameRule, StreamSwitch, Strictness, UsageFields, Wire,
};

pub(crate) const WIRE: Wire = Wire {
    name: "bedrock",
    endpoint: Endpoint {
        // The host name contains the region, so there is no common base URL.
        path: "model/{model}/converse",
        stream_switch: StreamSwitch::Path,
        // Streams have the binary event framing of AWS, which the SDKs decode.
        framing: Framing::Binary,
        token_limit: "/inferenceConfig/maxTokens",
        temperature: ("/inferenceConfig/temperature", 1.0),
        stop: ("/inferenceConfig/stopSequences", 4),
        effort: "",
        usage: &[UsageFields {
            input: &[
                "/usage/inputTokens",
                "/usage/cacheReadInputTokens",
                "/usage/cacheWriteInputTokens",
            ],
            output: &["/usage/outputTokens"],
            cached: &["/usage/cacheReadInputTokens"],
            cache_write: "/usage/cacheWriteInputTokens",
            ..UsageFields::NONE
        }],
        ..Endpoint::CHAT_COMPLETIONS
    },
    names: NameRule::Portable,
    ids: IdRule::Dotted,
    strictness: Strictness::Always,
    max_tools: None,
    max_description: None,
    extras: Extras {
        cache: Some(results::mark_for_cache),
        documents: true,
        images: ImageRules::CLAUDE,
        ..Extras::NONE
    },
    tool: tools::tool,
    request: tools::request,
    body: tools::body,
    decode: decode::decode,
    accumulator: || Box::<stream::Converse>::default(),
    encode: results::encode,
};
