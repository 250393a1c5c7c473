//! Servers, consumers and workers that fail.

use std::time::Duration;

use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt;
use serde_json::json;
use tokio::time::sleep;
use tool_core::ledger::{CallKey, Ledger, LedgerState};
use tool_core::{CallOptions, RiskLevel, ToolCall};
use tool_ledger::MemoryLedger;
use tool_remote::RemoteTools;

use crate::server::Server;
use crate::tools::{Runs, Site, code, count, permissive, registry, until, worker};

#[tokio::test]
async fn server_restart_loses_no_call() {
    let Some(mut site) = Site::start().await else {
        return;
    };
    let call = ToolCall::new("pay", json!({"text": "survived", "milliseconds": 2000}));
    let running = site.caller.execute_async(call, CallOptions::default());
    until("the tool starts", async || count(&site.runs) == 1).await;

    site.server.kill();
    site.server.revive().await;

    let result = running.await;
    assert_eq!(result.to_string(), "survived", "{result:?}");
    assert_eq!(count(&site.runs), 1);
    for tool in ["look", "pay"] {
        until("calls work again", async || {
            site.call(tool, json!({})).await.success
        })
        .await;
    }
}

#[tokio::test]
async fn calls_fail_while_server_is_away() {
    let Some(server) = Server::start().await else {
        return;
    };
    let (ledger, runs) = (MemoryLedger::default(), Runs::default());
    let mut server = server;
    let _worker = worker(&server, registry(&runs, &ledger))
        .start()
        .await
        .unwrap();
    let registry = permissive();
    let options = server.options().request_timeout(Duration::from_millis(300));
    let _remote = RemoteTools::connect(options, &registry).await.unwrap();

    server.kill();
    sleep(Duration::from_millis(200)).await;
    for tool in ["look", "pay"] {
        let result = registry.execute(tool, json!({})).await;
        let code = code(&result);
        assert!(
            ["unavailable", "outcome_unknown"].contains(&code),
            "{tool}: {result}"
        );
        let error = result.error.unwrap();
        assert_eq!(error.retryable, error.code.as_str() == "unavailable");
    }
    server.revive().await;

    for tool in ["look", "pay"] {
        until("calls work again", async || {
            registry.get(tool).is_some() && registry.execute(tool, json!({})).await.success
        })
        .await;
    }
}

#[tokio::test]
async fn deleted_consumer_and_queue_are_created_again() {
    let Some(site) = Site::start().await else {
        return;
    };
    let context = site.server.stream().await;
    let stream = context.get_stream("TOOLS_default").await.unwrap();

    stream.delete_consumer("tools").await.unwrap();
    assert!(site.call("pay", json!({})).await.success);

    context.delete_stream("TOOLS_default").await.unwrap();
    until("the queue returns", async || {
        site.call("pay", json!({})).await.success
    })
    .await;
}

#[tokio::test]
async fn queue_that_loses_call_receives_it_again() {
    let Some(mut site) = Site::start().await else {
        return;
    };
    let pinned = site.caller.snapshot();
    let registry = registry(&site.runs, &site.ledger);
    site.worker
        .take()
        .unwrap()
        .stop(Duration::from_secs(10))
        .await;
    let running = pinned.execute_async(
        ToolCall::new("pay", json!({"text": "a"})),
        CallOptions::default(),
    );
    let context = site.server.stream().await;
    let stream = context.get_stream("TOOLS_default").await.unwrap();
    until("the call is queued", async || {
        stream.get_info().await.unwrap().state.messages == 1
    })
    .await;

    stream.purge().await.unwrap();
    let _worker = worker(&site.server, registry).start().await.unwrap();

    assert_eq!(running.await.to_string(), "a");
    assert_eq!(count(&site.runs), 1);
}

