//! The queue without workers, full, and with calls that no worker can finish.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;
use tool_core::{CallOptions, ToolCall};

use crate::server::Server;
use crate::site::{Site, ledgers};
use crate::tools::{Runs, caller, code, count, memory, registry, until, worker};

/// Stops the worker of a site without removing its tools from the snapshot.
async fn without_worker(site: &mut Site) -> tool_core::Registry {
    let snapshot = site.caller.snapshot();
    site.worker
        .take()
        .unwrap()
        .stop(Duration::from_secs(10))
        .await;
    snapshot
}

async fn queued(site: &Site) -> u64 {
    let context = site.server.stream().await;
    let mut stream = context.get_stream("TOOLS_default").await.unwrap();
    stream.info().await.unwrap().state.messages
}

async fn read_only_call_without_worker_is_unavailable(mut site: Site) {
    let caller = without_worker(&mut site).await;

    let result = caller.execute("look", json!({})).await;

    assert_eq!(code(&result), "unavailable", "{result}");
    assert!(result.error.unwrap().retryable);
}

async fn queued_call_waits_for_worker(mut site: Site) {
    let caller = without_worker(&mut site).await;
    let call = ToolCall::new("pay", json!({"text": "late"}));
    let running = caller.spawn(call, CallOptions::default());
    until("the call is queued", async || queued(&site).await == 1).await;

    let another = site.another_worker().await;

    assert_eq!(running.await.to_string(), "late");
    assert_eq!(count(&site.runs), 1);
    until("the call leaves the queue", async || {
        queued(&site).await == 0
    })
    .await;
    another.stop(Duration::from_secs(10)).await;
}

#[tokio::test]
async fn cancelled_call_in_queue_does_not_run() {
    let Some(server) = Server::start().await else {
        return;
    };
    let (ledger, runs) = (memory(), Runs::default());
    let narrow = worker(&server, registry(&runs, &ledger)).concurrency(1);
    let _worker = narrow.start().await.unwrap();
    let (caller, _remote) = caller(&server).await;
    let first = ToolCall::new("pay", json!({"milliseconds": 1500}));
    let first = caller.spawn(first, CallOptions::default());
    until("the first call runs", async || count(&runs) == 1).await;
    let second = caller.spawn(ToolCall::new("pay", json!({})), CallOptions::default());
    let context = server.stream().await;
    let queued = async || {
        let mut stream = context.get_stream("TOOLS_default").await.unwrap();
        stream.info().await.unwrap().state.messages
    };
    until("the second call is queued", async || queued().await == 2).await;

    second.cancel();

    assert_eq!(code(&second.await), "cancelled");
    assert!(first.await.success);
    until("both calls leave the queue", async || queued().await == 0).await;
    assert_eq!(count(&runs), 1);
}

#[tokio::test]
async fn full_queue_is_rate_limited() {
    let Some(server) = Server::start().await else {
        return;
    };
    let (ledger, runs) = (memory(), Runs::default());
    let options = server.options().max_queued(2);
    let started = tool_remote::Worker::new(registry(&runs, &ledger), options)
        .start()
        .await;
    let (caller, _remote) = caller(&server).await;
    let snapshot = caller.snapshot();
    started.unwrap().stop(Duration::from_secs(10)).await;
    let waiting: Vec<_> = (0..2)
        .map(|_| snapshot.spawn(ToolCall::new("pay", json!({})), CallOptions::default()))
        .collect();
    let context = server.stream().await;
    until("the queue is full", async || {
        let mut stream = context.get_stream("TOOLS_default").await.unwrap();
        stream.info().await.unwrap().state.messages == 2
    })
    .await;

    let result = snapshot.execute("pay", json!({})).await;

    assert_eq!(code(&result), "rate_limited", "{result}");
    let error = result.error.unwrap();
    assert!(error.retryable && error.retry_after.is_some());
    let another = worker(&server, registry(&runs, &ledger))
        .start()
        .await
        .unwrap();
    for call in waiting {
        assert!(call.await.success);
    }
    assert_eq!(count(&runs), 2);
    another.stop(Duration::from_secs(10)).await;
}

