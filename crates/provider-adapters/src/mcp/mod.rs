//! Tools and sampling of the Model Context Protocol, 2025-11-25.

mod decode;
mod results;
mod tools;

use crate::encode::IdRule;
use crate::names::NameRule;
use crate::wire::{Extras, Strictness, Wire, tools_beside};

pub(crate) const WIRE: Wire = Wire {
    names: NameRule::Protocol,
    ids: IdRule::Free,
    strictness: Strictness::Never,
    max_tools: None,
    max_description: None,
    extras: Extras {
        output_schemas: true,
        ..Extras::NONE
    },
    tool: tools::tool,
    request: tools::request,
    body: tools_beside,
    decode: decode::decode,
    encode: results::encode,
};
