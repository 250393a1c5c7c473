//! Ollama's native chat endpoint.

mod decode;
mod results;
mod stream;
mod tools;

use crate::wire::{
    Endpoint, Extras, Framing, IdRule, NameRule, StreamSwitch, Strictness, UsageFields, Wire,
    tools_beside,
};

pub(crate) const WIRE: Wire = Wire {
    name: "ollama",
    endpoint: Endpoint {
        version: Some("api"),
        path: "chat",
        stream_switch: StreamSwitch::OnOrOff,
        framing: Framing::Lines,
        token_limit: "/options/num_predict",
        temperature: ("/options/temperature", 2.0),
        stop: ("/options/stop", usize::MAX),
        effort: "/think",
        usage: &[UsageFields {
            input: &["/prompt_eval_count"],
            output: &["/eval_count"],
            total: "",
            cached: &[],
            cache_write: "",
            reasoning: "",
        }],
        ..Endpoint::CHAT_COMPLETIONS.at("http://127.0.0.1:11434")
    },
    names: NameRule::Free,
    ids: IdRule::Free,
    strictness: Strictness::Never,
    max_tools: None,
    max_description: None,
    extras: Extras::NONE,
    tool: tools::tool,
    request: tools::request,
    body: tools_beside,
    decode: decode::decode,
    accumulator: || Box::<stream::Chat>::default(),
    encode: results::encode,
};
