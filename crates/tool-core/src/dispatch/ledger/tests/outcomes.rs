//! Claims, and the outcomes of their calls.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;

use super::setup::{Counter, Run, TestLedger, builder, call, code, count, run_7, setup};
use crate::ledger::{CallKey, LedgerState};
use crate::{AdaptedTool, CallOptions, RiskLevel, SideEffects, Timestamp, ToolCall, ToolResult};

#[tokio::test]
async fn repeated_call_returns_stored_result() {
    let (ledger, registry, runs) = setup();

    let first = call(&registry, "1", json!({"n": 5})).await;
    let again = call(&registry, "1", json!({"n": 5})).await;

    assert_eq!(
        first.data,
        Some(json!({"run": 1, "key": "run-7/1", "arguments": {"n": 5}}))
    );
    assert_eq!(
        (again.success, &again.data, &again.content),
        (true, &first.data, &first.content)
    );
    assert_eq!(again.metadata.side_effects, SideEffects::Done);
    assert_eq!(
        again.metadata.extra.get("stored_result_of"),
        Some(&json!("1"))
    );
    assert_eq!((again.metadata.attempts, count(&runs)), (0, 1));
    assert_eq!(ledger.entry().state, LedgerState::Done);
}

#[tokio::test]
async fn calls_with_other_ids_or_without_scope_run() {
    let (ledger, registry, runs) = setup();

    call(&registry, "1", json!({})).await;
    call(&registry, "2", json!({})).await;
    for _ in 0..2 {
        let call = ToolCall::new("count", json!({})).with_id("1");
        registry.execute_call(&call, &CallOptions::default()).await;
        registry.execute("count", json!({})).await;
    }

    assert_eq!((count(&runs), ledger.count()), (6, 6));
}

#[tokio::test]
async fn derived_key_joins_calls_with_other_ids() {
    let ledger = Arc::new(TestLedger::default());
    let mut counter = Counter::new(RiskLevel::SafeWrite, false);
    counter.derives_key = true;
    let runs = Arc::clone(&counter.runs);
    let registry = builder(&ledger).tool(counter).unwrap().build();

    let first = call(&registry, "1", json!({"n": 5})).await;
    let again = call(&registry, "2", json!({"n": 5})).await;
    call(&registry, "3", json!({"n": 6})).await;

    assert_eq!(first.data, again.data);
    assert_eq!((again.id.as_str(), count(&runs)), ("2", 2));
    assert_eq!(first.data.unwrap()["key"], "run-7/count:5");
}

#[tokio::test]
async fn key_of_host_replaces_other_keys() {
    let (ledger, registry, runs) = setup();
    let options = run_7().with_call_key("payment-1");

    for id in ["1", "2"] {
        let call = ToolCall::new("count", json!({})).with_id(id);
        registry.execute_call(&call, &options).await;
    }

    assert_eq!(ledger.entry().key, CallKey::new("run-7", "payment-1"));
    assert_eq!(count(&runs), 1);
}

#[tokio::test]
async fn key_with_other_arguments_is_conflict() {
    let (_, registry, runs) = setup();
    call(&registry, "1", json!({"n": 5})).await;

    let other = call(&registry, "1", json!({"n": 6})).await;

    assert_eq!((code(&other), count(&runs)), (Some("key_conflict"), 1));
}

#[tokio::test]
async fn key_of_other_tool_is_conflict() {
    let (_, registry, runs) = setup();
    let counter = Counter::new(RiskLevel::SafeWrite, false);
    let other = AdaptedTool::new(counter).renamed("count_again");
    registry.register(other).unwrap();
    call(&registry, "1", json!({"n": 5})).await;

    let same_key = ToolCall::new("count_again", json!({"n": 5})).with_id("1");
    let second = registry.execute_call(&same_key, &run_7()).await;

    assert_eq!((code(&second), count(&runs)), (Some("key_conflict"), 1));
}

