//! Interrupted, stalled, invalid and endless streams.

use std::sync::{Arc, Mutex};

use tool_core::CancellationToken;

use super::server::{chunk, head};
use super::wires::{events, open_ai, streaming_wires};
use super::*;
use crate::{Event, EventKind};

const SHORT: Duration = Duration::from_millis(100);

fn text(text: &str) -> Vec<u8> {
    let event = json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    events(&[event]).into_bytes()
}

/// Server for Chat Completions streams; sends the head before each script.
async fn chat(scripts: &[&[Step]]) -> Server {
    let begun = |script: &&[Step]| {
        let mut whole = vec![head("text/event-stream")];
        whole.extend_from_slice(script);
        whole
    };
    Server::start(scripts.iter().map(begun).collect()).await
}

fn streaming_model(provider: Provider, origin: &str) -> HttpModel {
    HttpModel::new(provider, "m", origin)
        .unwrap()
        .with_stream(true)
}

fn chat_model(server: &Server) -> HttpModel {
    streaming_model(Provider::OpenAi, &server.origin)
}

#[tokio::test]
async fn truncated_stream_is_error_or_complete() {
    for wire in streaming_wires() {
        let body = wire.answer_stream.as_bytes();
        let cuts: Vec<usize> = (0..body.len()).step_by(31).collect();
        let scripts = cuts.iter().map(|cut| {
            vec![
                head("text/event-stream"),
                chunk(&body[..(*cut).max(1)]),
                Step::Send(b"0\r\n\r\n".to_vec()),
            ]
        });
        let server = Server::start(scripts.collect()).await;
        let model = streaming_model(wire.provider, &server.origin);
        let mut refused = 0;

        for cut in cuts {
            match respond(&model).await {
                Ok(reply) => assert_eq!(reply.text, "It is 42.", "{} {cut}", wire.provider),
                Err(error) => {
                    assert_eq!(error, ModelError::ResponseCut, "{} {cut}", wire.provider);
                    refused += 1;
                }
            }
        }

        assert!(refused > 3, "{} {refused}", wire.provider);
    }
}

#[tokio::test]
async fn connection_reset_returns_response_cut() {
    let server = chat(&[&[chunk(&text("It is")), Step::Pause(SHORT), Step::Reset]]).await;

    let outcome = respond(&chat_model(&server)).await;

    assert_eq!(outcome, Err(ModelError::ResponseCut));
}

#[tokio::test]
async fn ignores_connection_reset_after_end() {
    let answer = open_ai().answer_stream;
    let server = chat(&[&[chunk(answer.as_bytes()), Step::Pause(SHORT), Step::Reset]]).await;

    let reply = respond(&chat_model(&server)).await;

    assert_eq!(reply.map(|reply| reply.text), Ok("It is 42.".to_owned()));
}

#[tokio::test]
async fn idle_timeout_stops_stalled_stream() {
    let server = chat(&[&[chunk(&text("It is")), Step::Hold]]).await;

    let outcome = respond(&chat_model(&server).with_idle_timeout(SHORT)).await;

    assert_eq!(outcome, Err(ModelError::Stalled { after: SHORT }));
    assert!(server.client_disconnects().await);
}

#[tokio::test]
async fn idle_timeout_restarts_with_each_chunk() {
    let pause = Step::Pause(Duration::from_millis(60));
    let answer = open_ai().answer_stream;
    let pieces = answer.as_bytes().chunks(150);
    let mut script: Vec<Step> = pieces
        .flat_map(|piece| [chunk(piece), pause.clone()])
        .collect();
    script.push(Step::Send(b"0\r\n\r\n".to_vec()));
    let server = chat(&[&script]).await;

    let reply = respond(&chat_model(&server).with_idle_timeout(Duration::from_secs(5))).await;

    assert_eq!(reply.map(|reply| reply.text), Ok("It is 42.".to_owned()));
}

#[tokio::test]
async fn timeout_stops_endless_stream() {
    let Step::Send(ping) = chunk(b": ping\n\n") else {
        unreachable!()
    };
    let server = chat(&[&[Step::Repeat(ping, Duration::from_millis(5))]]).await;
    let after = Duration::from_millis(300);

    let outcome = respond(&chat_model(&server).with_timeout(after)).await;

    assert_eq!(outcome, Err(ModelError::Timeout { after }));
    assert!(server.client_disconnects().await);
}

