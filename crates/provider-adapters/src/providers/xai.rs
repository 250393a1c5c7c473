//! Differences between xAI and OpenAI Chat Completions.

use crate::providers::openai;
use crate::transcript::ImageRules;
use crate::wire::{Endpoint, Extras, ReplyFormat, Wire};

/// xAI enforces every schema, with or without strict mode.
pub(crate) const WIRE: Wire = Wire {
    name: "xai",
    endpoint: Endpoint {
        answer: ReplyFormat::ResponseFormat,
        ..Endpoint::CHAT_COMPLETIONS.at("https://api.x.ai/v1")
    },
    // More than the 128 of OpenAI: above 200, the API rejects the request.
    max_tools: Some(200),
    extras: Extras {
        images: ImageRules::XAI,
        ..Extras::NONE
    },
    ..openai::COMPATIBLE_WIRE
};
