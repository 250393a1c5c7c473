//! Requests for approval.

use std::sync::Arc;
use std::time::Duration;

use tool_core::approval::PendingError;
use tool_core::ledger::{Claim, LedgerState};

use crate::setup::{Store, cases, done, key, pay, request, without_effect};

async fn requests_are_listed_oldest_first(store: Store) {
    let requests = [request("b", 1), request("a", 2)];
    for request in &requests {
        store.approvals.put(request).await.unwrap();
    }

    assert_eq!(store.approvals.list().await.unwrap(), requests);
    let found = store.approvals.find(&requests[1].id).await.unwrap();
    assert_eq!(found.as_ref(), Some(&requests[1]));
}

async fn stored_request_is_replaced(store: Store) {
    let first = request("a", 1);
    let mut second = first.clone();
    second.reason = Some("Too much.".to_owned());
    store.approvals.put(&first).await.unwrap();
    store.approvals.put(&second).await.unwrap();

    assert_eq!(store.approvals.list().await.unwrap(), [second]);
}

async fn full_store_rejects_requests(store: Store) {
    let requests = [request("a", 1), request("b", 2), request("c", 3)];
    store.approvals.put(&requests[0]).await.unwrap();
    store.approvals.put(&requests[1]).await.unwrap();

    let full = store.approvals.put(&requests[2]).await;

    assert!(matches!(full, Err(PendingError::Full { limit: 2 })));
    store.approvals.put(&requests[1]).await.unwrap();
}

async fn one_of_many_takers_receives_request(store: Store) {
    let request = request("a", 1);
    store.approvals.put(&request).await.unwrap();

    let takers = (0..16).map(|_| {
        let (approvals, id) = (Arc::clone(&store.approvals), request.id.clone());
        tokio::spawn(async move { approvals.take(&id).await.unwrap() })
    });
    let mut taken = Vec::new();
    for taker in takers.collect::<Vec<_>>() {
        taken.extend(taker.await.unwrap());
    }

    assert_eq!(taken, [request]);
}

async fn request_without_key_has_no_entry(store: Store) {
    let mut request = request("a", 1);
    request.call_key = None;
    store.approvals.put(&request).await.unwrap();

    assert!(store.ledger.find(&key("a")).await.unwrap().is_none());
    assert_eq!(
        store.approvals.take(&request.id).await.unwrap(),
        Some(request)
    );
}

async fn waiting_call_is_listed_with_request(store: Store) {
    let request = request("a", 5);
    store.approvals.put(&request).await.unwrap();

    let entry = store.entry("a").await;

    assert_eq!(entry.state, LedgerState::AwaitingApproval);
    assert_eq!(
        (entry.claims, entry.request.as_deref()),
        (0, Some(&request))
    );
    let claim = store.claim("a", &pay(5)).await;
    assert!(matches!(claim, Claim::AwaitingApproval(waiting) if *waiting == request));
}

async fn claim_takes_decided_request(store: Store) {
    let request = request("a", 5);
    store.approvals.put(&request).await.unwrap();

    store.new_claim("a", &pay(5).with_approval(&request)).await;

    assert_eq!(store.approvals.take(&request.id).await.unwrap(), None);
    let entry = store.entry("a").await;
    assert_eq!((entry.state, entry.request), (LedgerState::Running, None));
}

async fn one_of_many_decisions_runs(store: Store) {
    let request = request("a", 5);
    store.approvals.put(&request).await.unwrap();

    let claims = (0..16).map(|_| {
        let (ledger, intent) = (Arc::clone(&store.ledger), pay(5).with_approval(&request));
        tokio::spawn(async move {
            ledger
                .claim(&key("a"), &intent, Duration::from_secs(30))
                .await
                .unwrap()
        })
    });
    let mut new = 0;
    for claim in claims.collect::<Vec<_>>() {
        new += u32::from(matches!(claim.await.unwrap(), Claim::New(_)));
    }

    assert_eq!(new, 1);
}

async fn edited_arguments_replace_intent(store: Store) {
    let request = request("a", 5);
    store.approvals.put(&request).await.unwrap();
    let token = store.new_claim("a", &pay(3).with_approval(&request)).await;
    store.settle("a", token, &done()).await;

    let original = store.claim("a", &pay(5)).await;
    let edited = store.claim("a", &pay(3)).await;
    let other = store.claim("a", &pay(4)).await;

    assert!(matches!(
        (original, edited),
        (Claim::Done(_), Claim::Done(_))
    ));
    assert_eq!(other, Claim::Conflict);
}

async fn withdrawn_request_runs_nothing(store: Store) {
    let request = request("a", 5);
    store.approvals.put(&request).await.unwrap();
    store.approvals.take(&request.id).await.unwrap();

    let late = store.claim("a", &pay(5).with_approval(&request)).await;

    assert_eq!(late, Claim::Conflict);
    assert_eq!(
        store.entry("a").await.state,
        LedgerState::FailedWithoutEffect
    );
}

async fn call_can_be_requested_again_after_denial(store: Store) {
    let first = request("a", 5);
    store.approvals.put(&first).await.unwrap();
    store.approvals.take(&first.id).await.unwrap();
    let second = request("a", 5);
    store.approvals.put(&second).await.unwrap();

    let late = store.claim("a", &pay(5).with_approval(&first)).await;
    assert!(matches!(late, Claim::AwaitingApproval(waiting) if *waiting == second));
    store.new_claim("a", &pay(5).with_approval(&second)).await;
}

async fn request_does_not_change_call_that_ran(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    store.approvals.put(&request("a", 5)).await.unwrap();
    assert_eq!(store.entry("a").await.state, LedgerState::Running);
    store.settle("a", token, &done()).await;

    store.approvals.put(&request("a", 5)).await.unwrap();

    assert!(matches!(store.claim("a", &pay(5)).await, Claim::Done(_)));
}

async fn request_replaces_failure_without_effect(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    store.settle("a", token, &without_effect()).await;
    store.approvals.put(&request("a", 5)).await.unwrap();

    let entry = store.entry("a").await;

    assert_eq!(
        (entry.state, entry.token),
        (LedgerState::AwaitingApproval, None)
    );
    let late = store.ledger.settle(&key("a"), token, &done()).await;
    assert!(late.is_err());
}

async fn expired_request_allows_another_claim(store: Store) {
    let mut request = request("a", 5);
    request.expires_at = Some(pay(5).time);
    store.approvals.put(&request).await.unwrap();

    let claim = store.claim("a", &pay(5)).await;

    assert!(matches!(claim, Claim::New(_)));
}

async fn store_claims_requests(store: Store) {
    assert!(store.approvals.claims_requests());
    assert_eq!(store.approvals.find("nothing").await.unwrap(), None);
    assert_eq!(store.approvals.take("nothing").await.unwrap(), None);
}

cases! { { let mut limits = LedgerLimits::default(); limits.max_requests = 2; limits };
    requests_are_listed_oldest_first
    stored_request_is_replaced
    full_store_rejects_requests
    one_of_many_takers_receives_request
    request_without_key_has_no_entry
    waiting_call_is_listed_with_request
    claim_takes_decided_request
    one_of_many_decisions_runs
    edited_arguments_replace_intent
    withdrawn_request_runs_nothing
    call_can_be_requested_again_after_denial
    request_does_not_change_call_that_ran
    request_replaces_failure_without_effect
    expired_request_allows_another_claim
    store_claims_requests
}
