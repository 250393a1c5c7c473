//! How many calls may be made in a time.

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
async fn all_tokens_may_be_spent_at_once_and_come_back_one_by_one() {
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
async fn a_refusal_says_when_to_come_again() {
    let registry = readers(RateLimit::new(2, seconds(60)));
    for _ in 0..2 {
        assert!(succeeds(&registry, "f").await);
    }
    tokio::time::advance(seconds(10)).await;

    let refused = registry.execute("f", json!({})).await;

    let error = refused.error.clone().unwrap();
    assert_eq!(
        refused.to_string(),
        "Error: No more than 2 calls may run in 60 seconds. Wait 20 seconds, or go on without it."
    );
    assert_eq!(
        (error.code, error.retryable),
        (ErrorCode::RateLimited, true)
    );
    assert_eq!(error.retry_after, Some(seconds(20)));
    assert_eq!(refused.metadata.attempts, 0);
}

#[tokio::test(start_paused = true)]
async fn the_bucket_is_for_all_tools_for_each_or_for_some() {
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
async fn a_call_that_may_wait_waits_for_its_token() {
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
async fn nobody_waits_for_a_token_that_comes_after_the_deadline() {
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
async fn a_retry_around_it_comes_when_it_is_told_to() {
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
async fn waiting_for_a_turn_is_no_silence_of_the_tool() {
    let registry = readers(RateLimit::new(1, seconds(10)).waiting(seconds(20)));
    let options = CallOptions::default().with_idle_timeout(seconds(1));
    assert!(succeeds(&registry, "f").await);

    let result = registry
        .execute_call(&ToolCall::new("f", "{}"), &options)
        .await;

    assert!(result.success, "{result}");
}
