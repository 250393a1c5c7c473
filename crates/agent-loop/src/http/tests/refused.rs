//! Responses that refuse, and what is asked again.

use std::sync::{Arc, Mutex};

use super::server::{Step, status};
use super::*;
use crate::{Event, LoopError};

/// A server that gives these statuses one after the other, and then the answer.
async fn after(statuses: &[&str]) -> Server {
    let answer = wires::open_ai().answer.to_string();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
    let whole = format!("{head}\r\ncontent-length: {}\r\n\r\n{answer}", answer.len());
    let mut scripts: Vec<Vec<Step>> = statuses.iter().map(|line| status(line)).collect();
    scripts.push(vec![Step::Send(whole.into_bytes())]);
    Server::start(scripts).await
}

fn agent(server: &Server) -> AgentLoop {
    let model = HttpModel::new(Provider::OpenAi, "m", &server.origin).unwrap();
    let retry = Retry::attempts(3).delays(Duration::ZERO, Duration::from_secs(5));
    AgentLoop::new(registry(), model).retry(retry)
}

#[tokio::test]
async fn an_overloaded_provider_is_asked_again() {
    for statuses in [
        &["429 Too Many Requests"][..],
        &["503 Service Unavailable", "529 Overloaded"],
        &["500 Internal Server Error", "502 Bad Gateway"],
        &["504 Gateway Timeout"],
    ] {
        let server = after(statuses).await;

        let outcome = agent(&server).run("Add.").await;

        assert_eq!(outcome.answer.as_deref(), Some("It is 42."), "{statuses:?}");
        assert_eq!(outcome.usage.turns, 1, "{statuses:?}");
        assert_eq!(server.served(), statuses.len() + 1, "{statuses:?}");
    }
}

#[tokio::test]
async fn the_attempts_are_counted_and_the_last_error_is_told() {
    let server = after(&["503 x", "503 x", "529 y", "503 x"]).await;

    let outcome = agent(&server).run("Add.").await;

    let error = ModelError::Unavailable {
        status: 529,
        message: "it says no more".to_owned(),
        retry_after: None,
    };
    assert_eq!(outcome.error, Some(LoopError::Model(error)));
    assert_eq!((server.served(), outcome.usage.turns), (3, 0));
}

#[tokio::test]
async fn an_error_that_will_not_go_away_is_asked_once() {
    for line in [
        "400 x", "401 x", "402 x", "403 x", "404 x", "413 x", "422 x", "501 x",
    ] {
        let server = after(&[line]).await;

        let outcome = agent(&server).run("Add.").await;

        assert_eq!(outcome.status, Status::Failed, "{line}");
        assert_eq!(server.served(), 1, "{line}");
    }
}

#[tokio::test]
async fn an_account_without_quota_is_asked_once() {
    let body = json!({"error": {"code": "insufficient_quota", "message": "You exceeded it."}});
    let server = answering(ResponseTemplate::new(429).set_body_json(body)).await;

    let outcome = AgentLoop::new(registry(), model(Provider::OpenAi, &server))
        .run("Add.")
        .await;

    let error = LoopError::Model(ModelError::QuotaExceeded);
    assert_eq!(outcome.error, Some(error));
    assert_eq!(server.received_requests().await.unwrap().len(), 1);
}

#[tokio::test]
async fn the_provider_is_given_the_time_that_it_asks_for() {
    let server = after(&["429 x\r\nretry-after-ms: 120", "503 x\r\nretry-after: 1"]).await;
    let waits = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&waits);
    let agent = agent(&server).on_event(move |event: &Event<'_>| {
        if let Event::ModelRetried { attempts, wait, .. } = event {
            log.lock().unwrap().push((*attempts, *wait));
        }
    });
    let since = std::time::Instant::now();

    let outcome = agent.run("Add.").await;

    assert_eq!(outcome.status, Status::Completed);
    let expected = [(1, Duration::from_millis(120)), (2, Duration::from_secs(1))];
    assert_eq!(*waits.lock().unwrap(), expected);
    assert!(since.elapsed() >= Duration::from_millis(1120));
}

#[tokio::test]
async fn a_provider_that_asks_for_too_long_a_wait_is_not_waited_for() {
    let server = after(&["429 x\r\nretry-after: 6"]).await;

    let outcome = agent(&server).run("Add.").await;

    let retry_after = Some(Duration::from_secs(6));
    let error = LoopError::Model(ModelError::RateLimited { retry_after });
    assert_eq!(outcome.error, Some(error));
    assert_eq!(server.served(), 1);
}

#[tokio::test]
async fn a_connection_that_ends_before_any_byte_is_tried_again() {
    let server = Server::start(vec![vec![], vec![Step::Reset], status("401 x")]).await;

    let outcome = agent(&server).run("Add.").await;

    let error = LoopError::Model(ModelError::Unauthorized);
    assert_eq!(outcome.error, Some(error));
    assert_eq!(server.served(), 3);
}

#[tokio::test]
async fn a_cancel_ends_the_wait_for_the_next_attempt() {
    let server = after(&["429 x\r\nretry-after: 5"]).await;
    let stop = tool_core::CancellationToken::new();
    let canceller = stop.clone();
    let agent = agent(&server)
        .cancellation(stop)
        .on_event(move |event: &Event<'_>| {
            if matches!(event, Event::ModelRetried { .. }) {
                canceller.cancel();
            }
        });
    let since = std::time::Instant::now();

    let outcome = agent.run("Add.").await;

    assert_eq!(outcome.status, Status::Cancelled);
    assert!(since.elapsed() < Duration::from_secs(4));
}

#[tokio::test]
async fn a_call_that_groq_refused_is_told_to_the_model() {
    let written = r#"{"name": "add", "arguments": {"a": "two"}}"#;
    let body = json!({"error": {"code": "tool_use_failed", "message": "no", "failed_generation": written}});
    let server = answering(ResponseTemplate::new(400).set_body_json(body)).await;

    let reply = respond(&model(Provider::Groq, &server)).await.unwrap();

    assert_eq!(reply.calls[0].call.name, "add");
    assert!(reply.calls[0].refusal.is_some());
}
