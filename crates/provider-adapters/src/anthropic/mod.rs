//! Messages of Anthropic.

mod budget;
mod decode;
mod results;
mod tools;

pub(crate) use budget::StrictBudget;
pub(crate) use decode::leave_unfinished;
pub(crate) use tools::input_schema;

use crate::encode::IdRule;
use crate::names::NameRule;
use crate::wire::{Extras, Strictness, Wire, tools_beside};

pub(crate) const WIRE: Wire = Wire {
    names: NameRule::Portable,
    ids: IdRule::Portable,
    strictness: Strictness::Always,
    max_tools: None,
    max_description: None,
    extras: Extras {
        cache: true,
        deferred: true,
        examples: true,
        output_schemas: false,
        forced_while_thinking: false,
    },
    tool: tools::tool,
    request: tools::request,
    body: tools_beside,
    decode: decode::decode,
    encode: results::encode,
};
