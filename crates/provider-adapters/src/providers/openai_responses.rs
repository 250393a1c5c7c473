//! OpenAI Responses.

mod decode;
mod results;
mod stream;
mod tools;

use serde_json::Value;

use crate::Reasoning;
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
        deferred: true,
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

/// Key of the number of calls before an item.
const AFTER: &str = "after_calls";

/// Adds `calls` to the number of calls before an item, if `reasoning` is a kept item.
pub(crate) fn after_calls(mut reasoning: Reasoning, calls: usize) -> Reasoning {
    if let (Some(Value::Object(data)), 1..) = (&mut reasoning.provider_data, calls)
        && data.contains_key(ITEM)
    {
        let own = data.get(AFTER).and_then(Value::as_u64).unwrap_or_default();
        let own = usize::try_from(own).unwrap_or(usize::MAX);
        data.insert(AFTER.to_owned(), own.saturating_add(calls).into());
    }
    reasoning
}
