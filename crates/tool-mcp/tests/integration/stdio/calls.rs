//! Calls.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use tool_core::{CallOptions, CancellationToken, Progress, ProgressSink, RiskLevel, ToolCall};
use tool_mcp::McpManager;
use tool_mcp::client::ServerState;
use tool_mcp::config::Trust;

use crate::stdio::faults::server;
use crate::stdio::{One, code, open_registry};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_has_one_result() {
    let one = One::start(server("old").with_timeout(Duration::from_secs(2))).await;

    for (tool, arguments, error, text) in [
        ("echo", json!({"text": "hi"}), "", "hi"),
        (
            "echo",
            json!({}),
            "invalid_arguments",
            "Error: The arguments do not fit",
        ),
        ("echo", json!({"text": 1, "x": 2}), "", "1"),
        ("fail", json!({}), "failed", "Error: disk full"),
        (
            "reject",
            json!({}),
            "invalid_arguments",
            "Error: path is missing",
        ),
        (
            "hang",
            json!({}),
            "timeout",
            "Error: The call was stopped because it was silent for 2 seconds.",
        ),
        (
            "wrong_id",
            json!({}),
            "timeout",
            "Error: The call was stopped because it was silent for 2 seconds.",
        ),
        (
            "hologram",
            json!({}),
            "",
            "[block of type \"hologram\" not shown]",
        ),
        ("structured", json!({}), "", "{\"n\":\"not a number\"}"),
        // What cannot be read stops its call at once.
        ("bad_byte", json!({}), "", "caf\u{fffd}"),
        ("surrogate", json!({}), "", "a\u{fffd}b"),
        (
            "deep",
            json!({}),
            "outcome_unknown",
            "Error: The server \"s\" returned a response that cannot be read.",
        ),
        ("progress", json!({}), "", "done"),
        ("echo", json!({"text": "still here"}), "", "still here"),
    ] {
        let result = one.call(tool, arguments.clone()).await;

        assert_eq!(code(&result), error, "{tool} {arguments}: {result}");
        assert!(
            result.text().starts_with(text),
            "{tool} {arguments}: {result}"
        );
    }
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_arguments_are_not_sent() {
    let one = One::start(server("old")).await;
    for arguments in [
        "",
        " ",
        "{",
        "}",
        "{]",
        "nothing",
        "null",
        "true",
        "1",
        "\"x\"",
        "[]",
        "[\"x\"]",
        "{}",
        "{\"text\"}",
        "{\"txt\": \"x\"}",
        "{\"Text2\": \"x\"}",
        "{\"text\": null}",
        "{\"text\": {}}",
        "{\"text\": {\"text\": \"x\"}}",
        "{\"text\": [1, 2]}",
        "{\"text\": [[]]}",
        "<text>x</text>",
    ] {
        let call = ToolCall::new("s__echo", arguments.to_owned());
        let result = one
            .registry
            .execute_call(&call, &CallOptions::default())
            .await;

        let codes = ["invalid_arguments", "truncated_arguments"];
        assert!(codes.contains(&code(&result)), "{arguments}: {result}");
    }
    let calls = one.call("calls", json!({})).await;
    assert_eq!(calls.text(), "1");
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn oversized_message_fails_only_its_call() {
    let one = One::start(server("old")).await;

    for size in [7 << 20, 9 << 20, 24 << 20] {
        let big = one.call("big", json!({"n": size})).await;

        if size > 8 << 20 {
            assert_eq!(
                big.text(),
                "Error: The server \"s\" sent more than 8 MiB in one message. Request less, or raise \"max_message\"."
            );
        } else {
            assert!(big.success && big.text().len() < 2 << 20);
        }
        assert_eq!(
            one.call("echo", json!({"text": "next"})).await.text(),
            "next"
        );
    }
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn death_ends_calls_and_server_restarts() {
    let mut config = server("old");
    config.max_parallel = 40;
    let one = One::start(config).await;
    let tools = one.registry.list().len();
    let mut waiting = Vec::new();
    for _ in 0..31 {
        let registry = one.registry.clone();
        waiting.push(tokio::spawn(async move {
            registry.execute("s__hang", json!({})).await
        }));
    }
    // Nothing reports that a hanging call has reached the server.
    tokio::time::sleep(Duration::from_secs(1)).await;

    let died = one.call("half", json!({})).await;

    assert_eq!(
        died.text(),
        "Error: The server \"s\" stopped while the call ran. The effect is unknown. Check before you call again."
    );
    assert_eq!(code(&died), "outcome_unknown");
    // The calls of a tool that may have effects run one at a time, so the others had not been sent.
    let mut codes = Vec::new();
    for call in waiting {
        codes.push(code(&call.await.unwrap()).to_owned());
    }
    codes.sort();
    assert_eq!(codes[0], "outcome_unknown");
    assert_eq!(codes[1..], vec!["unavailable"; 30]);
    while one.manager.status()[0].state == ServerState::Ready {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let early = one.call("echo", json!({"text": "early"})).await;
    assert_eq!(code(&early), "unavailable");
    assert!(
        early
            .text()
            .contains("is starting again (try 1). Nothing was done."),
        "{early}"
    );
    assert_eq!(one.registry.list().len(), tools);
    let restarted = async {
        while one.manager.status()[0].state != ServerState::Ready {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), restarted)
        .await
        .unwrap();
    assert_eq!(
        one.call("echo", json!({"text": "back"})).await.text(),
        "back"
    );
    assert_eq!(one.registry.list().len(), tools);
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_without_restart_fails_after_death() {
    let mut config = server("old");
    config.restart = false;
    let one = One::start(config).await;

    assert_eq!(code(&one.call("die", json!({})).await), "outcome_unknown");
    let failed = async {
        while one.manager.status()[0].state != ServerState::Failed {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), failed)
        .await
        .unwrap();
    assert_eq!(one.registry.list().len(), 0);

    let report = one.manager.reconnect("s").await.unwrap();

    assert_eq!(report.state, ServerState::Ready);
    assert_eq!(
        one.call("echo", json!({"text": "back"})).await.text(),
        "back"
    );
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_call_does_not_affect_others() {
    let one = One::start(server("old")).await;
    let stop = CancellationToken::new();
    let options = CallOptions::default().with_cancellation(stop.child());
    let call = one
        .registry
        .spawn(ToolCall::new("s__hang", json!({})), options);
    tokio::time::sleep(Duration::from_millis(50)).await;

    stop.cancel();

    assert_eq!(code(&call.await), "cancelled");
    assert_eq!(
        one.call("echo", json!({"text": "next"})).await.text(),
        "next"
    );
    one.end().await;
}

#[derive(Default)]
struct Steps(Mutex<Vec<u64>>);

impl ProgressSink for Steps {
    fn progress(&self, _: &str, _: &str, progress: &Progress) {
        assert_eq!(progress.message, "working");
        self.0.lock().unwrap().push(progress.done);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn progress_is_passed_on_and_keeps_call_alive() {
    let one = One::start(server("old").with_timeout(Duration::from_secs(1))).await;
    let steps = Arc::new(Steps::default());
    let options = CallOptions::default().with_progress(Arc::clone(&steps) as Arc<dyn ProgressSink>);

    let result = one
        .registry
        .execute_call(&ToolCall::new("s__progress", json!({})), &options)
        .await;

    assert!(result.success, "{result}");
    assert_eq!(*steps.0.lock().unwrap(), [1, 2, 3]);
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn environment_of_host_is_not_inherited() {
    let one = One::start(server("old").with_env("OWN", "${HOME:-x}!")).await;

    let inherited = one
        .call("read_env", json!({"text": "CARGO_MANIFEST_DIR"}))
        .await;
    let own = one.call("read_env", json!({"text": "OWN"})).await;

    assert_eq!(inherited.text(), "");
    assert!(own.text().ends_with('!'));
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn flood_of_changes_causes_few_lists() {
    let one = One::start(server("flood")).await;
    let generation = one.registry.generation();

    let started = Instant::now();
    // A change each millisecond.
    one.call("change", json!({})).await;
    for _ in 0..20 {
        assert_eq!(one.call("echo", json!({"text": "x"})).await.text(), "x");
        tokio::time::sleep(Duration::from_millis(250)).await;
    }

    let lists: u64 = one.call("lists", json!({})).await.text().parse().unwrap();
    // The first list, and at most one each 2 s.
    let most = 2 + started.elapsed().as_secs() / 2;
    assert!((2..=most).contains(&lists), "{lists} of {most}");
    assert_eq!(one.registry.generation(), generation);
    one.end().await;
}

#[tokio::test]
async fn results_state_their_origin() {
    let one = One::start(server("old").with_trust(Trust::Trusted)).await;

    let result = one.call("echo", json!({"text": "x"})).await;

    assert_eq!(
        result.metadata.extra["mcp"],
        json!({"server": "s", "trusted": true})
    );
    let risk = |name: &str| one.registry.get(name).unwrap().definition().risk();
    assert_eq!(
        (risk("s__echo"), risk("s__fail")),
        (RiskLevel::ReadOnly, RiskLevel::Dangerous)
    );
    one.end().await;
}

#[tokio::test]
async fn instructions_are_cleaned() {
    let one = One::start(server("old")).await;

    assert_eq!(one.manager.instructions("s").as_deref(), Some("Use echo."));
    assert_eq!(one.manager.instructions("other"), None);
    one.end().await;
}

#[tokio::test]
async fn name_of_other_tool_is_rejected() {
    let registry = open_registry();
    let taken = tool_core::ToolDefinition::new("s__echo", "Own.", json!({"type": "object"}));
    registry
        .register(tool_core::DynamicTool::new(taken, |_, _| async {
            Ok("own".into())
        }))
        .unwrap();
    let manager = McpManager::builder()
        .server("s", server("old"))
        .registry(&registry)
        .build();

    let report = manager.connect().await.remove(0);

    assert_eq!(report.omitted[0].name, "s__echo");
    assert_eq!(registry.execute("s__echo", json!({})).await.text(), "own");
    manager.shutdown(Duration::ZERO).await;
}
