//! Limits on the number of calls.

use super::*;
use crate::middleware::{CallCount, CallLimit, Retry};
use crate::{CallOptions, Extensions, ToolCall};

fn readers(limit: CallLimit) -> Registry {
    let tools = ["f", "g", "h"].map(|name| counter(name, RiskLevel::ReadOnly));
    registry(limit, tools)
}

async fn answered(registry: &Registry, names: &[&str]) -> Vec<bool> {
    let mut answered = Vec::new();
    for name in names {
        answered.push(registry.execute(name, json!({})).await.success);
    }
    answered
}

#[tokio::test]
async fn limits_calls_in_total_and_per_tool() {
    for (limit, calls, expected) in [
        (CallLimit::new(), ["f", "f", "g", "g"], [true; 4]),
        (
            CallLimit::new().total(2),
            ["f", "g", "f", "h"],
            [true, true, false, false],
        ),
        (
            CallLimit::new().per_tool(1),
            ["f", "g", "f", "g"],
            [true, true, false, false],
        ),
        (
            CallLimit::new().tool("g", 0),
            ["f", "g", "f", "g"],
            [true, false, true, false],
        ),
        (
            CallLimit::new().per_tool(1).tool("f", 2),
            ["f", "f", "g", "g"],
            [true, true, true, false],
        ),
    ] {
        let registry = readers(limit.clone());

        assert_eq!(answered(&registry, &calls).await, expected, "{limit:?}");
    }
}

#[tokio::test]
async fn rejected_call_has_suggestion_and_does_not_count() {
    let limit = CallLimit::new().total(9).tool("f", 1);
    let count = limit.count().clone();
    let registry = readers(limit);
    answered(&registry, &["f", "f"]).await;

    let refused = registry.execute("f", json!({})).await;

    assert_eq!(
        refused.to_string(),
        "Error: The call limit of `f` (1) is reached. Do not repeat the call; continue with the results that you have."
    );
    assert_eq!(code(&refused), ErrorCode::CallLimitReached);
    assert!(!refused.error.unwrap().retryable);
    assert_eq!(
        (count.total(), count.of("f"), refused.metadata.attempts),
        (1, 1, 0)
    );
}

#[tokio::test]
async fn reset_count_allows_calls_again() {
    let limit = CallLimit::new().total(1);
    let count = limit.count().clone();
    let registry = readers(limit);
    assert_eq!(answered(&registry, &["f", "f"]).await, [true, false]);

    count.reset();

    assert_eq!(answered(&registry, &["f", "f"]).await, [true, false]);
}

#[tokio::test]
async fn count_in_extensions_is_per_turn() {
    let limit = CallLimit::new().total(1);
    let own = limit.count().clone();
    let registry = readers(limit);
    for _ in 0..2 {
        let turn = CallCount::new();
        let options =
            CallOptions::default().with_extensions(Extensions::default().with(turn.clone()));
        let call = ToolCall::new("f", "{}");

        let first = registry.execute_call(&call, &options).await;
        let second = registry.execute_call(&call, &options).await;

        assert_eq!(
            (first.success, second.success, turn.total()),
            (true, false, 1)
        );
    }
    assert_eq!(own.total(), 0);
}

#[tokio::test(start_paused = true)]
async fn limit_inside_retry_counts_attempts() {
    let limit = CallLimit::new().total(2);
    let tool = counting(definition("f", RiskLevel::ReadOnly), |_, _| async {
        Err(busy())
    });
    let registry = Registry::builder()
        .middleware(Retry::when_safe(9))
        .middleware(limit)
        .tool(tool)
        .unwrap()
        .build();

    let result = registry.execute("f", json!({})).await;

    assert_eq!(
        (code(&result), result.metadata.attempts),
        (ErrorCode::CallLimitReached, 2)
    );
}
