//! Servers that share a ledger, as replicas behind a load balancer do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::ledger::{CallKey, Ledger};
use tool_core::{DynamicTool, Registry, RiskLevel, ToolDefinition};
use tool_ledger::MemoryLedger;
use tool_mcp::McpServer;
use tool_mcp::server::{BearerTokens, HttpOptions, TaskStore};

use crate::http::tasks::{answer, call, registry as tools, send, until};
use crate::http::{Counted, Served};

/// Starts a replica whose calls run once per key. `runs` counts the runs of `count`.
async fn replica(ledger: &MemoryLedger, runs: &Arc<AtomicU32>) -> Served {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    let definition =
        ToolDefinition::new("count", "Counts.", schema).with_risk(RiskLevel::SafeWrite);
    let runs = Arc::clone(runs);
    let count = DynamicTool::new(definition, move |_, _| {
        let number = runs.fetch_add(1, Ordering::SeqCst) + 1;
        async move { Ok(format!("run {number}").into()) }
    });
    let registry = Registry::builder()
        .ledger(Arc::new(ledger.clone()))
        .tool(count)
        .unwrap()
        .build();
    let tokens = BearerTokens::default()
        .with_token("first", &"t".to_owned().into())
        .with_token("second", &"other".to_owned().into());
    Served::of(
        McpServer::new(registry),
        HttpOptions::default().authenticate(tokens),
    )
    .await
}

async fn count(served: &Served, token: &str, key: Value, text: &str) -> Value {
    let mut params = json!({"name": "count", "arguments": {"text": text}});
    if !key.is_null() {
        params["_meta"] = json!({"toolwright/idempotency-key": key});
    }
    let request = served.current("tools/call", params).bearer_auth(token);
    request.send().await.unwrap().json().await.unwrap()
}

fn text(response: &Value) -> &str {
    response["result"]["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn retry_at_other_replica_returns_stored_result() {
    let (ledger, runs) = (MemoryLedger::new(), Arc::default());
    let (first, second) = (replica(&ledger, &runs).await, replica(&ledger, &runs).await);

    let ran = count(&first, "t", json!("order-7"), "tea").await;
    let retried = count(&second, "t", json!("order-7"), "tea").await;
    let other_client = count(&second, "other", json!("order-7"), "tea").await;
    let conflict = count(&second, "t", json!("order-7"), "coffee").await;

    assert_eq!((text(&ran), text(&retried)), ("run 1", "run 1"));
    assert_eq!(text(&other_client), "run 2");
    assert_eq!(
        conflict["result"]["structuredContent"]["code"],
        "key_conflict"
    );
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    let stored = ledger.find(&CallKey::new("mcp:first", "order-7")).await;
    assert!(stored.unwrap().is_some());
    first.end().await;
    second.end().await;
}

#[tokio::test]
async fn calls_without_key_are_separate() {
    let (ledger, runs) = (MemoryLedger::new(), Arc::default());
    let (first, second) = (replica(&ledger, &runs).await, replica(&ledger, &runs).await);

    for number in 1..=5 {
        for served in [&first, &second] {
            let ran = count(served, "t", Value::Null, "tea").await;
            assert_eq!(ran["result"]["isError"], false, "{number}: {ran}");
        }
    }

    assert_eq!(runs.load(Ordering::SeqCst), 10);
    first.end().await;
    second.end().await;
}

#[tokio::test]
async fn rejects_invalid_key_before_run() {
    let (ledger, runs) = (MemoryLedger::new(), Arc::default());
    let served = replica(&ledger, &runs).await;

    for key in [json!(""), json!(7), json!("a b"), json!("x".repeat(257))] {
        let rejected = count(&served, "t", key.clone(), "tea").await;
        assert_eq!(rejected["error"]["code"], -32602, "{key}: {rejected}");
    }

    assert_eq!(runs.load(Ordering::SeqCst), 0);
    served.end().await;
}

/// Starts a replica with tasks.
async fn task_replica(ledger: &MemoryLedger, registry: Registry) -> Served {
    let server = McpServer::new(registry)
        .tasks_after(Duration::from_millis(50))
        .task_store(TaskStore::ledger(Arc::new(ledger.clone())))
        .interactive(["asks"]);
    Served::of(server, HttpOptions::default()).await
}

#[tokio::test]
async fn task_is_found_by_other_replica_and_after_restart() {
    let ledger = MemoryLedger::new();
    let first = task_replica(&ledger, tools()).await;
    let second = task_replica(&ledger, tools()).await;

    let slow = call(&first, "slow").await;
    let id = &slow["result"]["taskId"];
    assert_eq!(slow["result"]["status"], "working", "{slow}");
    let done = until(&second, id, "completed").await;

    assert_eq!(done["result"]["content"][0]["text"], "slow");
    assert_eq!(done["createdAt"].as_str().map(str::len), Some(24), "{done}");
    first.end().await;
    second.end().await;
    let restarted = task_replica(&ledger, tools()).await;
    let again = until(&restarted, id, "completed").await;
    assert_eq!(again["result"], done["result"]);
    let unknown = send(&restarted, "t", "tasks/get", json!({"taskId": "0"})).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    restarted.end().await;
}

#[tokio::test]
async fn other_replica_cancels_task() {
    let (ledger, running) = (MemoryLedger::new(), Arc::<AtomicU32>::default());
    let registry = Registry::new();
    let definition = ToolDefinition::new("waits", "Waits.", json!({"type": "object"}))
        .with_risk(RiskLevel::ReadOnly);
    let counter = Arc::clone(&running);
    let waits = DynamicTool::new(definition, move |_, _| {
        let running = Counted::new(&counter);
        async move {
            let _running = running;
            std::future::pending().await
        }
    });
    registry.register(waits).unwrap();
    let first = task_replica(&ledger, registry).await;
    let second = task_replica(&ledger, tools()).await;
    let id = call(&first, "waits").await["result"]["taskId"].clone();
    assert_eq!(running.load(Ordering::SeqCst), 1);

    let cancelled = send(&second, "t", "tasks/cancel", json!({"taskId": id})).await;

    assert!(cancelled["error"].is_null(), "{cancelled}");
    until(&second, &id, "cancelled").await;
    until(&first, &id, "cancelled").await;
    for _ in 0..200 {
        if running.load(Ordering::SeqCst) == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(running.load(Ordering::SeqCst), 0);
    first.end().await;
    second.end().await;
}

#[tokio::test]
async fn other_replica_accepts_responses() {
    let ledger = MemoryLedger::new();
    let first = task_replica(&ledger, tools()).await;
    let second = task_replica(&ledger, tools()).await;
    let id = call(&first, "asks").await["result"]["taskId"].clone();

    let required = until(&second, &id, "input_required").await;
    assert_eq!(required["inputRequests"].as_object().unwrap().len(), 2);
    send(&second, "t", "tasks/update", answer(&id, "other", "Eve")).await;
    send(&second, "t", "tasks/update", answer(&id, "first", "Ada")).await;
    let partial = until(&second, &id, "input_required").await;
    let open = partial["inputRequests"].as_object().unwrap();
    assert_eq!(open.keys().collect::<Vec<_>>(), ["second"]);
    // The owner accepts the second response.
    send(&first, "t", "tasks/update", answer(&id, "second", "Bob")).await;
    let done = until(&second, &id, "completed").await;

    assert_eq!(done["result"]["content"][0]["text"], "\"Ada\"\"Bob\"");
    first.end().await;
    second.end().await;
}
