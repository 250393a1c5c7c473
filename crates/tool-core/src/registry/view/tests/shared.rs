//! State that a view shares with its registry: policy, approver and gate.

use std::sync::atomic::AtomicBool;

use super::*;
use crate::approval::{
    Answer, Decision, Effect, MemoryPendingApprovals, PendingApprovals, Policy, Rule, suspend_to,
};
use crate::{CallOptions, Extensions, ToolCall};

#[tokio::test]
async fn rules_match_shown_names() {
    let policy = Policy::default().with_rule(Rule::new("r", "fs__read", Effect::Deny));
    let registry = Registry::builder()
        .policy(policy)
        .tool(tool("read"))
        .unwrap()
        .build();
    let view = registry.view().prefix("fs").build().unwrap();

    let denied = view.execute("fs__read", json!({})).await.error.unwrap();

    assert_eq!(denied.code, ErrorCode::ApprovalDenied);
    assert!(registry.execute("read", json!({})).await.success);
}

#[tokio::test]
async fn condition_receives_extensions_of_call() {
    let registry = registry(&["read", "delete_user"]);
    let switch = Arc::new(AtomicBool::new(true));
    let open = Arc::clone(&switch);
    let view = registry
        .view()
        .when("delete_*", |host| host.get::<u32>() == Some(&7))
        .when("*", move |_| open.load(Ordering::SeqCst))
        .build()
        .unwrap();
    let call = ToolCall::new("delete_user", "{}");
    let of_seven = CallOptions::default().with_extensions(Extensions::default().with(7_u32));

    assert_eq!(names(&view), ["read"]);
    assert!(
        !view
            .execute_call(&call, &CallOptions::default())
            .await
            .success
    );
    assert!(view.execute_call(&call, &of_seven).await.success);
    switch.store(false, Ordering::SeqCst);
    assert!(names(&view).is_empty());
    assert!(!view.execute_call(&call, &of_seven).await.success);
}

#[tokio::test]
async fn view_resumes_its_own_calls() {
    let pending = Arc::new(MemoryPendingApprovals::default());
    let policy = Policy::default().with_rule(Rule::new("r", "fs__read", Effect::Ask));
    let registry = Registry::builder()
        .policy(policy)
        .approver(suspend_to(pending.clone()))
        .tool(tool("read"))
        .unwrap()
        .build();
    let view = registry
        .view()
        .pin("read", "path", "fixed")
        .prefix("fs")
        .build()
        .unwrap();
    let waiting = view.execute("fs__read", json!({})).await;
    let request = pending.list().await.unwrap().remove(0);
    let decision = Decision::new(&request, Answer::Approve);

    let options = CallOptions::default();
    let result = view
        .answer(pending.as_ref(), &decision, &options)
        .await
        .unwrap();

    assert_eq!(waiting.error.unwrap().code, ErrorCode::ApprovalPending);
    assert_eq!(request.tool, "fs__read");
    assert_eq!(result.data, Some(json!({"path": "fixed", "limit": 10})));
    let explanation = view.explain("fs__read", &json!({}).into()).unwrap();
    assert_eq!(explanation.rule, "r");
}

#[tokio::test]
async fn tool_bound_applies_across_views() {
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (inside, seen) = (Arc::clone(&running), Arc::clone(&most));
    let schema = json!({"properties": {"path": {"type": "string"}}});
    let definition = ToolDefinition::new("read", "Reads.", schema)
        .with_risk(RiskLevel::ReadOnly)
        .with_max_parallel(1);
    let slow = DynamicTool::new(definition, move |_, _| {
        let (inside, seen) = (Arc::clone(&inside), Arc::clone(&seen));
        async move {
            seen.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            inside.fetch_sub(1, Ordering::SeqCst);
            Ok(ToolOutput::text("x"))
        }
    });
    let registry = Registry::of(slow).unwrap();
    let view = registry
        .view()
        .pin("read", "path", "x")
        .rename("read", "open")
        .build()
        .unwrap();

    let (own, visible) = tokio::join!(
        registry.execute("read", json!({})),
        view.execute("open", json!({}))
    );

    assert!(own.success && visible.success, "{own} {visible}");
    assert_eq!(most.load(Ordering::SeqCst), 1);
}
