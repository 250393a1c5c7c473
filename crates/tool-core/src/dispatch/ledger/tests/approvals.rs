//! Calls that wait for approval.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;

use super::setup::{Counter, TestLedger, builder, call, code, count};
use crate::approval::{
    Answer, ApprovalRequest, Decision, PendingApprovals, PendingError, Policy, Rule, Verdict,
    suspend_to,
};
use crate::ledger::LedgerState;
use crate::{CallOptions, Registry, RiskLevel, ToolResult};

fn process(ledger: &Arc<TestLedger>, derives_key: bool) -> (Registry, Arc<AtomicU32>) {
    let mut counter = Counter::new(RiskLevel::Dangerous, false);
    counter.derives_key = derives_key;
    let runs = Arc::clone(&counter.runs);
    let registry = builder(ledger)
        .policy(Policy::default())
        .approver(suspend_to(Arc::clone(ledger) as _));
    (registry.tool(counter).unwrap().build(), runs)
}

async fn request_of(ledger: &TestLedger) -> ApprovalRequest {
    PendingApprovals::list(ledger).await.unwrap().remove(0)
}

async fn answer(
    registry: &Registry,
    ledger: &TestLedger,
    request: &ApprovalRequest,
    answer: Answer,
) -> Result<ToolResult, PendingError> {
    let decision = Decision::new(request, answer);
    registry
        .decide(ledger, &decision, &CallOptions::default())
        .await
}

#[tokio::test]
async fn another_process_runs_approved_call_once() {
    let ledger = Arc::new(TestLedger::default());
    let (first, first_runs) = process(&ledger, false);
    let waiting = call(&first, "1", json!({"n": 5})).await;
    assert_eq!(code(&waiting), Some("approval_pending"));
    assert_eq!(ledger.entry().state, LedgerState::AwaitingApproval);
    let request = request_of(&ledger).await;
    assert_eq!(request.call_key.as_ref().unwrap().to_string(), "run-7/1");

    let (second, runs) = process(&ledger, false);
    let done = answer(&second, &ledger, &request, Answer::Approve)
        .await
        .unwrap();
    let again = answer(&second, &ledger, &request, Answer::Approve).await;
    let repeated = call(&first, "1", json!({"n": 5})).await;

    assert!(
        done.success && done.data == repeated.data,
        "{done} {repeated}"
    );
    assert!(matches!(again, Err(PendingError::NotWaiting { .. })));
    assert_eq!((count(&first_runs), count(&runs)), (0, 1));
}

#[tokio::test]
async fn repeated_call_does_not_request_approval_again() {
    let ledger = Arc::new(TestLedger::default());
    let (registry, _) = process(&ledger, false);
    call(&registry, "1", json!({})).await;

    let again = call(&registry, "1", json!({})).await;

    assert_eq!(code(&again), Some("approval_pending"));
    let requests = PendingApprovals::list(ledger.as_ref()).await.unwrap();
    let shown = again.metadata.approval.unwrap().request.unwrap();
    assert_eq!(requests, [*shown]);
}

#[tokio::test]
async fn edited_arguments_keep_the_key() {
    let ledger = Arc::new(TestLedger::default());
    let (registry, runs) = process(&ledger, false);
    call(&registry, "1", json!({"n": 5})).await;
    let request = request_of(&ledger).await;

    let edit = Answer::Edit {
        arguments: json!({"n": 6}),
    };
    let done = answer(&registry, &ledger, &request, edit).await.unwrap();
    let repeated = call(&registry, "1", json!({"n": 5})).await;

    assert_eq!(done.data.as_ref().unwrap()["arguments"], json!({"n": 6}));
    assert_eq!((repeated.data, count(&runs)), (done.data, 1));
}

#[tokio::test]
async fn edit_of_identifying_arguments_is_rejected() {
    let ledger = Arc::new(TestLedger::default());
    let (registry, runs) = process(&ledger, true);
    call(&registry, "1", json!({"n": 5})).await;
    let request = request_of(&ledger).await;

    let edit = Answer::Edit {
        arguments: json!({"n": 6}),
    };
    let rejected = answer(&registry, &ledger, &request, edit).await.unwrap();

    assert_eq!((code(&rejected), count(&runs)), (Some("key_conflict"), 0));
}

#[tokio::test]
async fn denied_request_runs_no_later_approval() {
    let ledger = Arc::new(TestLedger::default());
    let (first, _) = process(&ledger, false);
    let (second, runs) = process(&ledger, false);
    call(&first, "1", json!({})).await;
    let request = request_of(&ledger).await;

    let denied = answer(&first, &ledger, &request, Answer::Deny { reason: None }).await;
    let decision = Decision::new(&request, Answer::Approve);
    let late = second
        .resume(&request, &decision, &CallOptions::default())
        .await;

    assert_eq!(code(&denied.unwrap()), Some("approval_denied"));
    assert_eq!((code(&late), count(&runs)), (Some("key_conflict"), 0));
    let asked_again = call(&first, "1", json!({})).await;
    assert_eq!(code(&asked_again), Some("approval_pending"));
}

#[tokio::test]
async fn unavailable_ledger_keeps_request() {
    let ledger = Arc::new(TestLedger::default());
    let (registry, runs) = process(&ledger, false);
    call(&registry, "1", json!({})).await;
    let request = request_of(&ledger).await;

    ledger.fails.store(true, Ordering::SeqCst);
    let failed = answer(&registry, &ledger, &request, Answer::Approve)
        .await
        .unwrap();
    ledger.fails.store(false, Ordering::SeqCst);
    let done = answer(&registry, &ledger, &request, Answer::Approve)
        .await
        .unwrap();

    assert_eq!(code(&failed), Some("ledger_unavailable"));
    assert_eq!((done.success, count(&runs)), (true, 1));
}

/// Resumes an approved call in a changed registry, and returns the error.
async fn resumed(change: impl FnOnce(&Registry)) -> String {
    let ledger = Arc::new(TestLedger::default());
    let (registry, runs) = process(&ledger, false);
    call(&registry, "1", json!({})).await;
    let request = request_of(&ledger).await;
    change(&registry);

    let rejected = answer(&registry, &ledger, &request, Answer::Approve)
        .await
        .unwrap();

    assert_eq!(
        (code(&rejected), count(&runs)),
        (Some("approval_denied"), 0)
    );
    rejected.to_string()
}

#[tokio::test]
async fn changed_definition_rejects_resumed_call() {
    let text = resumed(|registry| {
        registry
            .replace(Counter::new(RiskLevel::Dangerous, true))
            .unwrap();
    });

    assert!(text.await.contains("The definition of the tool changed"));
}

#[tokio::test]
async fn changed_policy_rejects_resumed_call() {
    let text = resumed(|registry| {
        registry.edit_policy(|policy| {
            let rule = Rule::new("no-count", "count", Verdict::Deny);
            policy.rules.push(rule);
        });
    });

    let text = text.await;
    assert!(
        text.contains("The policy changed") && text.contains("no-count"),
        "{text}"
    );
}

#[tokio::test]
async fn changed_arguments_reject_resumed_call() {
    let ledger = Arc::new(TestLedger::default());
    let (registry, runs) = process(&ledger, false);
    call(&registry, "1", json!({"n": 5})).await;
    let request = request_of(&ledger).await;
    let mut stale = request.clone();
    stale.arguments = json!({"n": 500});

    let decision = Decision::new(&request, Answer::Approve);
    let rejected = registry
        .resume(&stale, &decision, &CallOptions::default())
        .await;

    assert_eq!((rejected.success, count(&runs)), (false, 0));
}