#[tokio::test]
async fn size_limit_stops_endless_stream() {
    let Step::Send(word) = chunk(&text("more and more")) else {
        unreachable!()
    };
    let Step::Send(line) = chunk(&[b'x'; 500]) else {
        unreachable!()
    };
    for endless in [word, line] {
        let server = chat(&[&[Step::Repeat(endless, Duration::ZERO)]]).await;

        let outcome = respond(&chat_model(&server).with_response_limit(10_000)).await;

        let limit = 10_000;
        assert_eq!(outcome, Err(ModelError::ResponseTooLarge { limit }));
    }
}

#[tokio::test]
async fn rejects_invalid_stream() {
    let server = chat(&[&[chunk(b"data: <html>\n\n"), Step::Hold]]).await;

    let outcome = respond(&chat_model(&server)).await;

    assert!(
        matches!(outcome, Err(ModelError::InvalidResponse { .. })),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn classifies_errors_in_streams() {
    let unavailable = ModelError::Unavailable {
        status: 200,
        message: "Overloaded".to_owned(),
        retry_after: None,
    };
    let refused = |message: &str| ModelError::Refused {
        status: 200,
        message: message.to_owned(),
    };
    for (provider, event, error) in [
        (
            Provider::Anthropic,
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
            unavailable.clone(),
        ),
        (
            Provider::OpenAi,
            json!({"error": {"code": "server_error", "message": "Overloaded"}}),
            unavailable.clone(),
        ),
        (
            Provider::Gemini,
            json!({"error": {"code": 503, "status": "UNAVAILABLE", "message": "Overloaded"}}),
            unavailable,
        ),
        (
            Provider::OpenAi,
            json!({"error": {"code": 429, "message": "slow"}}),
            ModelError::RateLimited { retry_after: None },
        ),
        (
            Provider::OpenAi,
            json!({"error": {"code": "model_not_found", "message": "model not found"}}),
            refused("model not found"),
        ),
    ] {
        let body = events(&[event]);
        let server = Server::streaming("text/event-stream", &body, 9).await;

        let outcome = respond(&streaming_model(provider, &server.origin)).await;

        assert_eq!(outcome, Err(error), "{provider}");
    }
}

#[tokio::test]
async fn provider_error_takes_precedence_over_reset() {
    let event =
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let script = [
        chunk(events(&[event]).as_bytes()),
        Step::Pause(SHORT),
        Step::Reset,
    ];
    let server = chat(&[&script]).await;

    let outcome = respond(&streaming_model(Provider::Anthropic, &server.origin)).await;

    assert!(
        matches!(outcome, Err(ModelError::Unavailable { .. })),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn cancellation_closes_streaming_connection() {
    let server = chat(&[&[chunk(&text("It is")), Step::Hold]]).await;
    let stop = CancellationToken::new();
    let canceller = stop.clone();
    let agent =
        AgentLoop::new(registry(), chat_model(&server)).on_event(move |event: &Event<'_>| {
            if matches!(event.kind, EventKind::ModelPartial { .. }) {
                canceller.cancel();
            }
        });

    let outcome = agent.run("Add.").cancellation(stop).await;

    assert_eq!(outcome.status, Status::Cancelled);
    assert_eq!(outcome.transcript.messages().len(), 1);
    assert!(server.client_disconnects().await);
}

#[tokio::test]
async fn retries_reset_after_partial_stream() {
    let answer = open_ai().answer_stream;
    let whole = [chunk(answer.as_bytes()), Step::Send(b"0\r\n\r\n".to_vec())];
    let cut = [chunk(&text("It is")), Step::Pause(SHORT), Step::Reset];
    let server = chat(&[&cut, &cut, &whole]).await;
    let resets = Arc::new(Mutex::new(0));
    let log = Arc::clone(&resets);
    let agent = AgentLoop::new(registry(), chat_model(&server))
        .retry(ModelRetry::attempts(3).delays(Duration::ZERO, SHORT))
        .on_event(move |event: &Event<'_>| {
            if matches!(event.kind, EventKind::ModelReset) {
                *log.lock().unwrap() += 1;
            }
        });

    let outcome = agent.run("Add.").await;

    assert_eq!((server.served(), outcome.error), (3, None));
    assert_eq!(outcome.reply.as_deref(), Some("It is 42."));
    assert_eq!(*resets.lock().unwrap(), 2);
}

#[tokio::test]
async fn stream_without_total_limit_ends_by_silence_only() {
    let pause = Step::Pause(Duration::from_millis(60));
    let answer = open_ai().answer_stream;
    let pieces = answer.as_bytes().chunks(150);
    let mut script: Vec<Step> = pieces
        .flat_map(|piece| [chunk(piece), pause.clone()])
        .collect();
    script.push(Step::Send(b"0\r\n\r\n".to_vec()));
    let server = chat(&[&script]).await;

    assert_eq!(chat_model(&server).total_timeout(), None);
    let slow = Server::start(vec![vec![Step::Hold]]).await;
    let outcome = respond(&chat_model(&slow).with_idle_timeout(SHORT)).await;
    assert_eq!(outcome, Err(ModelError::Stalled { after: SHORT }));
    let reply = respond(&chat_model(&server)).await;
    assert_eq!(reply.map(|reply| reply.text), Ok("It is 42.".to_owned()));
}

#[tokio::test]
async fn retries_invalid_responses_and_error_events() {
    let answer = open_ai().answer_stream;
    let whole = [chunk(answer.as_bytes()), Step::Send(b"0\r\n\r\n".to_vec())];
    let end = Step::Send(b"0\r\n\r\n".to_vec());
    let odd_error = events(&[json!({"error": {"code": "teapot", "message": "short and stout"}})]);
    for broken in [
        vec![chunk(b"data: <html>\n\n"), Step::Hold],
        vec![chunk(b"{\"choices\": [{\"mess"), end.clone()],
        vec![chunk(b"{\"unknown\": 1}"), end.clone()],
        vec![chunk(odd_error.as_bytes()), end],
    ] {
        let server = chat(&[&broken, &whole]).await;
        let agent = AgentLoop::new(registry(), chat_model(&server))
            .retry(ModelRetry::attempts(2).delays(Duration::ZERO, SHORT));

        let outcome = agent.run("Add.").await;

        assert_eq!(outcome.reply.as_deref(), Some("It is 42."), "{outcome:?}");
        assert_eq!(server.served(), 2);
    }
}

#[tokio::test]
async fn retries_malformed_call_of_gemini() {
    let malformed = json!({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]});
    let answer = wires()
        .into_iter()
        .find(|wire| wire.provider == Provider::Gemini)
        .unwrap()
        .answer;
    let server = MockServer::start().await;
    for body in [malformed, answer] {
        Mock::given(method("POST"))
            .respond_with(ResponseTemplate::new(200).set_body_json(body))
            .up_to_n_times(1)
            .mount(&server)
            .await;
    }
    let agent = AgentLoop::new(registry(), model(Provider::Gemini, &server))
        .retry(ModelRetry::attempts(2).delays(Duration::ZERO, SHORT));

    let outcome = agent.run("Add.").await;

    assert_eq!(outcome.reply.as_deref(), Some("It is 42."), "{outcome:?}");
}

#[tokio::test]
async fn joins_surrogates_split_over_events() {
    let part = |text: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
    };
    let stop = events(&[json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})]);
    for (parts, expected) in [
        (["a\\ud83c", "\\udf37b"], "a\u{1f337}b"),
        (["a\\ud83c", "b"], "a\u{fffd}b"),
        (["a", "\\udf37b"], "a\u{fffd}b"),
        (["\\ud83c\\udf37", "\\ud83c x"], "\u{1f337}\u{fffd} x"),
    ] {
        let body = format!("{}{}{stop}data: [DONE]\n\n", part(parts[0]), part(parts[1]));
        let server = Server::streaming("text/event-stream", &body, 7).await;

        let reply = respond(&chat_model(&server)).await.unwrap();

        assert_eq!(reply.text, expected);
    }
}

#[tokio::test]
async fn retries_stream_that_fails_before_first_part() {
    let answer = open_ai().answer_stream;
    let whole = [chunk(answer.as_bytes()), Step::Send(b"0\r\n\r\n".to_vec())];
    let overloaded = events(&[json!({"error": {"code": "server_error", "message": "busy"}})]);
    for broken in [
        vec![chunk(b": hi\n\n"), Step::Pause(SHORT), Step::Reset],
        vec![
            chunk(overloaded.as_bytes()),
            Step::Send(b"0\r\n\r\n".to_vec()),
        ],
    ] {
        let server = chat(&[&broken, &whole]).await;
        let agent = AgentLoop::new(registry(), chat_model(&server))
            .retry(ModelRetry::attempts(2).delays(Duration::ZERO, SHORT))
            .on_event(|_: &Event<'_>| {});

        let outcome = agent.run("Add.").await;

        assert_eq!(outcome.reply.as_deref(), Some("It is 42."), "{outcome:?}");
        assert_eq!(server.served(), 2);
    }
}
