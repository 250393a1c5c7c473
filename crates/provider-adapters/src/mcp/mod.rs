//! Tools and sampling of the Model Context Protocol, 2025-11-25.

mod decode;
mod icon;
mod results;
mod stream;
mod task_support;
mod tools;

pub use icon::{Icon, IconTheme};
pub use task_support::TaskSupport;

use crate::encode::IdRule;
use crate::names::NameRule;
use crate::stream::Framing;
use crate::wire::{Extras, Stream, Strictness, Wire, tools_beside};

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
    stream: Stream {
        framing: Framing::None,
        fold: stream::Message::fold,
    },
    encode: results::encode,
};
