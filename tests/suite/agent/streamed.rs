//! `task` with `--stream` and with a final answer in JSON.

use serde_json::{Value, json};
use tool_test::Scratch;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::{ANSWER, bedrock, over_http, run};

/// Chunks of the streamed answer.
const CHUNKS: [&str; 2] = ["There is ", "one file."];

type Call<'c> = Option<(&'c str, &'c Value)>;

/// Returns the media type and body of a streamed response.
fn stream(provider: &str, call: Call<'_>) -> (&'static str, String) {
    let events = match provider {
        "anthropic" => anthropic(call),
        "gemini" | "gemini_openapi" => gemini(call),
        "ollama" => return ("application/x-ndjson", framed(&ollama(call), "", "\n")),
        "openai_responses" => responses(call),
        "cohere" => cohere(call),
        "bedrock" => return ("application/json", bedrock(call).to_string()),
        _ => chat(call),
    };
    ("text/event-stream", framed(&events, "data: ", "\n\n"))
}

fn framed(events: &[Value], before: &str, after: &str) -> String {
    let events: Vec<String> = events
        .iter()
        .map(|event| format!("{before}{event}{after}"))
        .collect();
    events.concat()
}

fn chat(call: Call<'_>) -> Vec<Value> {
    let chunk = |delta: Value, finish: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    let (mut events, finish) = if let Some((name, arguments)) = call {
        let function = json!({"name": name, "arguments": arguments.to_string()});
        let calls = json!([{"index": 0, "id": "c1", "type": "function", "function": function}]);
        let called = chunk(json!({"tool_calls": calls}), Value::Null);
        (vec![called], "tool_calls")
    } else {
        let chunks = CHUNKS.map(|piece| chunk(json!({"content": piece}), Value::Null));
        (chunks.to_vec(), "stop")
    };
    events.push(chunk(json!({}), finish.into()));
    events.push(json!({"choices": [], "usage": {"prompt_tokens": 50, "completion_tokens": 5}}));
    events
}

fn anthropic(call: Call<'_>) -> Vec<Value> {
    let delta = |delta: Value| json!({"type": "content_block_delta", "index": 0, "delta": delta});
    let (block, deltas, stop) = match call {
        Some((name, arguments)) => (
            json!({"type": "tool_use", "id": "c1", "name": name, "input": {}}),
            vec![delta(
                json!({"type": "input_json_delta", "partial_json": arguments.to_string()}),
            )],
            "tool_use",
        ),
        None => (
            json!({"type": "text", "text": ""}),
            CHUNKS
                .iter()
                .map(|piece| delta(json!({"type": "text_delta", "text": piece})))
                .collect(),
            "end_turn",
        ),
    };
    let mut events = vec![
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 50, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
    ];
    events.extend(deltas);
    events.extend([
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 5}}),
        json!({"type": "message_stop"}),
    ]);
    events
}

fn gemini(call: Call<'_>) -> Vec<Value> {
    let parts: Vec<Value> = match call {
        Some((name, arguments)) => vec![json!({"functionCall": {"name": name, "args": arguments}})],
        None => CHUNKS.iter().map(|piece| json!({"text": piece})).collect(),
    };
    let candidate =
        |part: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]});
    let mut events: Vec<Value> = parts.into_iter().map(candidate).collect();
    let last = events.last_mut().expect("there is an event");
    last["candidates"][0]["finishReason"] = "STOP".into();
    last["usageMetadata"] = json!({"promptTokenCount": 50, "candidatesTokenCount": 5});
    events
}

fn ollama(call: Call<'_>) -> Vec<Value> {
    let line = |message: Value| json!({"message": message, "done": false});
    let mut events: Vec<Value> = match call {
        Some((name, arguments)) => {
            let calls = json!([{"function": {"name": name, "arguments": arguments}}]);
            vec![line(json!({"content": "", "tool_calls": calls}))]
        }
        None => CHUNKS
            .iter()
            .map(|piece| line(json!({"content": piece})))
            .collect(),
    };
    events.push(
        json!({"message": {"content": ""}, "done": true, "done_reason": "stop",
        "prompt_eval_count": 50, "eval_count": 5}),
    );
    events
}

