//! Responses of OpenAI.

mod decode;
mod results;
mod tools;

use crate::openai;
use crate::wire::{Extras, Wire};

pub(crate) const WIRE: Wire = Wire {
    max_description: None,
    extras: Extras {
        deferred: true,
        output_schemas: true,
        ..Extras::NONE
    },
    tool: tools::tool,
    request: tools::request,
    decode: decode::decode,
    encode: results::encode,
    ..openai::WIRE
};

/// The key under which an item that goes back unchanged is kept.
const ITEM: &str = "output_item";

/// The key under which the fields of a call that nothing here reads are kept.
const FIELDS: &str = "output_fields";

/// The key that says how many calls stood before an item.
const AFTER: &str = "after_calls";
