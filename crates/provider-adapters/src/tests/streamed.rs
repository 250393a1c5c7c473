//! Response in the format of each provider, complete and as the events of a stream.

use serde_json::{Value, json};

use crate::Provider;

/// Response of a model.
#[derive(Debug, Clone)]
pub(super) struct GeneratedResponse {
    pub(super) text: String,
    pub(super) reasoning: String,
    pub(super) calls: Vec<(String, Value)>,
    /// Whether the response reached the token limit.
    pub(super) is_truncated: bool,
    /// Number of characters per chunk.
    pub(super) piece: usize,
}

impl GeneratedResponse {
    fn pieces(&self, text: &str) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        letters
            .chunks(self.piece)
            .map(|piece| piece.iter().collect())
            .collect()
    }

    fn texts(&self) -> Vec<String> {
        self.pieces(&self.text)
    }

    fn thoughts(&self) -> Vec<String> {
        self.pieces(&self.reasoning)
    }

    /// Returns the position, id, name and arguments of each call.
    fn numbered(&self) -> impl Iterator<Item = (usize, String, &str, String)> {
        self.calls
            .iter()
            .enumerate()
            .map(|(at, (name, arguments))| {
                (at, format!("c{at}"), name.as_str(), arguments.to_string())
            })
    }

    /// Returns one of three finish reasons.
    fn reason<'w>(&self, [cut, calls, stop]: [&'w str; 3]) -> &'w str {
        match (self.is_truncated, self.calls.is_empty()) {
            (true, _) => cut,
            (false, false) => calls,
            (false, true) => stop,
        }
    }
}

const CHAT: [&str; 3] = ["length", "tool_calls", "stop"];
const CONVERSE: [&str; 3] = ["max_tokens", "tool_use", "end_turn"];

pub(super) fn as_whole(provider: Provider, answer: &GeneratedResponse) -> Value {
    match provider {
        Provider::OpenAiResponses => {
            let mut response = responses_end(answer);
            response["output"] = responses_items(answer).into();
            response
        }
        Provider::Anthropic => json!({
            "content": blocks(answer),
            "stop_reason": answer.reason(CONVERSE),
            "usage": {"input_tokens": 1, "output_tokens": 2},
        }),
        Provider::Bedrock => json!({
            "output": {"message": {"content": converse_blocks(answer)}},
            "stopReason": answer.reason(CONVERSE),
            "usage": {"inputTokens": 1, "outputTokens": 2},
        }),
        Provider::Gemini => gemini_chunk(&gemini_parts(answer), Some(gemini_reason(answer))),
        Provider::Ollama => {
            let mut last = ollama_end(answer);
            let calls: Vec<Value> = ollama_calls(answer);
            last["message"] =
                json!({"content": answer.text, "thinking": answer.reasoning, "tool_calls": calls});
            last
        }
        Provider::Cohere => json!({
            "message": {
                "tool_plan": answer.reasoning,
                "content": [{"type": "text", "text": answer.text}],
                "tool_calls": answer.numbered().map(chat_call).collect::<Vec<Value>>(),
            },
            "finish_reason": answer.reason(["MAX_TOKENS", "TOOL_CALL", "COMPLETE"]),
            "usage": {"tokens": {"input_tokens": 1, "output_tokens": 2}},
        }),
        _ => json!({
            "choices": [{
                "message": {
                    "content": answer.text,
                    "reasoning_content": (!answer.reasoning.is_empty()).then_some(&answer.reasoning),
                    "tool_calls": answer.numbered().map(chat_call).collect::<Vec<Value>>(),
                },
                "finish_reason": answer.reason(CHAT),
            }],
            "usage": {"prompt_tokens": 1, "completion_tokens": 2},
        }),
    }
}

