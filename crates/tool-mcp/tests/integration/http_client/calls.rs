//! Calls.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use tool_core::{CallOptions, CancellationToken, Progress, ProgressSink, Registry, ToolCall};
use tool_mcp::McpManager;
use tool_mcp::client::ServerState;

use crate::http_client::faults::Faults;
use crate::http_client::{One, code};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_has_one_result() {
    tokio::join!(
        calls_have_results("modern"),
        calls_have_results("old"),
        calls_have_results("sessions"),
    );
}

async fn calls_have_results(mode: &str) {
    {
        let one = One::start_with(mode, |config| config.with_timeout(Duration::from_secs(2))).await;

        for (tool, error, text) in [
            ("echo", "", "hi"),
            ("reject", "invalid_arguments", "Error: path is missing"),
            ("progress", "", "done"),
            (
                "hang",
                "timeout",
                "Error: The call was stopped because it was silent for 2 seconds.",
            ),
            (
                "wrong_id",
                "outcome_unknown",
                "Error: The server \"s\" returned a response that cannot be read.",
            ),
            (
                "half",
                "outcome_unknown",
                "Error: The server \"s\" stopped while the call ran. The effect is unknown. Check before you call again.",
            ),
            (
                "busy",
                "unavailable",
                "Error: The server \"s\" is busy (503). Nothing was done.",
            ),
            (
                "broken",
                "outcome_unknown",
                "Error: The server \"s\" failed with status 500 while the call ran. The effect is unknown.",
            ),
            (
                "page",
                "failed",
                "Error: The server \"s\" returned an invalid result.",
            ),
            (
                "invalid",
                "outcome_unknown",
                "Error: The server \"s\" returned a response that cannot be read.",
            ),
            ("echo", "", "hi"),
        ] {
            let result = one.call(tool, json!({"text": "hi"})).await;

            assert_eq!(code(&result), error, "{mode} {tool}: {result}");
            assert!(result.text().starts_with(text), "{mode} {tool}: {result}");
        }
        assert_eq!(one.manager.status()[0].state, ServerState::Ready);
        one.end().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_calls_have_unknown_outcome_and_server_stays() {
    let one = One::start("modern").await;

    for tool in ["die", "half", "half_event"] {
        let started = Instant::now();
        let result = one.call(tool, json!({})).await;

        assert_eq!(code(&result), "outcome_unknown", "{tool}: {result}");
        assert!(started.elapsed() < Duration::from_secs(5), "{tool}");
        let next = one.call("echo", json!({"text": "next"})).await;
        assert_eq!(next.text(), "next", "{tool}");
    }
    assert_eq!(one.server.sent("server/discover").len(), 1);
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn oversized_message_fails_only_its_call() {
    let one = One::start("modern").await;

    for (tool, size) in [
        ("big", 7 << 20),
        ("big", 9 << 20),
        ("big", 24 << 20),
        ("big_event", 9 << 20),
    ] {
        let big = one.call(tool, json!({"n": size})).await;

        if size > 8 << 20 {
            assert_eq!(
                big.text(),
                "Error: The server \"s\" sent more than 8 MiB in one message. Request less, or raise \"max_message\".",
                "{tool} {size}"
            );
        } else {
            assert!(big.success && big.text().len() < 2 << 20);
        }
        let next = one.call("echo", json!({"text": "next"})).await;
        assert_eq!(next.text(), "next");
    }
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dead_server_is_unavailable_and_returns() {
    let mut one = One::start("modern").await;
    let tools = one.registry.list().len();
    let port = one.server.port;
    one.stop_server().await;

    let dead = one.call("echo", json!({"text": "x"})).await;

    assert!(
        ["unavailable", "outcome_unknown"].contains(&code(&dead)),
        "{dead}"
    );
    one.reaches(ServerState::Restarting).await;
    assert_eq!(one.registry.list().len(), tools);
    let early = one.call("echo", json!({"text": "early"})).await;
    assert_eq!(code(&early), "unavailable");
    assert!(early.text().contains("is starting again"), "{early}");
    let back = Faults::start_at("modern", port).await;
    one.reaches(ServerState::Ready).await;
    assert_eq!(
        one.call("echo", json!({"text": "back"})).await.text(),
        "back"
    );
    one.end().await;
    drop(back);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_connection_states_that_nothing_was_done() {
    let mut one = One::start_with("modern", |mut config| {
        config.restart = false;
        config
    })
    .await;
    one.stop_server().await;
    // The pooled connection is closed by now.
    tokio::time::sleep(Duration::from_millis(100)).await;

    let dead = one.call("echo", json!({"text": "x"})).await;

    assert_eq!(code(&dead), "unavailable", "{dead}");
    assert!(dead.text().contains("Nothing was done"), "{dead}");
    one.reaches(ServerState::Failed).await;
    assert_eq!(one.registry.list().len(), 0);
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_session_is_opened_again() {
    let one = One::start("lost_session").await;

    let result = one.call("echo", json!({"text": "hi"})).await;

    assert_eq!(result.text(), "hi", "{result}");
    assert_eq!(one.server.sent("initialize").len(), 2);
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn session_rejected_with_other_status_is_opened_again() {
    for mode in ["no_session", "no_session_python", "no_session_text"] {
        let one = One::start("lost_session").await;
        one.server.set_mode(mode);

        let result = one.call("echo", json!({"text": "hi"})).await;

        assert_eq!(result.text(), "hi", "{mode}: {result}");
        assert_eq!(one.server.sent("initialize").len(), 2, "{mode}");
        one.end().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn error_without_id_answers_its_request() {
    let one = One::start("modern").await;
    for (mode, error, text) in [
        ("null_id", "failed", "Error: overloaded"),
        ("other_id", "failed", "Error: overloaded"),
        ("bad_event", "outcome_unknown", "Error: The server"),
        ("surrogate_event", "", "a\u{fffd}b"),
        ("bad_body", "outcome_unknown", "Error: The server"),
    ] {
        one.server.set_mode(mode);

        let called = one.call("echo", json!({"text": "hi"}));
        let result = tokio::time::timeout(Duration::from_secs(10), called)
            .await
            .unwrap();

        assert_eq!(code(&result), error, "{mode}: {result}");
        assert!(result.text().starts_with(text), "{mode}: {result}");
    }
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wide_integers_are_exact_in_events() {
    let one = One::start("modern").await;
    one.server.set_mode("wide_event");

    let event = one.call("echo", json!({})).await;

    let exact = json!([
        9_007_199_254_740_993_i64,
        "98765432109876543211",
        "123456789012345678901234567890"
    ]);
    assert_eq!(event.data, Some(exact));
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn expired_login_stops_server_until_reconnect() {
    let one = One::start("expires").await;

    assert_eq!(one.call("echo", json!({"text": "1"})).await.text(), "1");
    let expired = one.call("echo", json!({"text": "2"})).await;

    assert_eq!(code(&expired), "unavailable");
    assert_eq!(
        expired.text(),
        "Error: The server \"s\" requires a login (401). Nothing was done. Continue without it."
    );
    one.reaches(ServerState::NeedsLogin).await;
    assert_eq!(one.registry.list().len(), 0);
    one.end().await;
}

#[derive(Default)]
struct Steps(Mutex<Vec<u64>>);

impl ProgressSink for Steps {
    fn progress(&self, _: &str, _: &str, progress: &Progress) {
        self.0.lock().unwrap().push(progress.done);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn progress_is_passed_on() {
    let one = One::start("modern").await;
    let steps = Arc::new(Steps::default());
    let options = CallOptions::default().with_progress(Arc::clone(&steps) as Arc<dyn ProgressSink>);

    let call = ToolCall::new("s__progress", json!({}));
    let result = one.registry.execute_call(&call, &options).await;

    assert!(result.success, "{result}");
    assert_eq!(*steps.0.lock().unwrap(), [1, 2]);
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_call_does_not_affect_others() {
    for mode in ["modern", "old"] {
        let one = One::start(mode).await;
        let stop = CancellationToken::new();
        let options = CallOptions::default().with_cancellation(stop.child());
        let call = one
            .registry
            .spawn(ToolCall::new("s__hang", json!({})), options);
        tokio::time::sleep(Duration::from_millis(100)).await;

        stop.cancel();

        assert_eq!(code(&call.await), "cancelled");
        let next = one.call("echo", json!({"text": "next"})).await;
        assert_eq!(next.text(), "next");
        if mode == "old" {
            // The current revision cancels by closing the connection.
            let sent = async {
                while one.server.sent("notifications/cancelled").is_empty() {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            };
            tokio::time::timeout(Duration::from_secs(5), sent)
                .await
                .unwrap();
        }
        one.end().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trace_of_host_and_headers_are_sent() {
    let server = Faults::start("modern").await;
    let registry = Registry::builder()
        .policy(tool_core::approval::Policy::allow_all())
        .build();
    let manager = McpManager::builder()
        .server("s", server.config().with_header("X-Key", "file"))
        .registry(&registry)
        .trace_parent(|cx| {
            assert_eq!(cx.call_id(), "call_7");
            Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".to_owned())
        })
        .build();
    manager.connect().await;

    let call = ToolCall::new("s__echo", json!({"text": "x"})).with_id("call_7");
    registry.execute_call(&call, &CallOptions::default()).await;

    let lists = server.sent("tools/list");
    let calls = server.sent("tools/call");
    assert_eq!(lists[0].header("x-key"), Some("file"));
    assert_eq!(calls[0].header("x-key"), Some("file"));
    assert_eq!(
        calls[0].body["params"]["_meta"]["traceparent"],
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    );
    assert_eq!(calls[0].header("mcp-method"), Some("tools/call"));
    manager.shutdown(Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_of_headers_are_redacted() {
    let redactor = tool_core::Redactor::new();
    let registry = Registry::builder()
        .policy(tool_core::approval::Policy::allow_all())
        .redactor(redactor.clone())
        .build();
    let server = Faults::start("modern").await;
    let config = server
        .config()
        .with_header("Authorization", "Bearer top-secret-token");
    let manager = McpManager::builder()
        .server("s", config)
        .registry(&registry)
        .build();
    manager.connect().await;

    assert_eq!(
        redactor.scrub("is top-secret-token here"),
        "is [redacted] here"
    );
    manager.shutdown(Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sends_key_of_call_with_ledger() {
    let server = Faults::start("modern").await;
    for ledger in [false, true] {
        let mut builder = Registry::builder().policy(tool_core::approval::Policy::allow_all());
        if ledger {
            builder = builder.ledger(Arc::new(tool_ledger::SqliteLedger::in_memory().unwrap()));
        }
        let registry = builder.build();
        let manager = McpManager::builder()
            .server("s", server.config())
            .registry(&registry)
            .build();
        manager.connect().await;
        let options = CallOptions::default().with_scope("tenant 7");

        let call = ToolCall::new("s__progress", json!({})).with_id("call_7");
        let result = registry.execute_call(&call, &options).await;

        assert!(result.success, "{result}");
        let calls = server.sent("tools/call");
        let key = &calls.last().unwrap().body["params"]["_meta"]["toolwright/idempotency-key"];
        if ledger {
            let key = key.as_str().unwrap();
            assert_eq!(key.len(), 64, "{key}");
            assert!(!key.contains("tenant"), "{key}");
        } else {
            assert!(key.is_null(), "{key}");
        }
        manager.shutdown(Duration::ZERO).await;
    }
}
