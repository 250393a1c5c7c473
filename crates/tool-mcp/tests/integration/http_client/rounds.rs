//! Calls that require input.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tool_core::approval::Policy;
use tool_core::{Registry, ToolResult};
use tool_mcp::McpManager;
use tool_mcp::client::{Elicit, ElicitAnswer, ElicitRequest};

use crate::http_client::faults::Faults;
use crate::http_client::{One, code};

/// User who answers after a delay.
struct User {
    answer: ElicitAnswer,
    delay: Duration,
}

#[async_trait]
impl Elicit for User {
    async fn elicit(&self, request: &ElicitRequest) -> ElicitAnswer {
        assert_eq!(
            (request.server.as_str(), request.message.as_str()),
            ("s", "Which branch?")
        );
        tokio::time::sleep(self.delay).await;
        self.answer.clone()
    }
}

async fn call(answer: ElicitAnswer, tool: &str, arguments: Value) -> ToolResult {
    // Only answers of one question take longer than the timeout of the call.
    let delay = match tool {
        "asks" => Duration::from_millis(1200),
        _ => Duration::ZERO,
    };
    let server = Faults::start("modern").await;
    let registry = Registry::builder().policy(Policy::allow_all()).build();
    let manager = McpManager::builder()
        .server("s", server.config().with_timeout(Duration::from_secs(1)))
        .registry(&registry)
        .elicit(User { answer, delay })
        .build();
    manager.connect().await;
    let result = registry.execute(&format!("s__{tool}"), arguments).await;
    manager.shutdown(Duration::ZERO).await;
    result
}

fn accept(values: &Value) -> ElicitAnswer {
    ElicitAnswer::Accept(values.as_object().cloned().unwrap_or_else(Map::new))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_are_sent_with_state() {
    let (given, default) = tokio::join!(
        call(accept(&json!({"branch": "dev"})), "asks", json!({})),
        call(accept(&json!({})), "asks", json!({})),
    );

    assert_eq!(given.text(), "dev s 1");
    assert_eq!(default.text(), "main s 1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rounds_are_limited() {
    let (forever, odd) = tokio::join!(
        call(accept(&json!({})), "asks_forever", json!({})),
        call(accept(&json!({})), "asks", json!({"odd": true})),
    );

    assert_eq!(
        forever.text(),
        "Error: The server \"s\" requested input more than 8 times. Continue without this tool."
    );
    assert!(
        odd.text()
            .starts_with("Error: The server \"s\" requires ``"),
        "{odd}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn question_without_user_is_quoted() {
    let one = One::start("modern").await;

    let result = one.call("asks", json!({})).await;

    assert_eq!(code(&result), "failed");
    assert_eq!(
        result.text(),
        "Error: The server \"s\" requires an answer to \"Which branch?\", which is not available here. Pass the information in the arguments, or continue without this tool."
    );
    one.end().await;
}