pub(super) fn as_stream(provider: Provider, answer: &GeneratedResponse) -> Vec<Value> {
    match provider {
        Provider::OpenAiResponses => responses_stream(answer),
        Provider::Anthropic => anthropic_stream(answer),
        Provider::Bedrock => converse_stream(answer),
        Provider::Gemini => gemini_parts(answer)
            .into_iter()
            .flat_map(|part| split_part(answer, part))
            .map(|part| gemini_chunk(&[part], None))
            .chain([gemini_chunk(&[], Some(gemini_reason(answer)))])
            .collect(),
        Provider::Ollama => ollama_stream(answer),
        Provider::Cohere => cohere_stream(answer),
        _ => chat_stream(answer),
    }
}

fn chat_call((_, id, name, arguments): (usize, String, &str, String)) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

fn chat_stream(answer: &GeneratedResponse) -> Vec<Value> {
    let chunk =
        |delta: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    let mut events = vec![chunk(json!({"role": "assistant", "content": ""}))];
    events.extend(
        answer
            .thoughts()
            .into_iter()
            .map(|text| chunk(json!({"reasoning_content": text}))),
    );
    events.extend(
        answer
            .texts()
            .into_iter()
            .map(|text| chunk(json!({"content": text}))),
    );
    let mut waiting = Vec::new();
    for (at, id, name, arguments) in answer.numbered() {
        let first = json!({"index": at, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
        events.push(chunk(json!({"tool_calls": [first]})));
        let pieces = answer.pieces(&arguments).into_iter();
        let pieces = pieces.map(|piece| json!({"index": at, "function": {"arguments": piece}}));
        waiting.push(pieces.collect::<Vec<Value>>().into_iter());
    }
    // Each event contains one chunk of each call.
    loop {
        let entries: Vec<Value> = waiting.iter_mut().filter_map(Iterator::next).collect();
        if entries.is_empty() {
            break;
        }
        events.push(chunk(json!({"tool_calls": entries})));
    }
    events.push(
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": answer.reason(CHAT)}]}),
    );
    events.push(json!({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}}));
    events
}

fn responses_items(answer: &GeneratedResponse) -> Vec<Value> {
    let thought = json!({"type": "reasoning", "summary": [{"text": answer.reasoning}], "encrypted_content": "e"});
    let meaning =
        json!({"type": "message", "content": [{"type": "output_text", "text": answer.text}]});
    let calls = answer.numbered().map(|(_, id, name, arguments)| {
        json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments})
    });
    [thought, meaning].into_iter().chain(calls).collect()
}

fn responses_end(answer: &GeneratedResponse) -> Value {
    let usage = json!({"input_tokens": 1, "output_tokens": 2});
    if answer.is_truncated {
        let details = json!({"reason": "max_output_tokens"});
        json!({"status": "incomplete", "incomplete_details": details, "output": [], "usage": usage})
    } else {
        json!({"status": "completed", "incomplete_details": null, "output": [], "usage": usage})
    }
}

fn responses_stream(answer: &GeneratedResponse) -> Vec<Value> {
    let mut events = vec![json!({"type": "response.created", "response": {}})];
    for (at, item) in responses_items(answer).into_iter().enumerate() {
        let mut empty = item.clone();
        empty["arguments"] = "".into();
        events
            .push(json!({"type": "response.output_item.added", "output_index": at, "item": empty}));
        let (kind, whole) = match item["type"].as_str() {
            Some("reasoning") => ("reasoning_summary_text", answer.reasoning.as_str()),
            Some("message") => ("output_text", answer.text.as_str()),
            _ => (
                "function_call_arguments",
                item["arguments"].as_str().unwrap(),
            ),
        };
        events.extend(answer.pieces(whole).into_iter().map(|piece| {
            json!({"type": format!("response.{kind}.delta"), "output_index": at, "delta": piece})
        }));
        if kind == "function_call_arguments" {
            events.push(json!({"type": format!("response.{kind}.done"), "output_index": at, "arguments": whole}));
        }
        events.push(json!({"type": "response.output_item.done", "output_index": at, "item": item}));
    }
    let kind = if answer.is_truncated {
        "response.incomplete"
    } else {
        "response.completed"
    };
    events.push(json!({"type": kind, "response": responses_end(answer)}));
    events
}

