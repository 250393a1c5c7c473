//! Responses of each provider, complete and streamed: a call of `add`, then the final answer.

use provider_adapters::Provider;
use serde_json::{Value, json};

/// Arguments of the call, and their chunks in a stream.
const ARGUMENTS: &str = r#"{"a":2,"b":40}"#;
const PIECES: [&str; 2] = [r#"{"a":2,"#, r#""b":40}"#];

/// Responses of one provider.
pub(super) struct Wire {
    pub(super) provider: Provider,
    pub(super) path: &'static str,
    pub(super) key: (&'static str, &'static str),
    pub(super) call: Value,
    pub(super) answer: Value,
    /// Streamed responses; empty for Bedrock, whose streams are binary.
    pub(super) call_stream: String,
    pub(super) answer_stream: String,
}

pub(super) fn wires() -> [Wire; 8] {
    [
        open_ai(),
        responses(),
        anthropic(),
        gemini(),
        ollama(),
        mistral(),
        cohere(),
        bedrock(),
    ]
}

/// Providers with streams.
pub(super) fn streaming_wires() -> impl Iterator<Item = Wire> {
    let wires = wires().into_iter();
    wires.filter(|wire| !wire.answer_stream.is_empty())
}

/// Server-sent events, with an event name if the value has a type.
pub(super) fn events(values: &[Value]) -> String {
    let event = |value: &Value| match value["type"].as_str() {
        Some(name) => format!("event: {name}\ndata: {value}\n\n"),
        None => format!("data: {value}\n\n"),
    };
    values.iter().map(event).collect()
}

/// Chat Completions stream with its end marker.
fn chunks(values: &[Value]) -> String {
    format!("{}data: [DONE]\n\n", events(values))
}

pub(super) fn open_ai() -> Wire {
    let call = json!({"id": "call_1", "type": "function", "function": {"name": "add", "arguments": ARGUMENTS}});
    let delta =
        |delta: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    let finish =
        |reason: &str| json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
    let usage =
        |input: u64, output: u64| json!({"prompt_tokens": input, "completion_tokens": output});
    let piece = |piece: &str| {
        delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}))
    };
    Wire {
        provider: Provider::OpenAi,
        path: "/chat/completions",
        key: ("authorization", "Bearer k3y"),
        call: json!({
            "choices": [{"message": {"content": null, "tool_calls": [call]}, "finish_reason": "tool_calls"}],
            "usage": usage(50, 5),
        }),
        answer: json!({
            "choices": [{"message": {"content": "It is 42."}, "finish_reason": "stop"}],
            "usage": usage(60, 6),
        }),
        call_stream: chunks(&[
            delta(
                json!({"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": {"name": "add", "arguments": ""}}]}),
            ),
            piece(PIECES[0]),
            piece(PIECES[1]),
            finish("tool_calls"),
            json!({"choices": [], "usage": usage(50, 5)}),
        ]),
        answer_stream: chunks(&[
            delta(json!({"role": "assistant", "content": ""})),
            delta(json!({"content": "It is"})),
            delta(json!({"content": " 42."})),
            finish("stop"),
            json!({"choices": [], "usage": usage(60, 6)}),
        ]),
    }
}

/// Mistral sends complete calls, together with the finish reason and the tokens.
fn mistral() -> Wire {
    let chat = open_ai();
    let call =
        json!({"index": 0, "id": "call_1", "function": {"name": "add", "arguments": ARGUMENTS}});
    let chunk = |delta: Value, reason: Value, usage: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}], "usage": usage});
    Wire {
        provider: Provider::Mistral,
        call_stream: chunks(&[chunk(
            json!({"tool_calls": [call]}),
            "tool_calls".into(),
            chat.call["usage"].clone(),
        )]),
        answer_stream: chunks(&[
            chunk(json!({"content": "It is"}), Value::Null, Value::Null),
            chunk(
                json!({"content": " 42."}),
                "stop".into(),
                chat.answer["usage"].clone(),
            ),
        ]),
        ..chat
    }
}

