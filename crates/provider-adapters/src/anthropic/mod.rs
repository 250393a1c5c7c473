//! Messages of Anthropic.

mod budget;
mod callers;
mod decode;
mod results;
mod stream;
mod tools;

pub(crate) use budget::StrictBudget;
pub(crate) use decode::leave_unfinished;
pub(crate) use tools::input_schema;

use crate::encode::IdRule;
use crate::names::NameRule;
use crate::stream::Framing;
use crate::wire::{Extras, Stream, Strictness, Wire, tools_beside};

pub(crate) const WIRE: Wire = Wire {
    names: NameRule::Portable,
    ids: IdRule::Portable,
    strictness: Strictness::Always,
    max_tools: None,
    max_description: None,
    extras: Extras {
        cache: true,
        deferred: true,
        callers: true,
        eager_input: true,
        examples: true,
        forced_while_thinking: false,
        ..Extras::NONE
    },
    tool: tools::tool,
    request: tools::request,
    body: tools_beside,
    decode: decode::decode,
    stream: Stream {
        framing: Framing::Events,
        fold: stream::Messages::fold,
    },
    encode: results::encode,
};
