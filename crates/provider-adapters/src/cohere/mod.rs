//! Chat of Cohere, version 2.

mod decode;
mod results;
mod stream;
mod tools;

use crate::encode::IdRule;
use crate::openai;
use crate::stream::Framing;
use crate::wire::{Stream, Strictness, Wire};

pub(crate) const WIRE: Wire = Wire {
    ids: IdRule::Short,
    strictness: Strictness::OfRequest,
    max_tools: None,
    tool: tools::tool,
    request: tools::request,
    decode: decode::decode,
    stream: Stream {
        framing: Framing::Events,
        fold: stream::Chat::fold,
    },
    encode: results::encode,
    ..openai::COMPATIBLE_WIRE
};

/// What marks the plan that the model wrote before its calls.
const PLAN: &str = "tool_plan";