fn responses() -> Wire {
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "add", "arguments": ARGUMENTS});
    let message = json!({"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "It is 42."}]});
    let whole = |item: &Value, input: u64, output: u64| json!({"status": "completed", "output": [item], "usage": {"input_tokens": input, "output_tokens": output}});
    let (called, answered) = (whole(&call, 50, 5), whole(&message, 60, 6));
    let begun = json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "add", "arguments": ""});
    let added = |item: &Value| json!({"type": "response.output_item.added", "output_index": 0, "item": item});
    let done = |item: &Value| json!({"type": "response.output_item.done", "output_index": 0, "item": item});
    let arguments = |piece: &str| json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": piece});
    let text = |piece: &str| json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": piece});
    let completed = |whole: &Value| json!({"type": "response.completed", "response": whole});
    Wire {
        provider: Provider::OpenAiResponses,
        path: "/responses",
        key: ("authorization", "Bearer k3y"),
        call_stream: events(&[
            added(&begun),
            arguments(PIECES[0]),
            arguments(PIECES[1]),
            done(&call),
            completed(&called),
        ]),
        answer_stream: events(&[
            added(&json!({"type": "message", "content": []})),
            text("It is"),
            text(" 42."),
            done(&message),
            completed(&answered),
        ]),
        call: called,
        answer: answered,
    }
}

pub(super) fn anthropic() -> Wire {
    let start = |input: u64| json!({"type": "message_start", "message": {"usage": {"input_tokens": input, "output_tokens": 1}}});
    let begin =
        |block: Value| json!({"type": "content_block_start", "index": 0, "content_block": block});
    let delta = |delta: Value| json!({"type": "content_block_delta", "index": 0, "delta": delta});
    let input = |piece: &str| delta(json!({"type": "input_json_delta", "partial_json": piece}));
    let text = |piece: &str| delta(json!({"type": "text_delta", "text": piece}));
    let stop = || json!({"type": "content_block_stop", "index": 0});
    let end = |reason: &str, output: u64| json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": output}});
    let last = || json!({"type": "message_stop"});
    Wire {
        provider: Provider::Anthropic,
        path: "/v1/messages",
        key: ("x-api-key", "k3y"),
        call: json!({
            "content": [{"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 2, "b": 40}}],
            "stop_reason": "tool_use",
            "usage": {"input_tokens": 50, "output_tokens": 5},
        }),
        answer: json!({
            "content": [{"type": "text", "text": "It is 42."}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 60, "output_tokens": 6},
        }),
        call_stream: events(&[
            start(50),
            begin(json!({"type": "tool_use", "id": "toolu_1", "name": "add", "input": {}})),
            json!({"type": "ping"}),
            input(""),
            input(PIECES[0]),
            input(PIECES[1]),
            stop(),
            end("tool_use", 5),
            last(),
        ]),
        answer_stream: events(&[
            start(60),
            begin(json!({"type": "text", "text": ""})),
            text("It is"),
            text(" 42."),
            stop(),
            end("end_turn", 6),
            last(),
        ]),
    }
}

fn gemini() -> Wire {
    let call = || json!({"functionCall": {"name": "add", "args": {"a": 2, "b": 40}}});
    let text = |text: &str| json!({"text": text});
    let usage = |input: u64, output: u64| json!({"promptTokenCount": input, "candidatesTokenCount": output});
    let whole = |part: Value, usage: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}], "usageMetadata": usage});
    Wire {
        provider: Provider::Gemini,
        path: "/v1beta/models/m:generateContent",
        key: ("x-goog-api-key", "k3y"),
        call: whole(call(), usage(50, 5)),
        answer: whole(text("It is 42."), usage(60, 6)),
        call_stream: events(&[whole(call(), usage(50, 5))]),
        answer_stream: events(&[
            json!({"candidates": [{"content": {"role": "model", "parts": [text("It is")]}}]}),
            whole(text(" 42."), usage(60, 6)),
        ]),
    }
}

