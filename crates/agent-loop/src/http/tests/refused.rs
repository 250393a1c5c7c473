//! Rejected requests and retries.

use std::sync::{Arc, Mutex};

use super::server::{Step, status};
use super::*;
use crate::{Event, EventKind, LoopError};

/// Server that returns each of `statuses` once, then the final answer.
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
    let retry = ModelRetry::attempts(3).delays(Duration::ZERO, Duration::from_secs(5));
    AgentLoop::new(registry(), model).retry(retry)
}

#[tokio::test]
async fn retries_overloaded_provider() {
    for statuses in [
        &["429 Too Many Requests"][..],
        &["503 Service Unavailable", "529 Overloaded"],
        &["500 Internal Server Error", "502 Bad Gateway"],
        &["504 Gateway Timeout"],
    ] {
        let server = after(statuses).await;

        let outcome = agent(&server).run("Add.").await;

        assert_eq!(outcome.reply.as_deref(), Some("It is 42."), "{statuses:?}");
        assert_eq!(outcome.usage.turns, 1, "{statuses:?}");
        assert_eq!(server.served(), statuses.len() + 1, "{statuses:?}");
    }
}

#[tokio::test]
async fn returns_last_error_after_all_attempts() {
    let server = after(&["503 x", "503 x", "529 y", "503 x"]).await;

    let outcome = agent(&server).run("Add.").await;

    let error = ModelError::Unavailable {
        status: 529,
        message: "no further details".to_owned(),
        retry_after: None,
    };
    assert_eq!(outcome.error, Some(LoopError::Model(error)));
    assert_eq!((server.served(), outcome.usage.turns), (3, 0));
}

#[tokio::test]
async fn does_not_retry_permanent_errors() {
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
async fn does_not_retry_exhausted_quota() {
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
async fn waits_as_requested_by_provider() {
    let server = after(&["429 x\r\nretry-after-ms: 120", "503 x\r\nretry-after: 1"]).await;
    let waits = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&waits);
    let agent = agent(&server).on_event(move |event: &Event<'_>| {
        if let EventKind::ModelRetried { attempts, wait, .. } = event.kind {
            log.lock().unwrap().push((attempts, wait));
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
async fn gives_up_on_long_requested_wait() {
    let server = after(&["429 x\r\nretry-after: 6"]).await;

    let outcome = agent(&server).run("Add.").await;

    let retry_after = Some(Duration::from_secs(6));
    let error = LoopError::Model(ModelError::RateLimited { retry_after });
    assert_eq!(outcome.error, Some(error));
    assert_eq!(server.served(), 1);
}

#[tokio::test]
async fn retries_connection_closed_without_response() {
    let server = Server::start(vec![vec![], vec![Step::Reset], status("401 x")]).await;

    let outcome = agent(&server).run("Add.").await;

    let error = LoopError::Model(ModelError::MissingKey);
    assert_eq!(outcome.error, Some(error));
    assert_eq!(server.served(), 3);
}

#[tokio::test]
async fn cancellation_stops_retry_wait() {
    let server = after(&["429 x\r\nretry-after: 5"]).await;
    let stop = tool_core::CancellationToken::new();
    let canceller = stop.clone();
    let agent = agent(&server).on_event(move |event: &Event<'_>| {
        if matches!(event.kind, EventKind::ModelRetried { .. }) {
            canceller.cancel();
        }
    });
    let since = std::time::Instant::now();

    let outcome = agent.run("Add.").cancellation(stop).await;

    assert_eq!(outcome.status, Status::Cancelled);
    assert!(since.elapsed() < Duration::from_secs(4));
}

#[tokio::test]
async fn call_rejected_by_provider_reaches_registry() {
    let written = r#"{"name": "add", "arguments": {"a": "two"}}"#;
    let body = json!({"error": {"code": "tool_use_failed", "message": "no", "failed_generation": written}});
    let server = answering(ResponseTemplate::new(400).set_body_json(body)).await;

    let reply = respond(&model(Provider::Groq, &server)).await.unwrap();

    assert_eq!(reply.calls[0].call.name, "add");
    assert_eq!(reply.calls[0].call.arguments.to_text(), "{\"a\":\"two\"}");
    assert_eq!(reply.calls[0].refusal, None);
}
