//! The chat endpoint of Ollama itself.

mod decode;
mod results;
mod tools;

use crate::encode::IdRule;
use crate::names::NameRule;
use crate::wire::{Extras, Strictness, Wire, tools_beside};

pub(crate) const WIRE: Wire = Wire {
    names: NameRule::Free,
    ids: IdRule::Free,
    strictness: Strictness::Never,
    max_tools: None,
    max_description: None,
    extras: Extras::NONE,
    tool: tools::tool,
    request: tools::request,
    body: tools_beside,
    decode: decode::decode,
    encode: results::encode,
};