#[tokio::test]
async fn concurrent_calls_run_once() {
    let (_, registry, runs) = setup();

    let calls = (0..8).map(|_| {
        let registry = registry.clone();
        tokio::spawn(async move { call(&registry, "1", json!({})).await })
    });
    let mut results: Vec<ToolResult> = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        results.push(call.await.unwrap());
    }

    assert_eq!(count(&runs), 1);
    for result in results {
        assert!(
            result.success || code(&result) == Some("in_progress"),
            "{result}"
        );
    }
}

#[tokio::test]
async fn running_call_is_reported_with_retry_time() {
    let (ledger, registry, runs) = setup();
    call(&registry, "1", json!({})).await;
    ledger.change(|entry| {
        entry.state = LedgerState::Running;
        entry.lease_until = Some(Timestamp::now().after(Duration::from_secs(20)));
    });

    let error = *call(&registry, "1", json!({})).await.error.unwrap();

    assert_eq!(
        (error.code.as_str(), error.retryable),
        ("in_progress", true)
    );
    assert!(error.retry_after.unwrap() > Duration::from_secs(1));
    assert_eq!(count(&runs), 1);
}

#[tokio::test]
async fn call_whose_lease_ended_is_unknown() {
    let (ledger, registry, runs) = setup();
    call(&registry, "1", json!({})).await;
    ledger.change(|entry| {
        entry.state = LedgerState::Running;
        entry.lease_until = Some(Timestamp::now());
    });

    let later = call(&registry, "1", json!({})).await;

    assert_eq!((code(&later), count(&runs)), (Some("outcome_unknown"), 1));
    assert_eq!(later.metadata.side_effects, SideEffects::Possible);
}

#[tokio::test]
async fn idempotent_call_whose_lease_ended_runs_again() {
    let ledger = Arc::new(TestLedger::default());
    let counter = Counter::new(RiskLevel::SafeWrite, true);
    let runs = Arc::clone(&counter.runs);
    let registry = builder(&ledger).tool(counter).unwrap().build();
    call(&registry, "1", json!({})).await;
    ledger.change(|entry| {
        entry.state = LedgerState::Running;
        entry.lease_until = Some(Timestamp::now());
    });

    let later = call(&registry, "1", json!({})).await;

    assert_eq!((later.success, count(&runs)), (true, 2));
    assert_eq!(ledger.entry().claims, 2);
}

#[tokio::test]
async fn only_failures_with_possible_effect_pin_key() {
    for (run, state, runs) in [
        (Run::IsBusy, LedgerState::FailedWithoutEffect, 2),
        (Run::Fails, LedgerState::FailedWithPossibleEffect, 1),
        (Run::LosesResponse, LedgerState::Unknown, 1),
    ] {
        let ledger = Arc::new(TestLedger::default());
        let counter = Counter::new(RiskLevel::SafeWrite, false);
        *counter.run.lock().unwrap() = run;
        let (total, how) = (Arc::clone(&counter.runs), Arc::clone(&counter.run));
        let registry = builder(&ledger).tool(counter).unwrap().build();

        let failed = call(&registry, "1", json!({})).await;
        assert_eq!(ledger.entry().state, state);
        *how.lock().unwrap() = Run::Succeeds;
        let again = call(&registry, "1", json!({})).await;

        assert_eq!((again.success, count(&total)), (runs == 2, runs));
        if runs == 1 {
            assert_eq!(code(&failed), code(&again));
        }
    }
}

#[tokio::test]
async fn call_before_its_run_does_not_pin_key() {
    let (ledger, registry, runs) = setup();
    let stopped = crate::CancellationToken::new();
    stopped.cancel();
    let call_1 = ToolCall::new("count", json!({})).with_id("1");

    let options = run_7().with_cancellation(stopped);
    let cancelled = registry.execute_call(&call_1, &options).await;
    assert_eq!(code(&cancelled), Some("cancelled"));
    assert_eq!(ledger.entry().state, LedgerState::FailedWithoutEffect);
    let again = call(&registry, "1", json!({})).await;

    assert_eq!((again.success, count(&runs)), (true, 1));
}

