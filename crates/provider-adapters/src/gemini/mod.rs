//! Gemini `generateContent`, with whole JSON Schemas or its reduced `OpenAPI` form.

mod decode;
mod openapi;
mod results;
mod stream;
mod tools;

use crate::encode::IdRule;
use crate::names::NameRule;
use crate::stream::Framing;
use crate::wire::{Extras, Stream, Strictness, Wire};

pub(crate) const WIRE: Wire = Wire {
    names: NameRule::LeadingLetter,
    ids: IdRule::Free,
    strictness: Strictness::OfRequest,
    max_tools: Some(128),
    max_description: None,
    extras: Extras {
        non_blocking: true,
        output_schemas: true,
        ..Extras::NONE
    },
    tool: tools::tool,
    request: tools::request,
    body: tools::body,
    decode: decode::decode,
    stream: Stream {
        framing: Framing::Events,
        fold: stream::Contents::fold,
    },
    encode: results::encode,
};

/// The same with the reduced form of schemas.
pub(crate) const OPENAPI_WIRE: Wire = Wire {
    extras: Extras {
        non_blocking: true,
        ..Extras::NONE
    },
    tool: openapi::tool,
    ..WIRE
};
