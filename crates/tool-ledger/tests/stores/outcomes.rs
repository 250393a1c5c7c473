//! Outcomes of calls.

use tool_core::ledger::{Claim, LeaseToken, LedgerError, LedgerState, Settled};

use crate::setup::{
    LEASE, Store, cases, done, key, pay, possible_effect, repeatable, unknown, without_effect,
};

async fn done_call_returns_its_result(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    store.settle("a", token, &done()).await;

    let Claim::Done(result) = store.claim("a", &pay(5)).await else {
        panic!("another response");
    };

    assert_eq!(*result, *done().result());
    assert_eq!(store.entry("a").await.state, LedgerState::Done);
    assert_eq!(store.entry("a").await.lease_until, None);
}

async fn another_process_receives_result(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    store.settle("a", token, &done()).await;

    let again = store.again().await.claim(&key("a"), &pay(5), LEASE).await;

    assert!(matches!(again.unwrap(), Claim::Done(result) if *result == *done().result()));
}

async fn failure_with_possible_effect_is_returned(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    store.settle("a", token, &possible_effect()).await;

    let claim = store.claim("a", &pay(5)).await;

    assert!(matches!(claim, Claim::Done(result) if !result.success));
}

async fn failure_without_effect_runs_again(store: Store) {
    let first = store.new_claim("a", &pay(5)).await;
    store.settle("a", first, &without_effect()).await;

    let second = store.new_claim("a", &pay(6)).await;

    assert_ne!(first, second);
    let entry = store.entry("a").await;
    assert_eq!(
        (entry.claims, entry.intent, entry.result),
        (2, pay(6), None)
    );
}

async fn outcome_is_stored_once(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    store.settle("a", token, &done()).await;

    let again = store
        .ledger
        .settle(&key("a"), token, &without_effect())
        .await;

    assert!(matches!(again, Err(LedgerError::LeaseLost)));
    assert_eq!(store.entry("a").await.state, LedgerState::Done);
}

async fn other_token_cannot_settle(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    let other = LeaseToken::from_random(token.as_u64().wrapping_add(1));

    let settled = store.ledger.settle(&key("a"), other, &done()).await;
    let missing = store.ledger.settle(&key("b"), token, &done()).await;

    assert!(matches!(settled, Err(LedgerError::LeaseLost)));
    assert!(matches!(missing, Err(LedgerError::LeaseLost)));
}

async fn late_outcome_replaces_unknown(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    store.step(LEASE * 3).await;
    assert!(matches!(store.claim("a", &pay(5)).await, Claim::Unknown(_)));

    store.settle("a", token, &done()).await;

    assert!(matches!(store.claim("a", &pay(5)).await, Claim::Done(_)));
}

async fn late_outcome_of_repeatable_call_is_kept(store: Store) {
    let token = store.new_claim("a", &repeatable(5)).await;
    store.step(LEASE * 3).await;

    store.settle("a", token, &done()).await;

    assert!(matches!(
        store.claim("a", &repeatable(5)).await,
        Claim::Done(_)
    ));
}

async fn reported_unknown_can_be_recovered(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    store.settle("a", token, &unknown()).await;
    let entry = store.entry("a").await;
    assert_eq!(
        (entry.state, entry.token),
        (LedgerState::Unknown, Some(token))
    );

    store.settle("a", token, &done()).await;

    assert!(matches!(store.claim("a", &pay(5)).await, Claim::Done(_)));
}

async fn recovered_call_that_did_not_happen_runs(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    store.step(LEASE).await;
    store.settle("a", token, &without_effect()).await;

    store.new_claim("a", &pay(5)).await;

    let late = store.ledger.settle(&key("a"), token, &done()).await;
    assert!(matches!(late, Err(LedgerError::LeaseLost)));
}

async fn result_of_settled_states_is_listed(store: Store) {
    for (name, outcome) in [
        ("a", done()),
        ("b", without_effect()),
        ("c", possible_effect()),
    ] {
        let token = store.new_claim(name, &pay(5)).await;
        store.settle(name, token, &outcome).await;

        let entry = store.entry(name).await;

        assert_eq!(entry.state, outcome.state());
        assert_eq!(entry.result.as_deref(), Some(outcome.result()));
    }
}

async fn results_of_concurrent_calls_are_kept(store: Store) {
    let mut calls = Vec::new();
    for number in 0..50_u32 {
        let ledger = std::sync::Arc::clone(&store.ledger);
        calls.push(tokio::spawn(async move {
            let key = key(&number.to_string());
            let claim = ledger.claim(&key, &pay(number), LEASE).await.unwrap();
            let mut result = done().result().clone();
            result.data = Some(number.into());
            let token = crate::setup::token(&claim);
            ledger
                .settle(&key, token, &Settled::of(result))
                .await
                .unwrap();
        }));
    }
    for call in calls {
        call.await.unwrap();
    }

    for number in 0..50_u32 {
        let entry = store.entry(&number.to_string()).await;
        assert_eq!(entry.result.unwrap().data, Some(number.into()));
    }
}

cases! { LedgerLimits::default();
    done_call_returns_its_result
    another_process_receives_result
    failure_with_possible_effect_is_returned
    failure_without_effect_runs_again
    outcome_is_stored_once
    other_token_cannot_settle
    late_outcome_replaces_unknown
    late_outcome_of_repeatable_call_is_kept
    reported_unknown_can_be_recovered
    recovered_call_that_did_not_happen_runs
    result_of_settled_states_is_listed
    results_of_concurrent_calls_are_kept
}