#[tokio::test]
async fn unavailable_ledger_stops_call() {
    let (ledger, registry, runs) = setup();
    ledger.fails.store(true, Ordering::SeqCst);

    let error = *call(&registry, "1", json!({})).await.error.unwrap();

    assert_eq!(
        (error.code.as_str(), error.retryable),
        ("ledger_unavailable", true)
    );
    assert_eq!(count(&runs), 0);
}

#[tokio::test]
async fn too_long_key_stops_call() {
    let (_, registry, runs) = setup();

    let call = ToolCall::new("count", json!({})).with_id("x".repeat(CallKey::MAX_BYTES + 1));
    let error = *registry.execute_call(&call, &run_7()).await.error.unwrap();

    assert_eq!(
        (error.code.as_str(), error.retryable),
        ("ledger_unavailable", false)
    );
    assert_eq!(count(&runs), 0);
}

#[tokio::test]
async fn unstored_outcome_is_warning() {
    let (ledger, registry, runs) = setup();
    ledger.fails_to_settle.store(true, Ordering::SeqCst);

    let result = call(&registry, "1", json!({})).await;

    assert!(result.success);
    assert!(
        result.warnings[0].contains("could not be stored"),
        "{result}"
    );
    assert_eq!(ledger.entry().state, LedgerState::Running);
    let later = call(&registry, "1", json!({})).await;
    assert_eq!((code(&later), count(&runs)), (Some("in_progress"), 1));
}

#[tokio::test]
async fn too_large_result_is_stored_without_output() {
    let (ledger, registry, _) = setup();
    *ledger.max_bytes.lock().unwrap() = Some(2000);

    let arguments = json!({"text": "x".repeat(5000)});
    let large = call(&registry, "2", arguments.clone()).await;
    let again = call(&registry, "2", arguments).await;

    assert!(
        large.data.is_some() && !large.to_string().contains("stored"),
        "{large}"
    );
    assert!(again.success && again.data.is_none(), "{again}");
    assert!(again.to_string().contains("too large"), "{again}");
}

#[tokio::test]
async fn read_only_calls_skip_ledger_unless_asked() {
    let ledger = Arc::new(TestLedger::default());
    let counter = Counter::new(RiskLevel::ReadOnly, true);
    let runs = Arc::clone(&counter.runs);
    let registry = builder(&ledger).tool(counter).unwrap().build();

    for _ in 0..2 {
        call(&registry, "1", json!({})).await;
    }
    assert_eq!((count(&runs), ledger.count()), (2, 0));

    for _ in 0..2 {
        let call = ToolCall::new("count", json!({}));
        let options = run_7().with_call_key("k");
        assert!(registry.execute_call(&call, &options).await.success);
    }
    assert_eq!((count(&runs), ledger.count()), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn running_call_renews_its_lease() {
    let ledger = Arc::new(TestLedger::default());
    let counter = Counter::new(RiskLevel::SafeWrite, false);
    *counter.run.lock().unwrap() = Run::Waits(Duration::from_secs(45));
    let registry = builder(&ledger).ledger_lease(Duration::from_secs(30));
    let registry = registry.tool(counter).unwrap().build();

    assert!(call(&registry, "1", json!({})).await.success);

    let renewals = ledger.renewals.load(Ordering::SeqCst);
    assert!((3..=5).contains(&renewals), "{renewals}");
    tokio::time::sleep(Duration::from_mins(5)).await;
    assert_eq!(ledger.renewals.load(Ordering::SeqCst), renewals);
}

#[tokio::test(start_paused = true)]
async fn dropped_call_is_unknown() {
    let ledger = Arc::new(TestLedger::default());
    let counter = Counter::new(RiskLevel::SafeWrite, false);
    *counter.run.lock().unwrap() = Run::Waits(Duration::from_secs(45));
    let registry = builder(&ledger).tool(counter).unwrap().build();

    let running = call(&registry, "1", json!({}));
    assert!(
        tokio::time::timeout(Duration::from_secs(1), running)
            .await
            .is_err()
    );
    tokio::time::sleep(Duration::from_secs(1)).await;

    assert_eq!(ledger.entry().state, LedgerState::Unknown);
}
