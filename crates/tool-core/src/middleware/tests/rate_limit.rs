//! Limits on the call rate.

use super::*;
use crate::middleware::{RateLimit, Retry};
use crate::{CallOptions, ToolCall};

fn readers(limit: RateLimit) -> Registry {
    registry(
        limit,
        ["f", "g"].map(|name| counter(name, RiskLevel::ReadOnly)),
    )
}

async fn succeeds(registry: &Registry, name: &str) -> bool {
    registry.execute(name, json!({})).await.success
}

#[tokio::test(start_paused = true)]
async fn burst_uses_all_tokens_then_refills() {
    let registry = readers(RateLimit::new(3, seconds(30)));
    let mut answered = Vec::new();
    for pause in [0, 0, 0, 0, 9, 1, 0, 20, 0, 0] {
        tokio::time::advance(seconds(pause)).await;
        answered.push(succeeds(&registry, "f").await);
    }

    assert_eq!(
        answered,
        [
            true, true, true, false, false, true, false, true, true, false
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn rate_limit_error_contains_delay() {
    let registry = readers(RateLimit::new(2, seconds(60)));
    for _ in 0..2 {
        assert!(succeeds(&registry, "f").await);
    }
    tokio::time::advance(seconds(10)).await;

    let refused = registry.execute("f", json!({})).await;

    let error = refused.error.clone().unwrap();
    assert_eq!(
        refused.to_string(),
        "Error: At most 2 calls may run in 60 seconds. Wait 20 seconds, or continue without it."
    );
    assert_eq!(
        (error.code, error.retryable),
        (ErrorCode::RateLimited, true)
    );
    assert_eq!(error.retry_after, Some(seconds(20)));
    assert_eq!(refused.metadata.attempts, 0);
}

#[tokio::test(start_paused = true)]
async fn bucket_is_shared_per_tool_or_restricted() {
    let limit = || RateLimit::new(1, seconds(60));
    for (limit, expected) in [
        (limit(), [true, false, false]),
        (limit().per_tool(), [true, true, false]),
        (limit().only(["f"]), [true, true, true]),
        (limit().only(["g"]), [true, true, false]),
    ] {
        let registry = readers(limit.clone());
        let answered = [
            succeeds(&registry, "f").await,
            succeeds(&registry, "g").await,
            succeeds(&registry, "g").await,
        ];

        assert_eq!(answered, expected, "{limit:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn waits_for_token_if_permitted() {
    let registry = readers(RateLimit::new(1, seconds(10)).waiting(seconds(20)));
    let started = tokio::time::Instant::now();
    let calls = (0..4).map(|_| ToolCall::new("f", "{}")).collect();

    let results = registry.execute_many(calls).await;

    let answered: Vec<bool> = results.iter().map(|result| result.success).collect();
    assert_eq!(answered, [true, true, true, false]);
    assert_eq!(started.elapsed(), seconds(20));
    assert_eq!(
        results[3].error.as_ref().unwrap().retry_after,
        Some(seconds(30))
    );
}

#[tokio::test(start_paused = true)]
async fn does_not_wait_past_deadline() {
    let registry = readers(RateLimit::new(1, seconds(10)).waiting(seconds(60)));
    let options = CallOptions::default().with_timeout(seconds(5));
    assert!(succeeds(&registry, "f").await);
    let started = tokio::time::Instant::now();

    let result = registry
        .execute_call(&ToolCall::new("f", "{}"), &options)
        .await;

    assert_eq!(
        (code(&result), started.elapsed()),
        (ErrorCode::RateLimited, seconds(0))
    );
}

#[tokio::test(start_paused = true)]
async fn outer_retry_respects_retry_after() {
    let registry = Registry::builder()
        .middleware(Retry::when_safe(2))
        .middleware(RateLimit::new(1, seconds(7)))
        .tool(counter("f", RiskLevel::ReadOnly))
        .unwrap()
        .build();
    let started = tokio::time::Instant::now();

    assert!(succeeds(&registry, "f").await && succeeds(&registry, "f").await);

    assert_eq!(started.elapsed(), seconds(7));
}

#[tokio::test(start_paused = true)]
async fn queue_does_not_count_as_idle() {
    let registry = readers(RateLimit::new(1, seconds(10)).waiting(seconds(20)));
    let options = CallOptions::default().with_idle_timeout(seconds(1));
    assert!(succeeds(&registry, "f").await);

    let result = registry
        .execute_call(&ToolCall::new("f", "{}"), &options)
        .await;

    assert!(result.success, "{result}");
}