fn blocks(answer: &GeneratedResponse) -> Vec<Value> {
    let thought = json!({"type": "thinking", "thinking": answer.reasoning, "signature": "s"});
    let meaning = json!({"type": "text", "text": answer.text});
    let calls = answer.calls.iter().enumerate().map(|(at, (name, input))| {
        json!({"type": "tool_use", "id": format!("c{at}"), "name": name, "input": input})
    });
    [thought, meaning].into_iter().chain(calls).collect()
}

fn anthropic_stream(answer: &GeneratedResponse) -> Vec<Value> {
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let mut events = vec![json!({"type": "message_start", "message": {"usage": usage}})];
    for (at, block) in blocks(answer).into_iter().enumerate() {
        let (key, kind, piece_key) = match block["type"].as_str() {
            Some("thinking") => ("thinking", "thinking_delta", "thinking"),
            Some("text") => ("text", "text_delta", "text"),
            _ => ("input", "input_json_delta", "partial_json"),
        };
        let whole = block[key]
            .as_str()
            .map_or_else(|| block[key].to_string(), str::to_owned);
        let mut first = block.clone();
        first[key] = if key == "input" { json!({}) } else { "".into() };
        if key == "thinking" {
            first["signature"] = "".into();
        }
        events.push(json!({"type": "content_block_start", "index": at, "content_block": first}));
        events.extend(answer.pieces(&whole).into_iter().map(|piece| {
            json!({"type": "content_block_delta", "index": at, "delta": {"type": kind, (piece_key): piece}})
        }));
        if key == "thinking" {
            let delta = json!({"type": "signature_delta", "signature": "s"});
            events.push(json!({"type": "content_block_delta", "index": at, "delta": delta}));
        }
        events.push(json!({"type": "content_block_stop", "index": at}));
    }
    let reason = answer.reason(CONVERSE);
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 2}}));
    events.push(json!({"type": "message_stop"}));
    events
}

fn converse_blocks(answer: &GeneratedResponse) -> Vec<Value> {
    let words = json!({"text": answer.reasoning, "signature": "s"});
    let calls = answer.calls.iter().enumerate().map(|(at, (name, input))| {
        json!({"toolUse": {"toolUseId": format!("c{at}"), "name": name, "input": input}})
    });
    [
        json!({"reasoningContent": {"reasoningText": words}}),
        json!({"text": answer.text}),
    ]
    .into_iter()
    .chain(calls)
    .collect()
}

fn converse_stream(answer: &GeneratedResponse) -> Vec<Value> {
    let delta = |at: usize, delta: Value| json!({"contentBlockDelta": {"contentBlockIndex": at, "delta": delta}});
    let stop = |at: usize| json!({"contentBlockStop": {"contentBlockIndex": at}});
    let mut events = vec![json!({"messageStart": {"role": "assistant"}})];
    let thought = |text: String| delta(0, json!({"reasoningContent": {"text": text}}));
    events.push(thought(String::new()));
    events.extend(answer.thoughts().into_iter().map(thought));
    events.push(delta(0, json!({"reasoningContent": {"signature": "s"}})));
    events.push(stop(0));
    events.extend(
        answer
            .texts()
            .into_iter()
            .map(|text| delta(1, json!({"text": text}))),
    );
    events.push(stop(1));
    for (at, id, name, arguments) in answer.numbered() {
        let start = json!({"toolUse": {"toolUseId": id, "name": name}});
        events.push(json!({"contentBlockStart": {"contentBlockIndex": at + 2, "start": start}}));
        let pieces = answer.pieces(&arguments).into_iter();
        events.extend(pieces.map(|piece| delta(at + 2, json!({"toolUse": {"input": piece}}))));
        events.push(stop(at + 2));
    }
    events.push(json!({"messageStop": {"stopReason": answer.reason(CONVERSE)}}));
    events.push(json!({"metadata": {"usage": {"inputTokens": 1, "outputTokens": 2}}}));
    events
}

