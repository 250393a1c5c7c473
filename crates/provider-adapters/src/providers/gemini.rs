//! Gemini `generateContent`, with complete JSON Schemas or a subset of `OpenAPI` schemas.

mod decode;
mod results;
mod stream;
mod tools;

use crate::transcript::ImageRules;
use crate::wire::{
    Endpoint, Extras, IdRule, NameRule, StreamSwitch, Strictness, UsageFields, Wire,
};

/// Media types of audio that the models accept.
const AUDIO: &[&str] = &[
    "audio/aac",
    "audio/aiff",
    "audio/flac",
    "audio/mp3",
    "audio/mpeg",
    "audio/ogg",
    "audio/wav",
];

pub(crate) const WIRE: Wire = Wire {
    name: "gemini",
    endpoint: Endpoint {
        version: Some("v1beta"),
        path: "models/{model}:generateContent",
        stream_path: Some("models/{model}:streamGenerateContent?alt=sse"),
        key_header: ("x-goog-api-key", ""),
        stream_switch: StreamSwitch::Path,
        token_limit: "/generationConfig/maxOutputTokens",
        temperature: ("/generationConfig/temperature", 2.0),
        stop: ("/generationConfig/stopSequences", 5),
        effort: "/generationConfig/thinkingConfig/thinkingLevel",
        usage: &[UsageFields {
            input: &[
                "/usageMetadata/promptTokenCount",
                "/usageMetadata/toolUsePromptTokenCount",
            ],
            output: &[
                "/usageMetadata/candidatesTokenCount",
                "/usageMetadata/thoughtsTokenCount",
            ],
            cached: &["/usageMetadata/cachedContentTokenCount"],
            reasoning: "/usageMetadata/thoughtsTokenCount",
            ..UsageFields::NONE
        }],
        ..Endpoint::CHAT_COMPLETIONS.at("https://generativelanguage.googleapis.com")
    },
    // Older versions of the API reject colons and more than 64 characters, so neither is used.
    names: NameRule::LeadingLetter,
    // Most models send no ids, so results are matched by name and order.
    ids: IdRule::Free,
    // The mode `VALIDATED` applies to all functions of a request.
    strictness: Strictness::OfRequest,
    max_tools: Some(128),
    max_description: None,
    extras: Extras {
        audio: AUDIO,
        documents: true,
        images: ImageRules::GEMINI,
        ..Extras::NONE
    },
    tool: tools::tool,
    request: tools::request,
    body: tools::body,
    decode: decode::decode,
    accumulator: || Box::<stream::Contents>::default(),
    encode: results::encode,
};

/// Like [`WIRE`], but with a subset of `OpenAPI` schemas.
pub(crate) const OPENAPI_WIRE: Wire = Wire {
    name: "gemini_openapi",
    tool: tools::openapi_tool,
    ..WIRE
};