/// Takes one call out of the queue like a worker that then dies.
async fn taken(server: &Server) -> async_nats::jetstream::Message {
    let context = server.stream().await;
    let stream = context.get_stream("TOOLS_default").await.unwrap();
    let consumer: PullConsumer = stream.get_consumer("tools").await.unwrap();
    let messages = consumer
        .batch()
        .max_messages(1)
        .expires(Duration::from_mins(1))
        .messages();
    messages.await.unwrap().next().await.unwrap().unwrap()
}

/// Starts a call whose worker is played by the test. Its key is `run-7/1`.
async fn played(site: &mut Site, tool: &str) -> (tool_core::CallHandle, RemoteTools) {
    let caller = permissive();
    let remote = RemoteTools::builder(site.server.options()).scope("run-7");
    let remote = remote.connect(&caller).await.unwrap();
    let pinned = caller.snapshot();
    site.worker
        .take()
        .unwrap()
        .stop(Duration::from_secs(10))
        .await;
    let call = ToolCall::new(tool, json!({"text": "a"})).with_id("1");
    (pinned.execute_async(call, CallOptions::default()), remote)
}

fn intent(tool: &str) -> tool_core::ledger::Intent {
    let arguments = json!({"text": "a", "milliseconds": 0, "size": 0});
    tool_core::ledger::Intent::new(tool, &arguments, RiskLevel::SafeWrite).unwrap()
}

const LEASE: Duration = Duration::from_secs(1);

fn key() -> CallKey {
    CallKey::new("remote/default/run-7", "1")
}

#[tokio::test]
async fn call_of_dead_worker_is_unknown() {
    let Some(mut site) = Site::start().await else {
        return;
    };
    let (running, _remote) = played(&mut site, "pay").await;
    let message = taken(&site.server).await;
    let intent = intent("pay");
    site.ledger.claim(&key(), &intent, LEASE).await.unwrap();
    drop(message);

    let _worker = site.another_worker().await;
    let result = running.await;

    assert_eq!(code(&result), "outcome_unknown", "{result}");
    assert!(!result.error.unwrap().retryable);
    assert_eq!(count(&site.runs), 0);
    let entry = site.ledger.find(&key()).await.unwrap().unwrap();
    assert_eq!(entry.state, LedgerState::Unknown);
}

#[tokio::test]
async fn idempotent_call_of_dead_worker_runs_again() {
    let Some(mut site) = Site::start().await else {
        return;
    };
    let (running, _remote) = played(&mut site, "store").await;
    let message = taken(&site.server).await;
    let intent = intent("store").with_repeatable(true);
    site.ledger.claim(&key(), &intent, LEASE).await.unwrap();
    drop(message);

    let _worker = site.another_worker().await;

    assert_eq!(running.await.to_string(), "a");
    assert_eq!(count(&site.runs), 1);
}

#[tokio::test]
async fn call_of_worker_that_died_before_claim_runs() {
    let Some(mut site) = Site::start().await else {
        return;
    };
    let (running, _remote) = played(&mut site, "pay").await;
    drop(taken(&site.server).await);

    let _worker = site.another_worker().await;

    assert_eq!(running.await.to_string(), "a");
    assert_eq!(count(&site.runs), 1);
}

#[tokio::test]
async fn lost_reply_is_found_in_ledger() {
    let Some(mut site) = Site::start().await else {
        return;
    };
    let (running, _remote) = played(&mut site, "pay").await;
    let message = taken(&site.server).await;
    // The worker runs the call and confirms it, and its reply is lost.
    let own = registry(&site.runs, &site.ledger);
    let options = CallOptions::default()
        .with_scope(key().scope)
        .with_call_key(key().key);
    let call = ToolCall::new("pay", json!({"text": "a"})).with_id("1");
    assert!(own.execute_call(&call, &options).await.success);
    message.double_ack().await.unwrap();

    let _worker = site.another_worker().await;

    assert_eq!(running.await.to_string(), "a");
    assert_eq!(count(&site.runs), 1);
}

