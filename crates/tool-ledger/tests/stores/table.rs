//! The response to a claim for every state, kind of call and kind of claim.

use tool_core::ledger::{Claim, Intent, LedgerState};

use crate::setup::{
    LEASE, Store, cases, done, key, pay, possible_effect, repeatable, request, unknown,
    without_effect,
};

/// State, whether the call is repeatable, and the responses to a claim of the same call, of a call with other arguments, and
/// of the same call with a decision about its request.
const TABLE: [(LedgerState, bool, [&str; 3]); 14] = [
    (
        LedgerState::AwaitingApproval,
        false,
        ["waiting", "conflict", "new"],
    ),
    (
        LedgerState::AwaitingApproval,
        true,
        ["waiting", "conflict", "new"],
    ),
    (LedgerState::Claimed, true, ["new", "conflict", "new"]),
    (
        LedgerState::Running,
        false,
        ["running", "conflict", "running"],
    ),
    (
        LedgerState::Running,
        true,
        ["running", "conflict", "running"],
    ),
    (LedgerState::Done, false, ["done", "conflict", "done"]),
    (LedgerState::Done, true, ["done", "conflict", "done"]),
    (
        LedgerState::FailedWithoutEffect,
        false,
        ["new", "new", "new"],
    ),
    (
        LedgerState::FailedWithoutEffect,
        true,
        ["new", "new", "new"],
    ),
    (
        LedgerState::FailedWithPossibleEffect,
        false,
        ["done", "conflict", "done"],
    ),
    (
        LedgerState::FailedWithPossibleEffect,
        true,
        ["new", "conflict", "new"],
    ),
    (
        LedgerState::Unknown,
        false,
        ["unknown", "conflict", "unknown"],
    ),
    (LedgerState::Unknown, true, ["new", "conflict", "new"]),
    // The tool itself reports that the outcome is unknown.
    (
        LedgerState::Unknown,
        false,
        ["unknown", "conflict", "unknown"],
    ),
];

fn name_of(claim: &Claim) -> &'static str {
    match claim {
        Claim::New(_) => "new",
        Claim::Running { .. } => "running",
        Claim::Done(_) => "done",
        Claim::AwaitingApproval(_) => "waiting",
        Claim::Unknown(_) => "unknown",
        Claim::Conflict => "conflict",
        _ => "another",
    }
}

/// Brings the call `name` into a state.
async fn bring(store: &Store, name: &str, state: LedgerState, intent: &Intent, reported: bool) {
    if state == LedgerState::AwaitingApproval {
        return store.approvals.put(&request(name, 5)).await.unwrap();
    }
    let token = store.new_claim(name, intent).await;
    let outcome = match state {
        LedgerState::Done => done(),
        LedgerState::FailedWithoutEffect => without_effect(),
        LedgerState::FailedWithPossibleEffect => possible_effect(),
        LedgerState::Unknown if reported => unknown(),
        LedgerState::Unknown | LedgerState::Claimed => {
            return store.step(LEASE + LEASE).await;
        }
        _ => return,
    };
    store.settle(name, token, &outcome).await;
}

async fn claims_follow_table(store: Store) {
    for (row, (state, repeats, responses)) in TABLE.into_iter().enumerate() {
        for (column, expected) in responses.into_iter().enumerate() {
            let name = format!("{row}-{column}");
            let intent = if repeats { repeatable(5) } else { pay(5) };
            let reported = repeats || row == TABLE.len() - 1;
            bring(&store, &name, state, &intent, reported).await;
            let claim = match column {
                0 => pay(5),
                1 => pay(6),
                _ => match store.entry(&name).await.request {
                    Some(request) => pay(5).with_approval(&request),
                    None => pay(5).with_approval(&request(&name, 5)),
                },
            };

            let response = store
                .ledger
                .claim(&key(&name), &claim, LEASE)
                .await
                .unwrap();

            assert_eq!(name_of(&response), expected, "{state} {repeats} {column}");
        }
    }
}

cases! { LedgerLimits::default();
    claims_follow_table
}