fn ollama() -> Wire {
    let call = || json!([{"function": {"name": "add", "arguments": {"a": 2, "b": 40}}}]);
    let done = |message: Value, input: u64, output: u64| json!({"message": message, "done": true, "done_reason": "stop", "prompt_eval_count": input, "eval_count": output});
    let said = |text: &str| json!({"role": "assistant", "content": text});
    let called = || json!({"role": "assistant", "content": "", "tool_calls": call()});
    let line = |message: Value| json!({"message": message, "done": false});
    Wire {
        provider: Provider::Ollama,
        path: "/api/chat",
        key: ("authorization", "Bearer k3y"),
        call: done(called(), 50, 5),
        answer: done(said("It is 42."), 60, 6),
        call_stream: format!("{}\n{}\n", line(called()), done(said(""), 50, 5)),
        answer_stream: format!(
            "{}\n{}\n{}\n",
            line(said("It is")),
            line(said(" 42.")),
            done(said(""), 60, 6)
        ),
    }
}

fn cohere() -> Wire {
    let usage = |input: u64, output: u64| json!({"tokens": {"input_tokens": input, "output_tokens": output}});
    let call = json!({"id": "call_1", "type": "function", "function": {"name": "add", "arguments": ARGUMENTS}});
    let event = |kind: &str, message: Value| json!({"type": kind, "index": 0, "delta": {"message": message}});
    let piece = |piece: &str| {
        event(
            "tool-call-delta",
            json!({"tool_calls": {"function": {"arguments": piece}}}),
        )
    };
    let text = |text: &str| event("content-delta", json!({"content": {"text": text}}));
    let end = |reason: &str, usage: Value| json!({"type": "message-end", "delta": {"finish_reason": reason, "usage": usage}});
    Wire {
        provider: Provider::Cohere,
        path: "/v2/chat",
        key: ("authorization", "Bearer k3y"),
        call: json!({
            "message": {"role": "assistant", "tool_calls": [call]},
            "finish_reason": "TOOL_CALL",
            "usage": usage(50, 5),
        }),
        answer: json!({
            "message": {"role": "assistant", "content": [{"type": "text", "text": "It is 42."}]},
            "finish_reason": "COMPLETE",
            "usage": usage(60, 6),
        }),
        call_stream: events(&[
            event(
                "tool-call-start",
                json!({"tool_calls": {"id": "call_1", "type": "function", "function": {"name": "add", "arguments": ""}}}),
            ),
            piece(PIECES[0]),
            piece(PIECES[1]),
            json!({"type": "tool-call-end", "index": 0}),
            end("TOOL_CALL", usage(50, 5)),
        ]),
        answer_stream: events(&[
            event(
                "content-start",
                json!({"content": {"type": "text", "text": ""}}),
            ),
            text("It is"),
            text(" 42."),
            json!({"type": "content-end", "index": 0}),
            end("COMPLETE", usage(60, 6)),
        ]),
    }
}

fn bedrock() -> Wire {
    let whole = |block: Value, reason: &str, input: u64, output: u64| {
        json!({"output": {"message": {"role": "assistant", "content": [block]}}, "stopReason": reason,
            "usage": {"inputTokens": input, "outputTokens": output}})
    };
    let call =
        json!({"toolUse": {"toolUseId": "call_1", "name": "add", "input": {"a": 2, "b": 40}}});
    Wire {
        provider: Provider::Bedrock,
        path: "/model/m/converse",
        key: ("authorization", "Bearer k3y"),
        call: whole(call, "tool_use", 50, 5),
        answer: whole(json!({"text": "It is 42."}), "end_turn", 60, 6),
        call_stream: String::new(),
        answer_stream: String::new(),
    }
}