fn responses(call: Call<'_>) -> Vec<Value> {
    let deltas: Vec<Value> = match call {
        Some(_) => Vec::new(),
        None => CHUNKS
            .iter()
            .map(|piece| {
                json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": piece})
            })
            .collect(),
    };
    let whole = super::responses(call);
    let added = match call {
        Some(_) => whole["output"][0].clone(),
        None => json!({"type": "message", "content": []}),
    };
    let mut events =
        vec![json!({"type": "response.output_item.added", "output_index": 0, "item": added})];
    events.extend(deltas);
    events.extend([
        json!({"type": "response.output_item.done", "output_index": 0, "item": whole["output"][0]}),
        json!({"type": "response.completed", "response": whole}),
    ]);
    events
}

fn cohere(call: Call<'_>) -> Vec<Value> {
    let event = |kind: &str, message: Value| json!({"type": kind, "index": 0, "delta": {"message": message}});
    let (mut events, finish) = if let Some((name, arguments)) = call {
        let function = json!({"name": name, "arguments": arguments.to_string()});
        let call = json!({"id": "c1", "type": "function", "function": function});
        let begun = event("tool-call-start", json!({"tool_calls": call}));
        (
            vec![begun, json!({"type": "tool-call-end", "index": 0})],
            "TOOL_CALL",
        )
    } else {
        let text = json!({"content": {"type": "text", "text": ""}});
        let mut events = vec![event("content-start", text)];
        events.extend(
            CHUNKS.map(|piece| event("content-delta", json!({"content": {"text": piece}}))),
        );
        events.push(json!({"type": "content-end", "index": 0}));
        (events, "COMPLETE")
    };
    let usage = json!({"tokens": {"input_tokens": 50, "output_tokens": 5}});
    events.push(json!({"type": "message-end", "delta": {"finish_reason": finish, "usage": usage}}));
    events
}

/// Starts a server that streams a call of `list`, and the answer after receiving the files.
async fn server(provider: &'static str) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .respond_with(move |request: &Request| {
            let answered = String::from_utf8_lossy(&request.body).contains("only.txt");
            let arguments = json!({"path": "."});
            let call = (!answered).then_some(("list", &arguments));
            let (kind, body) = stream(provider, call);
            ResponseTemplate::new(200).set_body_raw(body, kind)
        })
        .mount(&server)
        .await;
    server
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_call_and_final_answer_with_every_wire() {
    let scratch = Scratch::new().file("only.txt", "one\n");
    for provider in over_http() {
        let server = server(provider).await;

        let run = run(&[
            "--provider",
            provider,
            "--base-url",
            &super::base_url(provider, &server),
            "--model",
            "some-model",
            "--workspace",
            scratch.path().to_str().unwrap(),
            "--stream",
        ]);

        assert_eq!(
            (run.code, run.complained.as_str()),
            (Some(0), ""),
            "{provider}"
        );
        let answers = run.stdout.matches(ANSWER).count();
        assert_eq!(answers, 1, "{provider}: {}", run.stdout);
        for part in [
            "→ list [read_only] {\"path\":\".\"}",
            "completed: 2 of 20 turns, 1 call, 110 tokens (100 read, 10 written)",
        ] {
            assert!(
                run.stdout.contains(part),
                "{provider}: {part}\n{}",
                run.stdout
            );
        }
        let requests = server.received_requests().await.unwrap();
        let asked = String::from_utf8_lossy(&requests[0].body).contains("\"stream\":true")
            || requests[0].url.as_str().ends_with("alt=sse");
        assert_eq!(asked, provider != "bedrock", "{provider}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn prints_only_json_with_json_option() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .respond_with(|request: &Request| {
            let is_told = String::from_utf8_lossy(&request.body).contains("contains no JSON");
            let text = if is_told {
                "Sorry. [\"only.txt\"] Bye."
            } else {
                "One file."
            };
            let message =
                json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
            ResponseTemplate::new(200).set_body_json(message)
        })
        .mount(&server)
        .await;

    let run = run(&[
        "--provider",
        "openai",
        "--base-url",
        &server.uri(),
        "--json",
    ]);

    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(run.stdout, "[\"only.txt\"]\n");
}
