//! Chat Completions of Mistral.

mod decode;
mod results;
mod tools;

use crate::encode::IdRule;
use crate::openai;
use crate::wire::Wire;

pub(crate) const WIRE: Wire = Wire {
    // Some models and templates refuse every other shape.
    ids: IdRule::Nine,
    max_tools: None,
    request: tools::request,
    decode: decode::decode,
    encode: results::encode,
    ..openai::COMPATIBLE_WIRE
};
