//! Calls that become tasks.

use std::time::Duration;

use serde_json::{Value, json};
use tool_core::{DynamicTool, Registry, RiskLevel, ToolDefinition, ToolError};
use tool_mcp::McpServer;
use tool_mcp::server::{BearerTokens, HttpOptions};

use crate::http::Served;

const EXTENSION: &str = "io.modelcontextprotocol/tasks";

fn registry() -> Registry {
    let registry = Registry::new();
    let definition = |name: &str| {
        let schema = json!({"type": "object", "properties": {}});
        ToolDefinition::new(name, "Test.", schema).with_risk(RiskLevel::ReadOnly)
    };
    let fast = DynamicTool::new(definition("fast"), |_, _| async { Ok("fast".into()) });
    let slow = DynamicTool::new(definition("slow"), |_, _| async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        Ok("slow".into())
    });
    let fails = DynamicTool::new(definition("fails"), |_, _| async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        Err(ToolError::failed("The disk is full"))
    });
    let waits = DynamicTool::new(definition("waits"), |_, _| async {
        std::future::pending().await
    });
    for tool in [fast, slow, fails, waits] {
        registry.register(tool).unwrap();
    }
    registry
}

async fn start(options: HttpOptions) -> Served {
    let mcp = McpServer::new(registry()).tasks_after(Duration::from_millis(50));
    Served::of(mcp, options).await
}

pub(crate) async fn send(served: &Served, token: &str, method: &str, params: Value) -> Value {
    let mut params = params;
    let capabilities = json!({"elicitation": {}, "extensions": {EXTENSION: {}}});
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": capabilities});
    let request = served.current(method, params).bearer_auth(token);
    request.send().await.unwrap().json().await.unwrap()
}

async fn call(served: &Served, name: &str) -> Value {
    send(
        served,
        "t",
        "tools/call",
        json!({"name": name, "arguments": {}}),
    )
    .await
}

/// Waits until a task has a state.
pub(crate) async fn until(served: &Served, id: &Value, status: &str) -> Value {
    for _ in 0..200 {
        let task = send(served, "t", "tasks/get", json!({"taskId": id})).await;
        if task["result"]["status"] == status {
            return task["result"].clone();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the task is not {status}");
}

#[tokio::test]
async fn long_call_becomes_task() {
    let served = start(HttpOptions::default()).await;

    let fast = call(&served, "fast").await;
    let slow = call(&served, "slow").await;
    let fails = call(&served, "fails").await;

    assert_eq!(fast["result"]["content"][0]["text"], "fast");
    assert_eq!(
        (
            &slow["result"]["resultType"],
            &slow["result"]["status"],
            &slow["result"]["ttlMs"]
        ),
        (&json!("task"), &json!("working"), &json!(3_600_000))
    );
    let done = until(&served, &slow["result"]["taskId"], "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "slow");
    let failed = until(&served, &fails["result"]["taskId"], "completed").await;
    assert_eq!(failed["result"]["isError"], true);
    // Without the extension, the call is not a task.
    let plain = served.call("slow", json!({})).await;
    assert_eq!(plain["result"]["content"][0]["text"], "slow");
    served.end().await;
}

#[tokio::test]
async fn cancelled_task_stops_its_call() {
    let served = start(HttpOptions::default()).await;
    let waits = call(&served, "waits").await;
    let id = &waits["result"]["taskId"];

    let cancelled = send(&served, "t", "tasks/cancel", json!({"taskId": id})).await;

    assert_eq!(cancelled["result"]["resultType"], "complete", "{cancelled}");
    until(&served, id, "cancelled").await;
    let again = send(&served, "t", "tasks/cancel", json!({"taskId": id})).await;
    assert!(again["error"].is_null(), "{again}");
    served.end().await;
}

#[tokio::test]
async fn task_belongs_to_its_client() {
    let tokens = BearerTokens::default()
        .with_token("first", &"t".to_owned().into())
        .with_token("second", &"other".to_owned().into());
    let served = start(HttpOptions::default().authenticate(tokens)).await;
    let waits = call(&served, "waits").await;
    let params = json!({"taskId": waits["result"]["taskId"]});

    for method in ["tasks/get", "tasks/cancel"] {
        let other = send(&served, "other", method, params.clone()).await;
        assert_eq!(other["error"]["code"], -32602, "{other}");
    }
    until(&served, &params["taskId"], "working").await;
    send(&served, "t", "tasks/cancel", params).await;
    served.end().await;
}
