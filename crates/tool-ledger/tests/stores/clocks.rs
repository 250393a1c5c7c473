//! Clocks that are an hour off, of stores and of hosts.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tool_core::Timestamp;
use tool_core::ledger::{Claim, LedgerState};

use crate::host::{Host, code};
use crate::setup::{LEASE, Store, cases, done, key, pay};

const HOUR: Duration = Duration::from_hours(1);

async fn clock_an_hour_ahead_makes_running_call_unknown(store: Store) {
    let host = Host::new(Arc::clone(&store.ledger));
    let running = host.start("a", json!({"how": "waits"}));
    host.until_runs(1).await;
    store.step(HOUR).await;

    let again = host.start("a", json!({"how": "waits"})).await;
    assert_eq!(code(&again), "outcome_unknown", "{again}");

    // The outcome of the run replaces it.
    host.permit();
    assert!(running.await.success);
    assert!(host.start("a", json!({"how": "waits"})).await.success);
    assert_eq!(host.runs(), 1);
}

async fn clock_an_hour_behind_delays_calls(store: Store) {
    let host = Host::new(Arc::clone(&store.ledger));
    let running = host.start("a", json!({"how": "waits"}));
    host.until_runs(1).await;
    store.step_back(HOUR).await;

    let again = host.start("a", json!({"how": "waits"})).await;
    assert_eq!(code(&again), "in_progress", "{again}");
    let wait = again.error.unwrap().retry_after.unwrap();
    assert!(wait <= HOUR, "{wait:?}");

    host.permit();
    assert!(running.await.success);
    assert!(host.start("a", json!({"how": "waits"})).await.success);
    assert!(host.call("b").await.success);
    assert_eq!(host.runs(), 2);
}

async fn clock_an_hour_behind_never_repeats_effects(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    store.new_claim("b", &pay(5)).await;
    store.step_back(HOUR).await;

    store.ledger.renew(&key("a"), token, LEASE).await.unwrap();
    store.settle("a", token, &done()).await;
    assert!(matches!(store.claim("a", &pay(5)).await, Claim::Done(_)));
    let running = store.claim("b", &pay(5)).await;
    assert!(matches!(running, Claim::Running { .. }), "{running:?}");

    // After its lease by the clock, it is unknown.
    store.step(HOUR + LEASE).await;
    assert!(matches!(store.claim("b", &pay(5)).await, Claim::Unknown(_)));
    assert_eq!(store.entry("b").await.state, LedgerState::Unknown);
}

async fn clock_that_steps_keeps_outcomes(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    store.settle("a", token, &done()).await;
    store.step_back(HOUR).await;

    let early = store.ledger.prune(Duration::ZERO).await.unwrap();
    assert!(matches!(store.claim("a", &pay(5)).await, Claim::Done(_)));
    store.step(HOUR).await;

    assert_eq!((early, store.ledger.prune(LEASE).await.unwrap()), (0, 0));
    assert!(matches!(store.claim("a", &pay(5)).await, Claim::Done(_)));
}

async fn clocks_of_hosts_do_not_change_leases(store: Store) {
    let late = || Timestamp::now().after(HOUR);
    let early = || Timestamp::from(std::time::SystemTime::now() - HOUR);
    let late = Host::configured(Arc::clone(&store.ledger), |builder| builder.clock(late));
    let early = Host::configured(store.again().await, |builder| builder.clock(early));
    for (name, first, second) in [("a", &late, &early), ("b", &early, &late)] {
        let running = first.start(name, json!({"how": "waits"}));
        first.until_runs(1).await;

        let again = second.start(name, json!({"how": "waits"})).await;
        assert_eq!(code(&again), "in_progress", "{again}");
        first.permit();
        assert!(running.await.success);

        assert!(second.start(name, json!({"how": "waits"})).await.success);
        assert_eq!(first.runs(), 1, "{name}");
    }
}

cases! { LedgerLimits::default();
    clock_an_hour_ahead_makes_running_call_unknown
    clock_an_hour_behind_delays_calls
    clock_an_hour_behind_never_repeats_effects
    clock_that_steps_keeps_outcomes
    clocks_of_hosts_do_not_change_leases
}