#[tokio::test]
async fn stalled_worker_and_its_successor_run_call_once() {
    let Some(mut site) = Site::start().await else {
        return;
    };
    let (running, _remote) = played(&mut site, "pay").await;
    let message = taken(&site.server).await;
    // The worker runs the call without signs of life for three times `ack_wait`.
    let own = registry(&site.runs, &site.ledger);
    let options = CallOptions::default()
        .with_scope(key().scope)
        .with_call_key(key().key);
    let call = ToolCall::new("pay", json!({"text": "a", "milliseconds": 3000})).with_id("1");
    let stalled = own.execute_async(call, options);
    until("the tool starts", async || count(&site.runs) == 1).await;
    let _worker = site.another_worker().await;

    let late = stalled.await;
    let result = running.await;

    assert!(late.success);
    // The arguments differ, so the successor rejects the key instead of running the call.
    assert!(
        ["none", "key_conflict"].contains(&code(&result)),
        "{result}"
    );
    assert_eq!(count(&site.runs), 1);
    drop(message);
}

#[tokio::test]
async fn garbage_and_repeated_outcomes_are_ignored() {
    let Some(mut site) = Site::start().await else {
        return;
    };
    let (running, _remote) = played(&mut site, "pay").await;
    let message = taken(&site.server).await;
    let reply = message
        .headers
        .as_ref()
        .unwrap()
        .get("Toolwright-Reply")
        .unwrap();
    let reply = reply.as_str().to_owned();
    let client = site.server.client().await;
    for garbage in ["garbage", "{}", r#"{"finished": 1}"#] {
        client.publish(reply.clone(), garbage.into()).await.unwrap();
        client
            .publish(format!("{reply}.report"), garbage.into())
            .await
            .unwrap();
    }
    client.flush().await.unwrap();
    drop(message);

    let _worker = site.another_worker().await;
    assert_eq!(running.await.to_string(), "a");

    // A second outcome of the same call has no receiver.
    client
        .publish(reply, r#"{"busy": {"retry_after_ms": 1}}"#.into())
        .await
        .unwrap();
    client.flush().await.unwrap();
    until("the tools return", async || {
        site.caller.get("pay").is_some()
    })
    .await;
    assert!(site.call("pay", json!({})).await.success);
    assert_eq!(count(&site.runs), 2);
}

#[tokio::test]
async fn read_only_call_of_silent_worker_runs_on_another() {
    let Some(site) = Site::start().await else {
        return;
    };
    let client = site.server.client().await;
    // Receives a part of the calls and never responds.
    let silent = client.queue_subscribe("toolwright.default.read.tools", "workers".to_owned());
    let mut silent = silent.await.unwrap();
    client.flush().await.unwrap();

    let mut swallowed = 0;
    for _ in 0..200 {
        let options = CallOptions::default();
        let call = ToolCall::new("look", json!({"text": "a"}));
        let running = site.caller.execute_async(call, options);
        let first = tokio::time::timeout(Duration::from_millis(50), silent.next()).await;
        if first.is_ok() {
            // The next attempt reaches the worker.
            swallowed += 1;
            silent.unsubscribe().await.unwrap();
            client.flush().await.unwrap();
        }
        assert_eq!(running.await.to_string(), "a");
        if swallowed > 0 {
            return;
        }
    }
    panic!("no call reached the silent worker");
}

#[tokio::test]
async fn damaged_results_of_read_only_calls_are_errors() {
    let Some(mut site) = Site::start().await else {
        return;
    };
    let pinned = site.caller.snapshot();
    site.worker
        .take()
        .unwrap()
        .stop(Duration::from_secs(10))
        .await;
    let client = site.server.client().await;
    let mut calls = client
        .subscribe("toolwright.default.read.tools")
        .await
        .unwrap();
    client.flush().await.unwrap();
    let answering = tokio::spawn(async move {
        while let Some(call) = calls.next().await {
            let reply = call.reply.unwrap();
            client.publish(reply, "garbage".into()).await.unwrap();
        }
    });

    let result = pinned.execute("look", json!({})).await;

    assert_eq!(code(&result), "failed", "{result}");
    assert!(result.to_string().contains("damaged"), "{result}");
    answering.abort();
}
