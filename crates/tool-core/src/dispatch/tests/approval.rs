//! Steps 4 to 6: the preparation, the policy and the approver.

mod assessment;
mod concurrent;
mod edits;
mod grants;
mod later;
mod preview;

use async_trait::async_trait;

use super::*;
use crate::approval::{
    Answer, ApprovalRequest, Approver, Decision, Outcome, Rule, Verdict, approver_fn,
};
use crate::{
    Arguments, CallOptions, CallPlan, CancellationToken, PreparedCall, Tool, ToolCall, ToolContext,
    ToolError,
};

fn asking(answer: Answer) -> (Registry, Arc<AtomicUsize>) {
    let (tool, runs) = echo("f", limit_schema());
    let policy = Policy::default().with_verdict(RiskLevel::ReadOnly, Verdict::Ask);
    let approver = approver_fn(move |_| answer.clone());
    (
        Registry::builder()
            .policy(policy)
            .approver(approver)
            .tool(tool)
            .unwrap()
            .build(),
        runs,
    )
}

fn outcome(result: &ToolResult) -> Outcome {
    result.metadata.approval.as_ref().unwrap().outcome
}

/// A tool whose risk and validity depend on its arguments.
struct Careful(ToolDefinition);

impl Tool for Careful {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn prepare<'a>(
        &'a self,
        _cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let number = arguments.get("n").and_then(crate::JsonRef::as_i64);
        let risk = match number {
            Some(13) => return Err(ToolError::invalid_arguments("n", "is unlucky")),
            Some(99) => panic!("a bug in the preparation"),
            Some(101..) => RiskLevel::Dangerous,
            _ => RiskLevel::ReadOnly,
        };
        Ok(PreparedCall::new(CallPlan::of(risk), async {
            Ok(ToolOutput::json(arguments.to_value()))
        }))
    }
}

#[tokio::test]
async fn plan_precedes_policy() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let registry = Registry::of(Careful(ToolDefinition::new("f", "F.", schema))).unwrap();

    assert!(registry.execute("f", json!({"n": 1})).await.success);
    let unlucky = registry.execute("f", json!({"n": 13})).await;
    assert_eq!(unlucky.to_string(), "Error: `n` is unlucky.");
    assert_eq!(
        code(&registry.execute("f", json!({"n": 101})).await),
        &ErrorCode::ApprovalDenied
    );
    assert_eq!(
        code(&registry.execute("f", json!({"n": 99})).await),
        &ErrorCode::Panic
    );
}

#[tokio::test]
async fn denies_call_that_requires_approval_without_approver() {
    let dangerous = registry_of(definition("f", RiskLevel::Dangerous), |_, _| async {
        Ok("ran".into())
    });
    dangerous.edit_policy(|policy| *policy = Policy::default());

    let result = dangerous.execute("f", json!({"n": 1})).await;

    assert_eq!(result.metadata.parameters.to_value(), json!({"n": 1}));
    assert_eq!(code(&result), &ErrorCode::ApprovalDenied);
    assert_eq!(outcome(&result), Outcome::Denied);
}

#[tokio::test]
async fn rules_see_arguments_with_defaults() {
    let (tool, runs) = echo("f", limit_schema());
    let registry = Registry::of(tool).unwrap();
    let rule = Rule::new("ten", "f", Verdict::Deny).with_pattern(r#"{"limit":10,"path":".*"}"#);
    registry.edit_policy(|policy| *policy = Policy::default().with_rule(rule));

    let by_default = registry.execute("f", json!({"path": "a"})).await;
    let coerced = registry
        .execute("f", json!({"path": "a", "limit": "10"}))
        .await;
    let other = registry
        .execute("f", json!({"path": "a", "limit": 11}))
        .await;

    assert_eq!(code(&by_default), &ErrorCode::ApprovalDenied);
    assert_eq!(
        by_default.metadata.approval.unwrap().rule.as_deref(),
        Some("ten")
    );
    assert_eq!(code(&coerced), &ErrorCode::ApprovalDenied);
    assert!(other.success);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn runs_approved_and_not_denied_calls() {
    let (yes, ran) = asking(Answer::Approve);
    let (no, never) = asking(Answer::Deny {
        reason: Some("not now".into()),
    });

    let approved = yes.execute("f", json!({"path": "a"})).await;
    let denied = no.execute("f", json!({"path": "a"})).await;

    assert_eq!(
        (outcome(&approved), ran.load(Ordering::SeqCst)),
        (Outcome::Approved, 1)
    );
    assert_eq!(
        (outcome(&denied), never.load(Ordering::SeqCst)),
        (Outcome::Denied, 0)
    );
    assert!(
        denied
            .to_string()
            .contains("did not approve this call: not now"),
        "{denied}"
    );
}

#[tokio::test]
async fn always_prevents_later_requests_for_equal_arguments() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let approver = approver_fn(move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
        Answer::Always
    });
    let policy = Policy::default().with_verdict(RiskLevel::ReadOnly, Verdict::Ask);
    let registry = Registry::builder()
        .policy(policy)
        .approver(approver)
        .tool(echo("f", limit_schema()).0)
        .unwrap()
        .build();

    for path in ["a", "a", "a", "b"] {
        assert!(registry.execute("f", json!({"path": path})).await.success);
    }

    assert_eq!(asked.load(Ordering::SeqCst), 2);
    assert_eq!(registry.policy().rules.len(), 2);
}

