//! Recovery of calls with an unknown outcome.

use std::sync::Arc;

use serde_json::json;

use super::setup::{Counter, TestLedger, builder, call, code, count};
use crate::ledger::{LedgerState, Verified};
use crate::{RiskLevel, Timestamp};

/// Returns the state after a recovery, the error of a later call and the number of runs.
async fn recovered(verified: Verified) -> (LedgerState, Option<String>, u32) {
    let ledger = Arc::new(TestLedger::default());
    let mut counter = Counter::new(RiskLevel::SafeWrite, false);
    counter.verified = verified;
    let runs = Arc::clone(&counter.runs);
    let registry = builder(&ledger).tool(counter).unwrap().build();
    call(&registry, "1", json!({})).await;
    ledger.change(|entry| {
        entry.state = LedgerState::Running;
        entry.lease_until = Some(Timestamp::now());
        entry.result = None;
    });

    assert_eq!(
        registry.recover("another").await.unwrap(),
        crate::ledger::Recovery::default()
    );
    let recovery = registry.recover("run-7").await.unwrap();

    let lists = [recovery.happened, recovery.did_not_happen, recovery.unknown];
    let found: Vec<_> = lists.into_iter().flatten().collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].state, ledger.entry().at(Timestamp::now()).state);
    let later = call(&registry, "1", json!({})).await;
    (
        found[0].state,
        code(&later).map(str::to_owned),
        count(&runs),
    )
}

#[tokio::test]
async fn call_that_happened_is_done() {
    let state = recovered(Verified::Happened("paid".into())).await;

    assert_eq!(state, (LedgerState::Done, None, 1));
}

#[tokio::test]
async fn call_that_did_not_happen_runs_again() {
    let state = recovered(Verified::DidNotHappen).await;

    assert_eq!(state, (LedgerState::FailedWithoutEffect, None, 2));
}

#[tokio::test]
async fn undetermined_call_stays_unknown() {
    let state = recovered(Verified::Unknown).await;

    let code = Some("outcome_unknown".to_owned());
    assert_eq!(state, (LedgerState::Unknown, code, 1));
}

#[tokio::test]
async fn registry_without_ledger_recovers_nothing() {
    let recovery = crate::Registry::new().recover("run-7").await.unwrap();

    assert_eq!(recovery, crate::ledger::Recovery::default());
}
