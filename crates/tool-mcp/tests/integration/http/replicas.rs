//! Servers that share a ledger, as replicas behind a load balancer do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::ledger::{CallKey, Ledger};
use tool_core::{DynamicTool, Registry, RiskLevel, ToolDefinition};
use tool_ledger::SqliteLedger;
use tool_mcp::McpServer;
use tool_mcp::server::{BearerTokens, HttpOptions};

use crate::http::Served;
use crate::http::tasks::{send, until};

/// Starts a replica whose calls run once per key. `runs` counts the runs of `count`.
async fn replica(ledger: &SqliteLedger, runs: &Arc<AtomicU32>) -> Served {
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
    let (ledger, runs) = (SqliteLedger::in_memory().unwrap(), Arc::default());
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
    let (ledger, runs) = (SqliteLedger::in_memory().unwrap(), Arc::default());
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
    let (ledger, runs) = (SqliteLedger::in_memory().unwrap(), Arc::default());
    let served = replica(&ledger, &runs).await;

    for key in [json!(""), json!(7), json!("a b"), json!("x".repeat(257))] {
        let rejected = count(&served, "t", key.clone(), "tea").await;
        assert_eq!(rejected["error"]["code"], -32602, "{key}: {rejected}");
    }

    assert_eq!(runs.load(Ordering::SeqCst), 0);
    served.end().await;
}

/// Starts a replica whose calls become tasks. `runs` counts the runs of `slow`.
async fn task_replica(ledger: &SqliteLedger, runs: &Arc<AtomicU32>) -> Served {
    let definition = ToolDefinition::new("slow", "Counts.", json!({"type": "object"}))
        .with_risk(RiskLevel::SafeWrite);
    let runs = Arc::clone(runs);
    let slow = DynamicTool::new(definition, move |_, _| {
        let number = runs.fetch_add(1, Ordering::SeqCst) + 1;
        async move {
            tokio::time::sleep(Duration::from_millis(300)).await;
            Ok(format!("run {number}").into())
        }
    });
    let registry = Registry::builder()
        .ledger(Arc::new(ledger.clone()))
        .tool(slow)
        .unwrap()
        .build();
    let server = McpServer::new(registry).tasks_after(Duration::from_millis(50));
    Served::of(server.key(&[7; 32]).unwrap(), HttpOptions::default()).await
}

#[tokio::test]
async fn task_with_key_is_found_by_other_replica_and_after_restart() {
    let (ledger, runs) = (SqliteLedger::in_memory().unwrap(), Arc::default());
    let first = task_replica(&ledger, &runs).await;
    let second = task_replica(&ledger, &runs).await;
    let extensions = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let meta = json!({
        "io.modelcontextprotocol/clientCapabilities": extensions,
        "toolwright/idempotency-key": "order-7",
    });
    let params = json!({"name": "slow", "arguments": {}, "_meta": meta});
    let request = first.current("tools/call", params).send().await.unwrap();
    let slow: Value = request.json().await.unwrap();
    let id = &slow["result"]["taskId"];
    assert_eq!(slow["result"]["status"], "working", "{slow}");

    let there = send(&second, "t", "tasks/get", json!({"taskId": id})).await;
    let done = until(&second, id, "completed").await;

    assert_eq!(there["result"]["status"], "working", "{there}");
    assert_eq!(done["result"]["content"][0]["text"], "run 1");
    let here = until(&first, id, "completed").await;
    assert_eq!(here["result"], done["result"]);
    first.end().await;
    second.end().await;
    let restarted = task_replica(&ledger, &runs).await;
    let again = until(&restarted, id, "completed").await;
    assert_eq!(again["result"], done["result"]);
    let unknown = send(&restarted, "t", "tasks/get", json!({"taskId": "0"})).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    restarted.end().await;
}