#[tokio::test]
async fn always_does_not_cover_changed_definition() {
    let (registry, _) = asking(Answer::Always);
    let outcome_of_call = async || {
        let result = registry.execute("f", json!({"path": "a"})).await;
        outcome(&result)
    };
    assert_eq!(outcome_of_call().await, Outcome::Approved);
    assert_eq!(outcome_of_call().await, Outcome::Allowed);

    let mut schema = limit_schema();
    schema["description"] = json!("Changed.");
    assert!(registry.unregister("f").is_some());
    registry.register(echo("f", schema).0).unwrap();

    assert_eq!(outcome_of_call().await, Outcome::Approved);
    assert_eq!(registry.policy().rules.len(), 2);
}

#[tokio::test]
async fn requests_expire_after_one_hour_by_default() {
    for (expiry, seconds) in [
        (None, Some(3600)),
        (Some(None), None),
        (Some(Some(Duration::from_mins(1))), Some(60)),
    ] {
        let builder = Registry::builder()
            .policy(Policy::default().with_verdict(RiskLevel::ReadOnly, Verdict::Ask))
            .approver(approver_fn(|_| Answer::Suspend));
        let builder = match expiry {
            Some(expiry) => builder.approval_expiry(expiry),
            None => builder,
        };
        let registry = builder.tool(echo("f", limit_schema()).0).unwrap().build();

        let result = registry.execute("f", json!({"path": "a"})).await;

        let request = *result.metadata.approval.unwrap().request.unwrap();
        let expected =
            seconds.map(|seconds| request.requested_at.after(Duration::from_secs(seconds)));
        assert_eq!(request.expires_at, expected);
    }
}

#[tokio::test]
async fn edited_arguments_are_validated_and_checked_again() {
    let approver = approver_fn(|_| Answer::Edit {
        arguments: json!({"path": "b", "limit": "3"}),
    });
    let policy = Policy::default().with_verdict(RiskLevel::ReadOnly, Verdict::Ask);
    let registry = Registry::builder()
        .policy(policy)
        .approver(approver)
        .tool(echo("f", limit_schema()).0)
        .unwrap()
        .build();

    let edited = registry.execute("f", json!({"path": "a"})).await;
    let (broken, runs) = asking(Answer::Edit {
        arguments: json!({"limit": 3}),
    });
    let refused = broken.execute("f", json!({"path": "a"})).await;

    assert_eq!(outcome(&edited), Outcome::Edited);
    assert_eq!(edited.data, Some(json!({"path": "b", "limit": 3})));
    assert_eq!(
        edited.metadata.parameters.to_value(),
        json!({"path": "b", "limit": 3})
    );
    assert_eq!(code(&refused), &ErrorCode::InvalidArguments);
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn rejects_decision_for_another_call() {
    struct Mixed;
    #[async_trait]
    impl Approver for Mixed {
        async fn decide(&self, request: &ApprovalRequest) -> Decision {
            let mut decision = Decision::new(request, Answer::Approve);
            decision.digest = "another".into();
            decision
        }
    }
    let policy = Policy::default().with_verdict(RiskLevel::ReadOnly, Verdict::Ask);
    let registry = Registry::builder()
        .policy(policy)
        .approver(Mixed)
        .tool(echo("f", limit_schema()).0)
        .unwrap()
        .build();

    assert_eq!(
        code(&registry.execute("f", json!({"path": "a"})).await),
        &ErrorCode::ApprovalDenied
    );
}

struct Slow;

#[async_trait]
impl Approver for Slow {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        tokio::time::sleep(Duration::from_millis(120)).await;
        Decision::new(request, Answer::Approve)
    }
}

fn slowly_approved() -> Registry {
    let policy = Policy::default().with_verdict(RiskLevel::ReadOnly, Verdict::Ask);
    let builder = Registry::builder()
        .policy(policy)
        .approver(Slow)
        .timeout(Duration::from_millis(60));
    builder.tool(echo("f", limit_schema()).0).unwrap().build()
}

#[tokio::test]
async fn timeout_is_paused_during_approval() {
    let result = slowly_approved().execute("f", json!({"path": "a"})).await;

    assert!(result.success, "{result}");
    assert!(
        result.metadata.total_time < Duration::from_millis(100),
        "{:?}",
        result.metadata.total_time
    );
}

#[tokio::test]
async fn cancellation_stops_wait_for_decision() {
    let token = CancellationToken::new();
    let options = CallOptions::default().with_cancellation(token.clone());
    let registry = slowly_approved();
    let call = ToolCall::new("f", json!({"path": "a"}));
    let (result, ()) = tokio::join!(registry.execute_call(&call, &options), async {
        token.cancel();
    });

    assert_eq!(code(&result), &ErrorCode::Cancelled);
}

#[tokio::test]
async fn deny_rule_overrules_edit() {
    let (registry, runs) = asking(Answer::Edit {
        arguments: json!({"path": "secret"}),
    });
    let deny = Rule::new("secret", "f", Verdict::Deny).with_pattern(r#".*"path":"secret".*"#);
    registry.edit_policy(|policy| policy.rules.push(deny));

    let result = registry.execute("f", json!({"path": "a"})).await;

    assert_eq!(code(&result), &ErrorCode::ApprovalDenied);
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn approver_panic_denies() {
    let (tool, runs) = echo("f", limit_schema());
    let policy = Policy::default().with_verdict(RiskLevel::ReadOnly, Verdict::Ask);
    let approver = approver_fn(|_| -> Answer { panic!("the terminal is gone") });
    let registry = Registry::builder()
        .policy(policy)
        .approver(approver)
        .tool(tool)
        .unwrap()
        .build();

    let result = registry.execute("f", json!({"path": "a"})).await;

    assert_eq!(
        (code(&result), outcome(&result)),
        (&ErrorCode::ApprovalDenied, Outcome::Denied)
    );
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}
