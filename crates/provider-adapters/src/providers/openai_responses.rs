//! OpenAI Responses.

mod decode;
mod results;
mod stream;
mod tools;

use crate::providers::openai;
use crate::wire::{Endpoint, Extras, ReplyFormat, StreamSwitch, UsageFields, Wire};

pub(crate) const WIRE: Wire = Wire {
    name: "openai_responses",
    endpoint: Endpoint {
        path: "responses",
        stream_switch: StreamSwitch::Flag,
        token_limit: "/max_output_tokens",
        // Responses has no stop sequences.
        stop: ("", 0),
        effort: "/reasoning/effort",
        answer: ReplyFormat::TextFormat,
        usage: &[UsageFields {
            input: &["/usage/input_tokens"],
            output: &["/usage/output_tokens"],
            cached: &["/usage/input_tokens_details/cached_tokens"],
            reasoning: "/usage/output_tokens_details/reasoning_tokens",
            ..UsageFields::NONE
        }],
        ..openai::WIRE.endpoint
    },
    max_description: None,
    extras: Extras {
        search: Some(tools::search),
        documents: true,
        ..Extras::NONE
    },
    tool: tools::tool,
    request: tools::request,
    decode: decode::decode,
    accumulator: || Box::<stream::Responses>::default(),
    encode: results::encode,
    ..openai::WIRE
};

/// Key of an item that is sent back unchanged.
const ITEM: &str = "output_item";

/// Key of the fields of a call that are not decoded.
const FIELDS: &str = "output_fields";

/// Key of the item id of a call.
const ITEM_ID: &str = "output_item_id";

/// Key of the phase of a message, which tells commentary between calls from the final answer.
const PHASE: &str = "phase";
