//! Tools and sampling of the Model Context Protocol, 2025-11-25.

mod decode;
mod results;
mod stream;
mod tools;

use crate::wire::{Endpoint, Extras, Framing, IdRule, NameRule, Strictness, Wire, tools_beside};

pub(crate) const WIRE: Wire = Wire {
    name: "mcp",
    endpoint: Endpoint {
        path: "",
        framing: Framing::Binary,
        usage: &[],
        ..Endpoint::CHAT_COMPLETIONS
    },
    names: NameRule::Protocol,
    ids: IdRule::Free,
    strictness: Strictness::Never,
    max_tools: None,
    max_description: None,
    extras: Extras {
        audio: &["audio/"],
        resources: true,
        ..Extras::NONE
    },
    tool: tools::tool,
    request: tools::request,
    body: tools_beside,
    decode: decode::decode,
    accumulator: || Box::<stream::Message>::default(),
    encode: results::encode,
};
