//! Chat of Cohere, version 2.

mod decode;
mod results;
mod tools;

use crate::encode::IdRule;
use crate::openai;
use crate::wire::Wire;

pub(crate) const WIRE: Wire = Wire {
    ids: IdRule::Short,
    max_tools: None,
    tool: tools::tool,
    request: tools::request,
    decode: decode::decode,
    encode: results::encode,
    ..openai::COMPATIBLE_WIRE
};

/// What marks the plan that the model wrote before its calls.
const PLAN: &str = "tool_plan";
