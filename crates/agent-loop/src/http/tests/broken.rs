//! Streams that break, stall, lie or never end.

use tool_core::CancellationToken;

use super::server::{chunk, head};
use super::wires::{events, open_ai, streaming_wires};
use super::*;
use crate::{Event, LoopError};

const SHORT: Duration = Duration::from_millis(100);

fn text(text: &str) -> Vec<u8> {
    let event = json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    events(&[event]).into_bytes()
}

/// Streams of Chat Completions, each after its head.
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
async fn a_stream_that_is_cut_anywhere_is_an_error_or_the_whole_answer() {
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
async fn a_line_that_breaks_off_is_a_cut_response() {
    let server = chat(&[&[chunk(&text("It is")), Step::Pause(SHORT), Step::Reset]]).await;

    let outcome = respond(&chat_model(&server)).await;

    assert_eq!(outcome, Err(ModelError::ResponseCut));
}

#[tokio::test]
async fn a_line_that_breaks_off_after_the_end_takes_nothing_from_the_answer() {
    let said = open_ai().answer_stream;
    let server = chat(&[&[chunk(said.as_bytes()), Step::Pause(SHORT), Step::Reset]]).await;

    let reply = respond(&chat_model(&server)).await;

    assert_eq!(reply.map(|reply| reply.text), Ok("It is 42.".to_owned()));
}

#[tokio::test]
async fn a_pause_between_pieces_is_waited_for_only_so_long() {
    let server = chat(&[&[chunk(&text("It is")), Step::Hold]]).await;

    let outcome = respond(&chat_model(&server).with_idle_timeout(SHORT)).await;

    assert_eq!(outcome, Err(ModelError::Stalled { after: SHORT }));
    assert!(server.sees_the_client_go().await);
}

#[tokio::test]
async fn pauses_that_are_short_enough_may_be_many() {
    let pause = Step::Pause(Duration::from_millis(60));
    let said = open_ai().answer_stream;
    let pieces = said.as_bytes().chunks(150);
    let mut script: Vec<Step> = pieces
        .flat_map(|piece| [chunk(piece), pause.clone()])
        .collect();
    script.push(Step::Send(b"0\r\n\r\n".to_vec()));
    let server = chat(&[&script]).await;

    let reply = respond(&chat_model(&server).with_idle_timeout(Duration::from_secs(5))).await;

    assert_eq!(reply.map(|reply| reply.text), Ok("It is 42.".to_owned()));
}

#[tokio::test]
async fn a_stream_without_end_is_stopped_by_the_time_in_all() {
    let Step::Send(ping) = chunk(b": ping\n\n") else {
        unreachable!()
    };
    let server = chat(&[&[Step::Repeat(ping, Duration::from_millis(5))]]).await;
    let after = Duration::from_millis(300);

    let outcome = respond(&chat_model(&server).with_timeout(after)).await;

    assert_eq!(outcome, Err(ModelError::Timeout { after }));
    assert!(server.sees_the_client_go().await);
}

#[tokio::test]
async fn a_stream_without_end_is_stopped_by_its_bytes() {
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
async fn what_is_no_stream_of_the_provider_is_said_so() {
    let server = chat(&[&[chunk(b"data: <html>\n\n"), Step::Hold]]).await;

    let outcome = respond(&chat_model(&server)).await;

    assert!(
        matches!(outcome, Err(ModelError::InvalidResponse { .. })),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn an_error_inside_a_stream_is_told_by_its_kind() {
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
            Provider::Ollama,
            json!({"error": "model not found"}),
            refused("model not found"),
        ),
    ] {
        let body = match provider {
            Provider::Ollama => format!("{event}\n"),
            _ => events(&[event]),
        };
        let server = Server::streaming("text/event-stream", &body, 9).await;

        let outcome = respond(&streaming_model(provider, &server.origin)).await;

        assert_eq!(outcome, Err(error), "{provider}");
    }
}

#[tokio::test]
async fn the_providers_error_says_more_than_the_line_that_broke() {
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
async fn a_cancel_in_the_middle_of_a_stream_ends_the_run_and_the_connection() {
    let server = chat(&[&[chunk(&text("It is")), Step::Hold]]).await;
    let stop = CancellationToken::new();
    let canceller = stop.clone();
    let agent = AgentLoop::new(registry(), chat_model(&server))
        .cancellation(stop)
        .on_event(move |event: &Event<'_>| {
            if matches!(event, Event::ModelPartial { .. }) {
                canceller.cancel();
            }
        });

    let outcome = agent.run("Add.").await;

    assert_eq!(outcome.status, Status::Cancelled);
    assert_eq!(outcome.transcript.messages().len(), 1);
    assert!(server.sees_the_client_go().await);
}

#[tokio::test]
async fn what_was_handed_on_is_not_asked_for_again() {
    let said = open_ai().answer_stream;
    let whole = [chunk(said.as_bytes()), Step::Send(b"0\r\n\r\n".to_vec())];
    let cut = [chunk(&text("It is")), Step::Pause(SHORT), Step::Reset];
    for (is_heard, served, error) in [
        (true, 1, Some(LoopError::Model(ModelError::ResponseCut))),
        (false, 2, None),
    ] {
        let server = chat(&[&cut, &whole]).await;
        let agent = AgentLoop::new(registry(), chat_model(&server))
            .retry(Retry::attempts(2).delays(Duration::ZERO, SHORT));
        let agent = if is_heard {
            agent.on_event(|_: &Event<'_>| {})
        } else {
            agent
        };

        let outcome = agent.run("Add.").await;

        assert_eq!((server.served(), outcome.error), (served, error));
    }
}

#[tokio::test]
async fn a_stream_that_breaks_before_its_first_piece_is_asked_for_again() {
    let said = open_ai().answer_stream;
    let whole = [chunk(said.as_bytes()), Step::Send(b"0\r\n\r\n".to_vec())];
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
            .retry(Retry::attempts(2).delays(Duration::ZERO, SHORT))
            .on_event(|_: &Event<'_>| {});

        let outcome = agent.run("Add.").await;

        assert_eq!(outcome.answer.as_deref(), Some("It is 42."), "{outcome:?}");
        assert_eq!(server.served(), 2);
    }
}
