//! Converse of Amazon Bedrock.

mod decode;
mod results;
mod stream;
mod tools;

use crate::encode::IdRule;
use crate::names::NameRule;
use crate::stream::Framing;
use crate::wire::{Extras, Stream, Strictness, Wire};

pub(crate) const WIRE: Wire = Wire {
    names: NameRule::Portable,
    ids: IdRule::Dotted,
    strictness: Strictness::Always,
    max_tools: None,
    max_description: None,
    extras: Extras {
        cache: true,
        forced_while_thinking: false,
        ..Extras::NONE
    },
    tool: tools::tool,
    request: tools::request,
    body: tools::body,
    decode: decode::decode,
    stream: Stream {
        framing: Framing::None,
        fold: stream::Converse::fold,
    },
    encode: results::encode,
};
