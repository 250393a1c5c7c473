//! Where xAI differs from Chat Completions of OpenAI.

use crate::providers::openai;
use crate::wire::{Endpoint, Wire};

/// It holds its models to every schema, whether that is asked for or not.
pub(crate) const WIRE: Wire = Wire {
    name: "xai",
    endpoint: Endpoint::CHAT_COMPLETIONS.at("https://api.x.ai/v1"),
    max_tools: Some(200),
    ..openai::COMPATIBLE_WIRE
};
