//! Workers that die, stall, repeat outcomes and send garbage.

use std::time::Duration;

use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt;
use serde_json::{Value, json};
use tool_core::ledger::{CallKey, LedgerState};
use tool_core::{CallOptions, RiskLevel, ToolCall};
use tool_remote::RemoteTools;

use crate::server::Server;
use crate::site::{Site, ledgers};
use crate::tools::{code, count, permissive, until};

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
    played_with(site, tool, json!({"text": "a"})).await
}

async fn played_with(
    site: &mut Site,
    tool: &str,
    arguments: Value,
) -> (tool_core::CallHandle, RemoteTools) {
    let caller = permissive();
    let remote = RemoteTools::builder(site.server.options()).scope("run-7");
    let remote = remote.connect(&caller).await.unwrap();
    let pinned = caller.snapshot();
    site.worker
        .take()
        .unwrap()
        .stop(Duration::from_secs(10))
        .await;
    let call = ToolCall::new(tool, arguments).with_id("1");
    (pinned.spawn(call, CallOptions::default()), remote)
}

fn intent(tool: &str) -> tool_core::ledger::Intent {
    let arguments = json!({"text": "a", "milliseconds": 0, "size": 0});
    tool_core::ledger::Intent::new(tool, &arguments, RiskLevel::SafeWrite)
}

const LEASE: Duration = Duration::from_secs(1);

fn key() -> CallKey {
    CallKey::new("remote/default/run-7", "1")
}

async fn call_of_dead_worker_is_unknown(mut site: Site) {
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

async fn idempotent_call_of_dead_worker_runs_again(mut site: Site) {
    let (running, _remote) = played(&mut site, "store").await;
    let message = taken(&site.server).await;
    let mut intent = intent("store");
    intent.repeatable = true;
    site.ledger.claim(&key(), &intent, LEASE).await.unwrap();
    drop(message);

    let _worker = site.another_worker().await;

    assert_eq!(running.await.to_string(), "a");
    assert_eq!(count(&site.runs), 1);
}

async fn call_of_worker_that_died_before_claim_runs(mut site: Site) {
    let (running, _remote) = played(&mut site, "pay").await;
    drop(taken(&site.server).await);

    let _worker = site.another_worker().await;

    assert_eq!(running.await.to_string(), "a");
    assert_eq!(count(&site.runs), 1);
}

async fn lost_reply_is_found_in_ledger(mut site: Site) {
    let (running, _remote) = played(&mut site, "pay").await;
    let message = taken(&site.server).await;
    // The worker runs the call and confirms it, and its reply is lost.
    let own = site.registry().await;
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

async fn stalled_worker_and_its_successor_run_call_once(mut site: Site) {
    let arguments = json!({"text": "a", "milliseconds": 3000});
    let (running, _remote) = played_with(&mut site, "pay", arguments.clone()).await;
    let message = taken(&site.server).await;
    // The worker runs the call without signs of life for three times `ack_wait`.
    let own = site.registry().await;
    let options = CallOptions::default()
        .with_scope(key().scope)
        .with_call_key(key().key);
    let call = ToolCall::new("pay", arguments).with_id("1");
    let stalled = own.spawn(call, options);
    until("the tool starts", async || count(&site.runs) == 1).await;
    let _worker = site.another_worker().await;

    let late = stalled.await;
    let result = running.await;

    assert_eq!(
        (late.to_string(), result.to_string()),
        ("a".into(), "a".into())
    );
    assert_eq!(count(&site.runs), 1);
    drop(message);
}

async fn garbage_and_repeated_outcomes_are_ignored(mut site: Site) {
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

async fn read_only_call_of_silent_worker_runs_on_another(site: Site) {
    let client = site.server.client().await;
    // Receives a part of the calls and never responds.
    let silent = client.queue_subscribe("toolwright.default.read.tools", "workers".to_owned());
    let mut silent = silent.await.unwrap();
    client.flush().await.unwrap();

    let mut swallowed = 0;
    for _ in 0..200 {
        let options = CallOptions::default();
        let call = ToolCall::new("look", json!({"text": "a"}));
        let running = site.caller.spawn(call, options);
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

async fn late_outcome_in_object_store_is_removed(mut site: Site) {
    let pinned = site.caller.snapshot();
    site.worker
        .take()
        .unwrap()
        .stop(Duration::from_secs(10))
        .await;
    let client = site.server.client().await;
    let calls = client.subscribe("toolwright.default.read.tools").await;
    let mut calls = calls.unwrap();
    client.flush().await.unwrap();

    let result = pinned.execute("look", json!({})).await;
    assert_eq!(code(&result), "unavailable", "{result}");

    // The worker finishes after the caller has given up.
    let context = site.server.stream().await;
    let objects = context.get_object_store("tool_objects_default").await;
    let objects = objects.unwrap();
    objects.put("late", &mut &b"outcome"[..]).await.unwrap();
    let reply = calls.next().await.unwrap().reply.unwrap();
    let mut headers = async_nats::HeaderMap::new();
    headers.insert("Toolwright-Object", "late");
    client
        .publish_with_headers(reply, headers, "".into())
        .await
        .unwrap();
    client.flush().await.unwrap();

    until("the object is removed", async || {
        objects.get("late").await.is_err()
    })
    .await;
}

async fn damaged_results_of_read_only_calls_are_errors(mut site: Site) {
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

ledgers! {
    call_of_dead_worker_is_unknown
    idempotent_call_of_dead_worker_runs_again
    call_of_worker_that_died_before_claim_runs
    lost_reply_is_found_in_ledger
    stalled_worker_and_its_successor_run_call_once
    garbage_and_repeated_outcomes_are_ignored
    read_only_call_of_silent_worker_runs_on_another
    late_outcome_in_object_store_is_removed
    damaged_results_of_read_only_calls_are_errors
}
