//! Lists of entries, and their removal.

use std::time::Duration;

use tool_core::RiskLevel;
use tool_core::ledger::{CallKey, Claim, Intent, LedgerEntry, LedgerFilter, LedgerState, Page};

use crate::setup::{
    LEASE, Store, cases, done, key, pay, possible_effect, repeatable, request, unknown,
    without_effect,
};

fn names(entries: &[LedgerEntry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.key.key.as_str()).collect()
}

async fn list(store: &Store, filter: &LedgerFilter) -> Vec<LedgerEntry> {
    store.ledger.list(filter, Page::default()).await.unwrap()
}

async fn entries_are_listed_oldest_first(store: Store) {
    for name in ["c", "a", "b"] {
        store.new_claim(name, &pay(5)).await;
    }

    assert_eq!(
        names(&list(&store, &LedgerFilter::default()).await),
        ["c", "a", "b"]
    );
}

async fn later_claim_keeps_position(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    store.settle("a", token, &without_effect()).await;
    store.new_claim("b", &pay(5)).await;
    store.new_claim("a", &pay(5)).await;

    assert_eq!(
        names(&list(&store, &LedgerFilter::default()).await),
        ["a", "b"]
    );
}

async fn pages_contain_each_entry_once(store: Store) {
    for number in 0..7_u32 {
        store.new_claim(&number.to_string(), &pay(5)).await;
    }
    let (mut page, mut found) = (Page::first(3), Vec::new());
    loop {
        let entries = store
            .ledger
            .list(&LedgerFilter::default(), page)
            .await
            .unwrap();
        let Some(last) = entries.last() else { break };
        assert!(entries.len() <= 3);
        page = page.after(last);
        found.extend(entries);
    }

    assert_eq!(names(&found), ["0", "1", "2", "3", "4", "5", "6"]);
}

async fn filter_selects_scope(store: Store) {
    store.new_claim("a", &pay(5)).await;
    let other = CallKey::new("run-8", "b");
    store.ledger.claim(&other, &pay(5), LEASE).await.unwrap();

    let found = list(&store, &LedgerFilter::default().with_scope("run-8")).await;

    assert_eq!(names(&found), ["b"]);
}

async fn filter_selects_tool(store: Store) {
    store.new_claim("a", &pay(5)).await;
    let send = Intent::new("send", &serde_json::json!({}), RiskLevel::Dangerous);
    store.new_claim("b", &send).await;

    let found = list(&store, &LedgerFilter::default().with_tool("send")).await;

    assert_eq!(names(&found), ["b"]);
}

/// Creates one call in each state, named like the state.
async fn all_states(store: &Store) {
    store.new_claim("unknown", &pay(5)).await;
    store.new_claim("claimed", &repeatable(5)).await;
    store.step(LEASE).await;
    store.new_claim("running", &pay(5)).await;
    for outcome in [done(), without_effect(), possible_effect()] {
        let name = outcome.state().as_str();
        let token = store.new_claim(name, &pay(5)).await;
        store.settle(name, token, &outcome).await;
    }
    store
        .approvals
        .put(&request("awaiting_approval", 5))
        .await
        .unwrap();
}

async fn filter_selects_current_state(store: Store) {
    all_states(&store).await;

    for state in LedgerState::ALL {
        let found = list(&store, &LedgerFilter::default().with_state(state)).await;

        assert_eq!(names(&found), [state.as_str()]);
        assert_eq!(found[0].state, state);
    }
    let two = LedgerFilter::default()
        .with_state(LedgerState::Unknown)
        .with_state(LedgerState::Done);
    assert_eq!(names(&list(&store, &two).await), ["unknown", "done"]);
}

async fn listed_entries_equal_found_ones(store: Store) {
    all_states(&store).await;

    for listed in list(&store, &LedgerFilter::default()).await {
        let found = store.ledger.find(&listed.key).await.unwrap().unwrap();

        assert_eq!(listed, found);
    }
}

async fn prune_removes_old_settled_entries(store: Store) {
    all_states(&store).await;
    assert_eq!(store.ledger.prune(Duration::from_mins(1)).await.unwrap(), 0);
    store.step(Duration::from_mins(2)).await;
    let token = store.new_claim("new", &pay(5)).await;
    store.settle("new", token, &done()).await;

    let removed = store.ledger.prune(Duration::from_mins(1)).await.unwrap();

    assert_eq!(removed, 3);
    let left = list(&store, &LedgerFilter::default()).await;
    assert_eq!(
        names(&left),
        ["unknown", "claimed", "running", "awaiting_approval", "new"]
    );
}

async fn removed_key_is_new(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    store.settle("a", token, &done()).await;
    store.step(Duration::from_secs(1)).await;

    assert_eq!(store.ledger.prune(Duration::ZERO).await.unwrap(), 1);

    assert!(matches!(store.claim("a", &pay(9)).await, Claim::New(_)));
}

async fn reported_unknown_is_not_removed(store: Store) {
    let token = store.new_claim("a", &pay(5)).await;
    store.settle("a", token, &unknown()).await;
    store.step(Duration::from_hours(1)).await;

    assert_eq!(store.ledger.prune(Duration::ZERO).await.unwrap(), 0);
    assert!(store.ledger.find(&key("a")).await.unwrap().is_some());
}

cases! { LedgerLimits::default();
    entries_are_listed_oldest_first
    later_claim_keeps_position
    pages_contain_each_entry_once
    filter_selects_scope
    filter_selects_tool
    filter_selects_current_state
    listed_entries_equal_found_ones
    prune_removes_old_settled_entries
    removed_key_is_new
    reported_unknown_is_not_removed
}
