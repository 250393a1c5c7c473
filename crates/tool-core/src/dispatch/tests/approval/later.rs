//! Decisions made after the call returned.

use super::*;
use crate::Timestamp;
use crate::approval::{
    ApprovalKey, MemoryPendingApprovals, PendingApprovals, PendingError, SealedRequest, suspend_to,
};

struct Host {
    registry: Registry,
    pending: Arc<MemoryPendingApprovals>,
    runs: Arc<AtomicUsize>,
}

impl Host {
    fn with_tool(tool: DynamicTool, runs: Arc<AtomicUsize>) -> Self {
        let pending = Arc::new(MemoryPendingApprovals::default());
        let registry = Registry::builder()
            .policy(Policy::default().with_verdict(RiskLevel::ReadOnly, Verdict::Ask))
            .approver(suspend_to(Arc::clone(&pending) as Arc<dyn PendingApprovals>))
            .tool(tool)
            .unwrap()
            .build();
        Self {
            registry,
            pending,
            runs,
        }
    }

    /// Creates a restarted host: new objects with the same tools.
    fn started() -> Self {
        let (tool, runs) = echo("f", limit_schema());
        Self::with_tool(tool, runs)
    }

    /// Calls `f` and returns the request as deserialized in another process.
    async fn asked(&self) -> ApprovalRequest {
        let call = ToolCall::new("f", json!({"path": "a"})).with_id("call_7");
        let result = self
            .registry
            .execute_call(&call, &CallOptions::default())
            .await;
        let stored = serde_json::to_string(&result.metadata.approval.unwrap().request).unwrap();
        serde_json::from_str(&stored).unwrap()
    }

    async fn resume(&self, request: &ApprovalRequest, answer: Answer) -> ToolResult {
        let decision = Decision::new(request, answer);
        self.registry
            .resume(request, &decision, &CallOptions::default())
            .await
    }

    fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn suspended_call_returns_request() {
    let host = Host::started();

    let result = host.registry.execute("f", json!({"path": "a"})).await;

    assert_eq!(code(&result), &ErrorCode::ApprovalPending);
    assert_eq!(outcome(&result), Outcome::Pending);
    assert_eq!(result.metadata.side_effects, crate::SideEffects::None);
    let request = *result.metadata.approval.unwrap().request.unwrap();
    assert_eq!(request.arguments, json!({"path": "a", "limit": 10}));
    assert_eq!(host.pending.list().await.unwrap(), [request]);
    assert_eq!(host.runs(), 0);
}

#[tokio::test]
async fn resumes_requested_call_after_restart() {
    let request = Host::started().asked().await;
    let host = Host::started();

    let result = host.resume(&request, Answer::Approve).await;

    assert!(result.success, "{result}");
    assert_eq!((result.id.as_str(), result.name.as_str()), ("call_7", "f"));
    assert_eq!(result.data, Some(json!({"path": "a", "limit": 10})));
    assert_eq!(outcome(&result), Outcome::Approved);
    assert_eq!(host.runs(), 1);
}

#[tokio::test]
async fn denies_call_after_later_denial() {
    let host = Host::started();
    let request = host.asked().await;
    let deny = Answer::Deny {
        reason: Some("too risky".to_owned()),
    };
    // The denial overrules a policy that allows the call.
    host.registry
        .edit_policy(|policy| *policy = Policy::allow_all());

    let result = host.resume(&request, deny).await;

    assert_eq!(code(&result), &ErrorCode::ApprovalDenied);
    assert!(result.to_string().contains("too risky"), "{result}");
    assert_eq!(host.runs(), 0);
}

#[tokio::test]
async fn changed_tool_is_not_resumed() {
    let request = Host::started().asked().await;
    let mut schema = limit_schema();
    schema["properties"]["limit"]["default"] = json!(20);
    let (with_default, _) = echo("f", schema);
    let runs = Arc::new(AtomicUsize::new(0));
    let described = crate::ToolDefinition::new("f", "Deletes everything.", limit_schema())
        .with_risk(RiskLevel::ReadOnly);
    let redescribed = DynamicTool::new(described, |_, _| async { Ok("ran".into()) });

    for tool in [with_default, redescribed] {
        let host = Host::with_tool(tool, Arc::clone(&runs));

        let result = host.resume(&request, Answer::Approve).await;

        assert_eq!(code(&result), &ErrorCode::ApprovalDenied);
        assert!(result.to_string().contains("changed after"), "{result}");
    }
}

#[tokio::test]
async fn rejects_changed_request() {
    let host = Host::started();
    let changes: [fn(&mut ApprovalRequest); 3] = [
        |request| request.arguments = json!({"path": "b", "limit": 10}),
        |request| request.risk = RiskLevel::Dangerous,
        |request| request.digest = "another".to_owned(),
    ];
    for change in changes {
        let mut request = host.asked().await;
        change(&mut request);

        let result = host.resume(&request, Answer::Approve).await;

        assert_eq!(code(&result), &ErrorCode::ApprovalDenied);
        assert_eq!(host.runs(), 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn decision_is_used_once() {
    let host = Host::started();
    let request = Arc::new(host.asked().await);

    let answers: Vec<_> = (0..8)
        .map(|_| {
            let (registry, request) = (host.registry.clone(), Arc::clone(&request));
            let decision = Decision::new(&request, Answer::Approve);
            tokio::spawn(async move {
                registry
                    .resume(&request, &decision, &CallOptions::default())
                    .await
            })
        })
        .collect();
    let mut refused = Vec::new();
    for answer in answers {
        let result = answer.await.unwrap();
        refused.extend((!result.success).then(|| result.to_string()));
    }

    assert_eq!((refused.len(), host.runs()), (7, 1));
    assert!(refused.iter().all(|text| text.contains("already used")));
}

#[tokio::test]
async fn rejects_expired_decision() {
    let asked = Timestamp::parse("2025-11-10T10:00:00Z").unwrap();
    for (minutes, text) in [(4, "path"), (5, "has expired"), (50, "has expired")] {
        let passed = Arc::new(AtomicUsize::new(0));
        let clock = Arc::clone(&passed);
        let registry = Registry::builder()
            .policy(Policy::default().with_verdict(RiskLevel::ReadOnly, Verdict::Ask))
            .approver(approver_fn(|_| Answer::Suspend))
            .approval_expiry(Duration::from_mins(5))
            .clock(move || {
                let minutes = clock.load(Ordering::SeqCst) as u64;
                asked.after(Duration::from_mins(minutes))
            })
            .tool(echo("f", limit_schema()).0)
            .unwrap()
            .build();
        let result = registry.execute("f", json!({"path": "a"})).await;
        let request = *result.metadata.approval.unwrap().request.unwrap();
        assert_eq!(request.requested_at, asked);

        passed.store(minutes, Ordering::SeqCst);
        let decision = Decision::new(&request, Answer::Approve);
        let options = CallOptions::default();
        let late = registry.resume(&request, &decision, &options).await;

        assert!(late.to_string().contains(text), "{minutes} {late}");
    }
}

#[tokio::test]
async fn later_edit_is_validated() {
    for (arguments, expected) in [
        (
            json!({"path": "b", "limit": "3"}),
            Ok(json!({"path": "b", "limit": 3})),
        ),
        (json!({"limit": 3}), Err(ErrorCode::InvalidArguments)),
        (json!({"path": "secret"}), Err(ErrorCode::ApprovalDenied)),
    ] {
        let host = Host::started();
        let request = host.asked().await;
        let deny = Rule::new("secret", "f", Verdict::Deny).with_pattern(r#".*"path":"secret".*"#);
        host.registry.edit_policy(|policy| policy.rules.push(deny));

        let result = host.resume(&request, Answer::Edit { arguments }).await;

        match expected {
            Ok(data) => assert_eq!(
                (result.data, outcome_of(&result.metadata)),
                (Some(data), Outcome::Edited)
            ),
            Err(expected) => assert_eq!(code(&result), &expected),
        }
    }
}

fn outcome_of(metadata: &crate::CallMetadata) -> Outcome {
    metadata.approval.as_ref().unwrap().outcome
}

#[tokio::test]
async fn new_deny_rule_overrules_decision() {
    let host = Host::started();
    let request = host.asked().await;
    let deny = Rule::new("no", "f", Verdict::Deny);
    host.registry.edit_policy(|policy| policy.rules.push(deny));

    let result = host.resume(&request, Answer::Approve).await;

    assert_eq!(code(&result), &ErrorCode::ApprovalDenied);
    assert_eq!(host.runs(), 0);
}

#[tokio::test]
async fn later_always_prevents_further_requests() {
    let host = Host::started();
    let request = host.asked().await;

    assert!(host.resume(&request, Answer::Always).await.success);

    let again = host.registry.execute("f", json!({"path": "a"})).await;
    assert_eq!(outcome(&again), Outcome::Allowed);
}

#[tokio::test]
async fn call_suspended_twice_accepts_decision() {
    let host = Host::started();
    let request = host.asked().await;

    let put_off = host.resume(&request, Answer::Suspend).await;
    let approved = host.resume(&request, Answer::Approve).await;

    assert_eq!(code(&put_off), &ErrorCode::ApprovalPending);
    assert!(approved.success, "{approved}");
}

#[tokio::test]
async fn answer_removes_request_from_store() {
    let host = Host::started();
    let request = host.asked().await;
    let options = CallOptions::default();
    let mut other = Decision::new(&request, Answer::Approve);
    other.digest = "another".to_owned();
    let answer = async |decision: &Decision| {
        let pending = host.pending.as_ref();
        host.registry.decide(pending, decision, &options).await
    };

    let wrong = answer(&other).await;
    assert!(matches!(wrong, Err(PendingError::NotAnAnswer { .. })));
    let put_off = answer(&Decision::new(&request, Answer::Suspend)).await;
    assert!(matches!(put_off, Err(PendingError::NotAnAnswer { .. })));
    let decision = Decision::new(&request, Answer::Approve);
    assert!(answer(&decision).await.unwrap().success);
    let again = answer(&decision).await;

    assert!(matches!(again, Err(PendingError::NotWaiting { .. })));
    assert_eq!(host.runs(), 1);
}

#[tokio::test]
async fn denies_request_that_cannot_be_stored() {
    let pending = Arc::new(MemoryPendingApprovals::with_limit(0));
    let (tool, runs) = echo("f", limit_schema());
    let registry = Registry::builder()
        .policy(Policy::default().with_verdict(RiskLevel::ReadOnly, Verdict::Ask))
        .approver(suspend_to(pending))
        .tool(tool)
        .unwrap()
        .build();

    let result = registry.execute("f", json!({"path": "a"})).await;

    assert_eq!(code(&result), &ErrorCode::ApprovalDenied);
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn pending_result_survives_json() {
    let host = Host::started();
    let result = host.registry.execute("f", json!({"path": "a"})).await;

    let stored = serde_json::to_string(&result).unwrap();

    let read: ToolResult = serde_json::from_str(&stored).unwrap();
    assert_eq!(read.metadata.approval, result.metadata.approval);
    assert!(!result.to_string().contains("limit"), "{result}");
}

#[tokio::test]
async fn sealed_request_accepts_decision_of_client() {
    let host = Host::started();
    let key = ApprovalKey::new(&[7; 32]).unwrap();
    let sealed = serde_json::to_string(&key.seal(host.asked().await)).unwrap();

    let back: SealedRequest = serde_json::from_str(&sealed).unwrap();
    let decision = Decision::new(&back.request, Answer::Approve);
    let decision = serde_json::from_str(&serde_json::to_string(&decision).unwrap()).unwrap();

    let request = key.open(back, Timestamp::now()).unwrap();
    let result = host
        .registry
        .resume(&request, &decision, &CallOptions::default())
        .await;
    assert!(result.success, "{result}");
}

#[tokio::test]
async fn narrowed_registry_resumes_its_calls() {
    let host = Host::started();
    let narrowed = host.registry.only(["f"]).unwrap();
    let result = narrowed.snapshot().execute("f", json!({"path": "a"})).await;
    let request = *result.metadata.approval.unwrap().request.unwrap();
    let decision = Decision::new(&request, Answer::Approve);
    let options = CallOptions::default();

    let without = host.registry.without(["f"]).unwrap();
    let elsewhere = without.resume(&request, &decision, &options).await;
    let resumed = narrowed
        .snapshot()
        .resume(&request, &decision, &options)
        .await;

    assert_eq!(code(&elsewhere), &ErrorCode::ToolNotFound);
    assert!(resumed.success, "{resumed}");
}

#[tokio::test]
async fn stored_request_keeps_numbers() {
    let schema = json!({"type": "object", "properties": {"x": {"type": "array"}}});
    let (tool, runs) = echo("f", schema);
    let host = Host::with_tool(tool, runs);
    let numbers = "31.245270191439438, 121.48791951161945, 1e300, -0.0, 1.0, 5e-324, 18446744073709551615, 0.1";
    let text = format!(r#"{{"x": [{numbers}]}}"#);
    let result = host.registry.execute("f", &text).await;
    let stored = serde_json::to_string(&result.metadata.approval.unwrap().request).unwrap();
    let request: ApprovalRequest = serde_json::from_str(&stored).unwrap();

    let result = host.resume(&request, Answer::Approve).await;

    assert!(result.success, "{result}");
}