fn gemini_reason(answer: &GeneratedResponse) -> &'static str {
    answer.reason(["MAX_TOKENS", "STOP", "STOP"])
}

fn gemini_parts(answer: &GeneratedResponse) -> Vec<Value> {
    let calls = answer.calls.iter().map(|(name, arguments)| {
        json!({"functionCall": {"name": name, "args": arguments}, "thoughtSignature": "cw=="})
    });
    let words = [
        (
            &answer.reasoning,
            json!({"text": answer.reasoning, "thought": true}),
        ),
        (&answer.text, json!({"text": answer.text})),
    ];
    let words = words.into_iter().filter(|(text, _)| !text.is_empty());
    words.map(|(_, part)| part).chain(calls).collect()
}

fn split_part(answer: &GeneratedResponse, part: Value) -> Vec<Value> {
    let Some(text) = part["text"].as_str() else {
        return vec![part];
    };
    let of = |piece: String| {
        let mut part = part.clone();
        part["text"] = piece.into();
        part
    };
    answer.pieces(text).into_iter().map(of).collect()
}

fn gemini_chunk(parts: &[Value], reason: Option<&str>) -> Value {
    json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 2},
    })
}

fn ollama_calls(answer: &GeneratedResponse) -> Vec<Value> {
    let calls = answer.calls.iter();
    calls
        .map(|(name, arguments)| json!({"function": {"name": name, "arguments": arguments}}))
        .collect()
}

fn ollama_end(answer: &GeneratedResponse) -> Value {
    json!({
        "message": {"content": ""}, "done": true, "done_reason": answer.reason(["length", "stop", "stop"]),
        "prompt_eval_count": 1, "eval_count": 2,
    })
}

fn ollama_stream(answer: &GeneratedResponse) -> Vec<Value> {
    let line = |message: Value| json!({"message": message, "done": false});
    let thoughts = answer
        .thoughts()
        .into_iter()
        .map(|text| json!({"content": "", "thinking": text}));
    let texts = answer
        .texts()
        .into_iter()
        .map(|text| json!({"content": text}));
    let calls = ollama_calls(answer)
        .into_iter()
        .map(|call| json!({"content": "", "tool_calls": [call]}));
    let lines = thoughts.chain(texts).chain(calls).map(line);
    lines.chain([ollama_end(answer)]).collect()
}

fn cohere_stream(answer: &GeneratedResponse) -> Vec<Value> {
    let event = |kind: &str, at: usize, message: Value| json!({"type": kind, "index": at, "delta": {"message": message}});
    let mut events = vec![event("message-start", 0, json!({"role": "assistant"}))];
    events.extend(
        answer
            .thoughts()
            .into_iter()
            .map(|text| event("tool-plan-delta", 0, json!({"tool_plan": text}))),
    );
    let content = |text: String| json!({"content": {"type": "text", "text": text}});
    events.push(event("content-start", 0, content(String::new())));
    events.extend(
        answer
            .texts()
            .into_iter()
            .map(|text| event("content-delta", 0, content(text))),
    );
    events.push(json!({"type": "content-end", "index": 0}));
    for (at, id, name, arguments) in answer.numbered() {
        let call = chat_call((at, id, name, String::new()));
        events.push(event("tool-call-start", at, json!({"tool_calls": call})));
        let pieces = answer.pieces(&arguments).into_iter();
        events.extend(pieces.map(|piece| {
            event(
                "tool-call-delta",
                at,
                json!({"tool_calls": {"function": {"arguments": piece}}}),
            )
        }));
        events.push(json!({"type": "tool-call-end", "index": at}));
    }
    let usage = json!({"tokens": {"input_tokens": 1, "output_tokens": 2}});
    let reason = answer.reason(["MAX_TOKENS", "TOOL_CALL", "COMPLETE"]);
    events.push(json!({"type": "message-end", "delta": {"finish_reason": reason, "usage": usage}}));
    events
}
