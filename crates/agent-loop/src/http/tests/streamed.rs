//! Streamed responses.

use std::sync::{Arc, Mutex};

use super::server::{chunk, end, head};
use super::wires::{anthropic, events, open_ai, streaming_wires};
use super::*;
use crate::{Event, EventKind, ReplyPiece};

/// Content type of a provider's streams.
fn kind(provider: Provider) -> &'static str {
    if provider == Provider::Ollama {
        "application/x-ndjson"
    } else {
        "text/event-stream; charset=utf-8"
    }
}

/// Server that streams the call and then the final answer, in chunks of `piece` bytes.
async fn streaming(wire: &Wire, piece: usize) -> Server {
    let script = |body: &str| {
        let pieces = body.as_bytes().chunks(piece).map(chunk);
        std::iter::once(head(kind(wire.provider)))
            .chain(pieces)
            .chain([end()])
            .collect()
    };
    Server::start(vec![script(&wire.call_stream), script(&wire.answer_stream)]).await
}

fn streaming_model(provider: Provider, origin: &str) -> HttpModel {
    HttpModel::new(provider, "m", origin)
        .unwrap()
        .with_key("k3y")
        .unwrap()
        .with_stream(true)
}

/// Formatted parts of all replies.
type Parts = Arc<Mutex<Vec<String>>>;

fn recording(agent: AgentLoop) -> (AgentLoop, Parts) {
    let parts = Parts::default();
    let log = Arc::clone(&parts);
    let agent = agent.on_event(move |event: &Event<'_>| {
        if let EventKind::ModelPartial { piece } = event.kind {
            let turn = event.turn;
            let line = match piece {
                ReplyPiece::Text(text) => format!("{turn}: {text}"),
                ReplyPiece::Reasoning(text) => format!("{turn}: ({text})"),
                ReplyPiece::Call { call, name, .. } => format!("{turn}: call {call} of {name}"),
                ReplyPiece::Arguments { call, text } => format!("{turn}: {text} for {call}"),
            };
            log.lock().unwrap().push(line);
        }
    });
    (agent, parts)
}

#[tokio::test]
async fn streamed_run_equals_complete_run() {
    for wire in streaming_wires() {
        let server = MockServer::start().await;
        let whole = talk(&wire, &server).await;
        for piece in [1, 7, 100_000] {
            let server = streaming(&wire, piece).await;
            let model = streaming_model(wire.provider, &server.origin);

            let streamed = AgentLoop::new(registry(), model)
                .run("What is 2 + 40?")
                .with_id(whole.run.as_str())
                .await;

            assert_eq!(streamed, whole, "{} {piece}", wire.provider);
            assert_eq!(streamed.usage.total_tokens(), 121, "{}", wire.provider);
        }
    }
}

#[tokio::test]
async fn parts_use_canonical_tool_names() {
    for wire in streaming_wires() {
        let server = streaming(&wire, 11).await;
        let model = streaming_model(wire.provider, &server.origin);
        let (agent, parts) = recording(AgentLoop::new(registry(), model));

        agent.run("What is 2 + 40?").await;

        let parts = parts.lock().unwrap().clone();
        let provider = wire.provider;
        assert_eq!(parts[0], "1: call 0 of add", "{provider}");
        let arguments: String = parts
            .iter()
            .filter_map(|line| line.strip_prefix("1: ")?.strip_suffix(" for 0"))
            .collect();
        assert_eq!(arguments, r#"{"a":2,"b":40}"#, "{provider}");
        let words: Vec<&str> = parts
            .iter()
            .filter_map(|line| line.strip_prefix("2: "))
            .collect();
        assert_eq!(words, ["It is", " 42."], "{provider}");
    }
}

#[tokio::test]
async fn requests_streams_in_provider_format() {
    for wire in streaming_wires() {
        let server = streaming(&wire, 100_000).await;
        let model = streaming_model(wire.provider, &server.origin);

        AgentLoop::new(registry(), model).run("Add.").await;

        let request = server.requests().remove(0);
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        let body: Value = serde_json::from_str(body).unwrap();
        if wire.provider == Provider::Gemini {
            let line = "POST /v1beta/models/m:streamGenerateContent?alt=sse HTTP/1.1";
            assert!(head.starts_with(line), "{head}");
        } else {
            assert!(head.starts_with(&format!("POST {} ", wire.path)), "{head}");
            assert_eq!(body["stream"], json!(true), "{body}");
        }
        let wants_usage = wire.provider == Provider::OpenAi;
        let reported = body.pointer("/stream_options/include_usage").is_some();
        assert_eq!(reported, wants_usage, "{body}");
    }
}

#[tokio::test]
async fn bedrock_never_streams() {
    let wire = wires().into_iter().next_back().unwrap();
    let server = answering(ResponseTemplate::new(200).set_body_json(&wire.answer)).await;

    let reply = respond(&streaming_model(wire.provider, &server.uri())).await;

    assert_eq!(reply.unwrap().text, "It is 42.");
    let requests = server.received_requests().await.unwrap();
    assert_eq!(requests[0].url.path(), "/model/m/converse");
}

#[tokio::test]
async fn accepts_complete_response_to_stream_request() {
    for wire in streaming_wires() {
        let server = answering(ResponseTemplate::new(200).set_body_json(&wire.answer)).await;

        let reply = respond(&streaming_model(wire.provider, &server.uri())).await;

        assert_eq!(reply.unwrap().text, "It is 42.", "{}", wire.provider);
    }
}

#[tokio::test]
async fn ignores_content_type() {
    for wire in streaming_wires() {
        let whole = format!("\n {}", wire.answer);
        for (kind, body) in [
            ("text/event-stream", &whole),
            ("application/json", &wire.answer_stream),
            ("text/plain", &wire.answer_stream),
        ] {
            let server = Server::streaming(kind, body, 3).await;

            let reply = respond(&streaming_model(wire.provider, &server.origin)).await;

            let text = reply.map(|reply| reply.text);
            assert_eq!(text, Ok("It is 42.".to_owned()), "{} {kind}", wire.provider);
        }
    }
}

#[tokio::test]
async fn streams_and_counts_reasoning() {
    let mut said = anthropic().answer_stream;
    let thinking = events(&[
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "sig"}}),
        json!({"type": "content_block_stop", "index": 0}),
    ]);
    said = said.replace("\"index\":0", "\"index\":1");
    let start = said.find("event: content_block_start").unwrap();
    said.insert_str(start, &thinking);
    let server = Server::streaming("text/event-stream", &said, 5).await;
    let model = streaming_model(Provider::Anthropic, &server.origin);
    let (agent, parts) = recording(AgentLoop::new(registry(), model));

    let outcome = agent.run("Add.").await;

    assert_eq!(*parts.lock().unwrap(), ["1: (Hm.)", "1: It is", "1:  42."]);
    let stored = serde_json::to_value(&outcome.transcript).unwrap();
    assert_eq!(stored[1]["reasoning"][0]["text"], "Hm.", "{stored}");
    assert_eq!(outcome.usage.total_tokens(), 66);
}