#[tokio::test]
async fn busy_workers_are_rate_limited() {
    let Some(server) = Server::start().await else {
        return;
    };
    let (ledger, runs) = (memory(), Runs::default());
    let narrow = worker(&server, registry(&runs, &ledger))
        .concurrency(1)
        .waiting_reads(0);
    let _worker = narrow.start().await.unwrap();
    let (caller, _remote) = caller(&server).await;
    let call = ToolCall::new("look", json!({"milliseconds": 600_000}));
    let running = caller.spawn(call, CallOptions::default());
    until("the tool starts", async || count(&runs) == 1).await;

    let result = caller.execute("look", json!({})).await;

    assert_eq!(code(&result), "rate_limited", "{result}");
    assert!(result.error.unwrap().retry_after.is_some());
    running.cancel();
    assert_eq!(code(&running.await), "cancelled");
}

/// Delivers the next call of a group without running it, and returns its payload.
async fn swallow(server: &Server, times: usize) -> Vec<Value> {
    use async_nats::jetstream::AckKind;
    use async_nats::jetstream::consumer::PullConsumer;
    use futures_util::StreamExt;

    let context = server.stream().await;
    let stream = context.get_stream("TOOLS_default").await.unwrap();
    let consumer: PullConsumer = stream.get_consumer("tools").await.unwrap();
    let mut payloads = Vec::new();
    while payloads.len() < times {
        let batch = consumer
            .batch()
            .max_messages(1)
            .expires(Duration::from_secs(2));
        let mut messages = batch.messages().await.unwrap();
        while let Some(Ok(message)) = messages.next().await {
            payloads.push(serde_json::from_slice(&message.payload).unwrap());
            message.ack_with(AckKind::Nak(None)).await.unwrap();
        }
    }
    payloads
}

async fn call_that_exceeds_deliveries_is_dead_letter(mut site: Site) {
    let caller = without_worker(&mut site).await;
    let call = ToolCall::new("store", json!({"text": "poison"}));
    let running = caller.spawn(call, CallOptions::default());
    // Five deliveries are allowed.
    let payloads = timeout(Duration::from_mins(1), swallow(&site.server, 5))
        .await
        .unwrap();
    assert_eq!(payloads[0]["tool"], "store");

    let another = site.another_worker().await;
    let result = running.await;

    assert_eq!(code(&result), "outcome_unknown", "{result}");
    assert!(result.to_string().contains("6 times"), "{result}");
    assert_eq!(count(&site.runs), 0);
    let context = site.server.stream().await;
    let mut dead = context.get_stream("DEADTOOLS_default").await.unwrap();
    assert_eq!(dead.info().await.unwrap().state.messages, 1);
    let letter = dead
        .get_last_raw_message_by_subject("toolwright.default.dead.tools")
        .await;
    let letter: Value = serde_json::from_slice(&letter.unwrap().payload).unwrap();
    assert_eq!(letter["tool"], "store");
    until("the call leaves the queue", async || {
        queued(&site).await == 0
    })
    .await;
    another.stop(Duration::from_secs(10)).await;
}

async fn damaged_calls_are_dead_letters(site: Site) {
    let client = site.server.client().await;
    for payload in ["garbage", "{}", "[1, 2]", r#"{"tool": "pay"}"#] {
        client
            .publish("toolwright.default.call.tools", payload.into())
            .await
            .unwrap();
    }
    let context = site.server.stream().await;

    until("all are dead letters", async || {
        let mut dead = context.get_stream("DEADTOOLS_default").await.unwrap();
        dead.info().await.unwrap().state.messages == 4
    })
    .await;

    until("they leave the queue", async || queued(&site).await == 0).await;
    assert_eq!(
        site.call("pay", json!({"text": "works"})).await.to_string(),
        "works"
    );
}

async fn other_consumer_configuration_is_rejected(site: Site) {
    let options = site.server.options().ack_wait(Duration::from_secs(7));
    let registry = site.registry().await;

    let started = tool_remote::Worker::new(registry, options).start().await;

    let error = started.unwrap_err();
    assert!(
        matches!(error, tool_remote::RemoteError::OtherConfiguration { .. }),
        "{error:?}"
    );
}

ledgers! {
    read_only_call_without_worker_is_unavailable
    queued_call_waits_for_worker
    call_that_exceeds_deliveries_is_dead_letter
    damaged_calls_are_dead_letters
    other_consumer_configuration_is_rejected
}
