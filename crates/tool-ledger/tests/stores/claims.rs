//! Claims and leases.

use std::sync::Arc;
use std::time::Duration;

use tool_core::ledger::{Claim, LeaseToken, LedgerError, LedgerState};

use crate::setup::{
    LEASE, Store, cases, done, key, pay, repeatable, token, unknown, without_effect,
};

async fn first_claim_runs_and_second_waits(store: Store) {
    store.new_claim("a", &pay(5)).await;

    let Claim::Running { since, lease_until } = store.claim("a", &pay(5)).await else {
        panic!("another response");
    };

    // PostgreSQL reads its clock for each of them.
    let range = since.after(LEASE)..=since.after(LEASE + Duration::from_secs(1));
    assert!(range.contains(&lease_until), "{since:?}, {lease_until:?}");
}

async fn one_of_many_concurrent_claims_runs(store: Store) {
    let claims = (0..24).map(|_| {
        let ledger = Arc::clone(&store.ledger);
        tokio::spawn(async move { ledger.claim(&key("a"), &pay(5), LEASE).await.unwrap() })
    });
    let mut new = 0;
    for claim in claims.collect::<Vec<_>>() {
        new += u32::from(matches!(claim.await.unwrap(), Claim::New(_)));
    }

    assert_eq!(new, 1);
}

async fn one_of_many_claims_after_lease_runs(store: Store) {
    store.new_claim("a", &repeatable(5)).await;
    store.step(LEASE).await;

    let claims = (0..24).map(|_| {
        let ledger = Arc::clone(&store.ledger);
        tokio::spawn(async move {
            ledger
                .claim(&key("a"), &repeatable(5), LEASE)
                .await
                .unwrap()
        })
    });
    let mut new = 0;
    for claim in claims.collect::<Vec<_>>() {
        new += u32::from(matches!(claim.await.unwrap(), Claim::New(_)));
    }

    assert_eq!((new, store.entry("a").await.claims), (1, 2));
}

async fn tokens_differ(store: Store) {
    let first = store.new_claim("a", &pay(5)).await;
    let second = store.new_claim("b", &pay(5)).await;

    assert_ne!(first, second);
}

async fn another_process_sees_claim(store: Store) {
    store.new_claim("a", &pay(5)).await;

    let again = store.again().await.claim(&key("a"), &pay(5), LEASE).await;

    assert!(matches!(again.unwrap(), Claim::Running { .. }));
}

async fn same_key_in_other_scope_is_new(store: Store) {
    store.new_claim("a", &pay(5)).await;

    let other = tool_core::ledger::CallKey::new("run-8", "a");
    let claim = store.ledger.claim(&other, &pay(5), LEASE).await.unwrap();

    token(&claim);
}

async fn renewal_extends_lease(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    store.step(LEASE / 2).await;
    store.ledger.renew(&key("a"), token, LEASE).await.unwrap();
    store.step(LEASE / 2 + Duration::from_secs(1)).await;

    assert_eq!(store.entry("a").await.state, LedgerState::Running);
    store.step(LEASE).await;
    assert_eq!(store.entry("a").await.state, LedgerState::Unknown);
}

async fn renewal_after_lease_continues_run(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    store.step(LEASE * 2).await;
    assert_eq!(store.entry("a").await.state, LedgerState::Unknown);

    store.ledger.renew(&key("a"), token, LEASE).await.unwrap();

    assert_eq!(store.entry("a").await.state, LedgerState::Running);
}

async fn renewal_with_other_token_is_rejected(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    let other = LeaseToken::from_random(token.as_u64().wrapping_add(1));

    let renewed = store.ledger.renew(&key("a"), other, LEASE).await;

    assert!(matches!(renewed, Err(LedgerError::LeaseLost)));
}

async fn renewal_of_settled_or_unknown_key_is_rejected(store: Store) {
    for (name, outcome) in [("a", done()), ("b", without_effect()), ("c", unknown())] {
        let token = store.new_claim(name, &pay(5)).await;
        store.settle(name, token, &outcome).await;

        let renewed = store.ledger.renew(&key(name), token, LEASE).await;

        assert!(matches!(renewed, Err(LedgerError::LeaseLost)), "{name}");
    }
    let missing = key("d");
    let renewed = store
        .ledger
        .renew(&missing, LeaseToken::from_random(1), LEASE);
    assert!(matches!(renewed.await, Err(LedgerError::LeaseLost)));
}

async fn lost_lease_cannot_renew_or_settle(store: Store) {
    let first = store.new_claim("a", &repeatable(5)).await;
    store.step(LEASE).await;
    let second = store.new_claim("a", &repeatable(5)).await;

    let renewed = store.ledger.renew(&key("a"), first, LEASE).await;
    let settled = store.ledger.settle(&key("a"), first, &done()).await;

    assert!(matches!(renewed, Err(LedgerError::LeaseLost)));
    assert!(matches!(settled, Err(LedgerError::LeaseLost)));
    store.settle("a", second, &done()).await;
}

async fn lease_ends_at_its_time(store: Store) {
    store.new_claim("a", &pay(5)).await;
    store.step(LEASE * 5 / 6).await;
    assert_eq!(store.entry("a").await.state, LedgerState::Running);

    store.step(LEASE / 6).await;

    assert_eq!(store.entry("a").await.state, LedgerState::Unknown);
}

async fn clock_an_hour_ahead_never_repeats_effects(store: Store) {
    store.new_claim("a", &pay(5)).await;
    store.step(Duration::from_hours(1)).await;

    for _ in 0..3 {
        assert!(matches!(store.claim("a", &pay(5)).await, Claim::Unknown(_)));
    }
}

async fn unknown_claim_describes_first_run(store: Store) {
    let mut intent = pay(5);
    intent.by = Some("worker-3".to_owned());
    "call_1".clone_into(&mut intent.call_id);
    let token = store.new_claim("a", &intent).await;
    store.step(LEASE).await;

    let Claim::Unknown(entry) = store.claim("a", &pay(5)).await else {
        panic!("another response");
    };

    assert_eq!((entry.key, entry.token), (key("a"), Some(token)));
    assert_eq!((entry.intent, entry.state), (intent, LedgerState::Unknown));
}

cases! { LedgerLimits::default();
    first_claim_runs_and_second_waits
    one_of_many_concurrent_claims_runs
    one_of_many_claims_after_lease_runs
    tokens_differ
    another_process_sees_claim
    same_key_in_other_scope_is_new
    renewal_extends_lease
    renewal_after_lease_continues_run
    renewal_with_other_token_is_rejected
    renewal_of_settled_or_unknown_key_is_rejected
    lost_lease_cannot_renew_or_settle
    lease_ends_at_its_time
    clock_an_hour_ahead_never_repeats_effects
    unknown_claim_describes_first_run
}