#[tokio::test]
async fn streamed_tokens_count_toward_limit() {
    for (most, status, turns) in [(55, Status::BudgetExceeded, 1), (56, Status::Completed, 2)] {
        for wire in streaming_wires() {
            let server = streaming(&wire, 100_000).await;
            let model = streaming_model(wire.provider, &server.origin);

            let outcome = AgentLoop::new(registry(), model)
                .max_total_tokens(most)
                .run("Add.")
                .await;

            let used = (outcome.status, outcome.usage.turns);
            assert_eq!(used, (status, turns), "{} {most}", wire.provider);
        }
    }
}

#[tokio::test]
async fn streams_report_cached_and_reasoning_tokens() {
    let chunk =
        json!({"choices": [{"index": 0, "delta": {"content": "Hi."}, "finish_reason": "stop"}]});
    let usage = json!({"choices": [], "usage": {
        "prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 130,
        "prompt_tokens_details": {"cached_tokens": 40}, "completion_tokens_details": {"reasoning_tokens": 20},
    }});
    let body = events(&[chunk, usage]);
    let server = Server::streaming("text/event-stream", &body, 1000).await;
    let model = streaming_model(Provider::Xai, &server.origin);

    let outcome = AgentLoop::new(Registry::new(), model).run("Hi").await;

    assert_eq!(
        serde_json::to_value(outcome.usage).unwrap(),
        json!({"turns": 1, "calls": 0, "input_tokens": 100, "output_tokens": 30, "cached_tokens": 40,
            "cache_write_tokens": 0, "reasoning_tokens": 20, "estimated": false})
    );
}

#[tokio::test]
async fn estimates_unreported_tokens_of_streams() {
    let chunk = json!({"choices": [{"index": 0, "delta": {"content": "x".repeat(400)}, "finish_reason": "stop"}]});
    let server = Server::streaming("text/event-stream", &events(&[chunk]), 1000).await;
    let model = streaming_model(Provider::OpenAi, &server.origin);

    let outcome = AgentLoop::new(Registry::new(), model).run("Hi").await;

    assert_eq!(outcome.status, Status::Completed);
    assert!(outcome.usage.estimated);
    assert!((100..110).contains(&outcome.usage.output_tokens));
}

#[tokio::test]
async fn does_not_wait_for_open_connection_after_end() {
    let said = chunk(open_ai().answer_stream.as_bytes());
    let Step::Send(ping) = chunk(b": ping\n\n") else {
        unreachable!()
    };
    let hold = vec![head("text/event-stream"), said.clone(), Step::Hold];
    let chatter = Step::Repeat(ping, Duration::from_millis(1));
    let chatter = vec![head("text/event-stream"), said, chatter];
    for script in [hold, chatter] {
        let server = Server::start(vec![script]).await;
        let since = std::time::Instant::now();

        let reply = respond(&streaming_model(Provider::OpenAi, &server.origin)).await;

        assert_eq!(reply.unwrap().text, "It is 42.");
        assert!(since.elapsed() < Duration::from_secs(20));
    }
}

#[tokio::test]
async fn accepts_maximum_timeout() {
    let server = Server::streaming("text/event-stream", &open_ai().answer_stream, 99).await;
    let model = streaming_model(Provider::OpenAi, &server.origin)
        .with_timeout(Duration::MAX)
        .with_idle_timeout(Duration::MAX);

    let reply = respond(&model).await;

    assert_eq!(reply.unwrap().text, "It is 42.");
}
