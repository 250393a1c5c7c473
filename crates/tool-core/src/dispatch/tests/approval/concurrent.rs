//! Concurrent requests for approval: one result and one decision per call.

use tokio::sync::{Barrier, Mutex};

use super::*;

fn asking_registry(approver: impl Approver + 'static) -> (Registry, Arc<AtomicUsize>) {
    let (tool, runs) = echo("f", limit_schema());
    let policy = Policy::default().with_verdict(RiskLevel::ReadOnly, Verdict::Ask);
    let builder = Registry::builder().policy(policy).approver(approver);
    (builder.tool(tool).unwrap().build(), runs)
}

/// Decides after two requests have arrived, and approves one of them.
struct Both(Barrier);

#[async_trait]
impl Approver for Both {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        self.0.wait().await;
        let answer = if request.arguments["path"] == "a" {
            Answer::Approve
        } else {
            Answer::Deny { reason: None }
        };
        Decision::new(request, answer)
    }

    fn is_concurrent(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn concurrent_requests_have_own_decisions() {
    let (registry, runs) = asking_registry(Both(Barrier::new(2)));

    let (a, b) = soon(async {
        tokio::join!(
            registry.execute("f", json!({"path": "a"})),
            registry.execute("f", json!({"path": "b"})),
        )
    })
    .await;

    assert_eq!(
        (outcome(&a), outcome(&b)),
        (Outcome::Approved, Outcome::Denied)
    );
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

/// Swaps the decisions of two requests.
struct Swapped(Mutex<Vec<ApprovalRequest>>, Barrier);

#[async_trait]
impl Approver for Swapped {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        self.0.lock().await.push(request.clone());
        self.1.wait().await;
        let asked = self.0.lock().await;
        let other = asked.iter().find(|other| other.id != request.id).unwrap();
        Decision::new(other, Answer::Approve)
    }

    fn is_concurrent(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn rejects_decision_for_equal_request() {
    let (registry, runs) = asking_registry(Swapped(Mutex::default(), Barrier::new(2)));

    let (a, b) = soon(async {
        tokio::join!(
            registry.execute("f", json!({"path": "a"})),
            registry.execute("f", json!({"path": "a"})),
        )
    })
    .await;

    for result in [a, b] {
        assert_eq!(code(&result), &ErrorCode::ApprovalDenied);
        assert!(result.to_string().contains("for another call"), "{result}");
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn cancelled_approval_does_not_affect_other_call() {
    let token = CancellationToken::new();
    let options = CallOptions::default().with_cancellation(token.clone());
    let registry = slowly_approved();
    let [first, second] = ["1", "2"].map(|id| ToolCall::new("f", json!({"path": "a"})).with_id(id));
    let other = CallOptions::default();

    let (cancelled, approved, ()) = tokio::join!(
        registry.execute_call(&first, &options),
        registry.execute_call(&second, &other),
        async { token.cancel() },
    );

    assert_eq!(code(&cancelled), &ErrorCode::Cancelled);
    assert!(approved.success, "{approved}");
}

/// Records the number of requests, and of undecided ones.
#[derive(Clone, Default)]
struct CountingApprover {
    requests: Arc<AtomicUsize>,
    undecided: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
    answer: Option<Answer>,
}

#[async_trait]
impl Approver for CountingApprover {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        self.requests.fetch_add(1, Ordering::SeqCst);
        let undecided = self.undecided.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(undecided, Ordering::SeqCst);
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        self.undecided.fetch_sub(1, Ordering::SeqCst);
        Decision::new(request, self.answer.clone().unwrap_or(Answer::Approve))
    }
}

#[tokio::test]
async fn approver_decides_one_request_at_a_time() {
    let crowd = CountingApprover::default();
    let (registry, runs) = asking_registry(crowd.clone());
    let narrowed = registry.only(["f"]).unwrap();

    let (a, b, c) = soon(async {
        tokio::join!(
            registry.execute("f", json!({"path": "a"})),
            registry.execute("f", json!({"path": "b"})),
            narrowed.execute("f", json!({"path": "c"})),
        )
    })
    .await;

    assert!(a.success && b.success && c.success, "{a} {b} {c}");
    assert_eq!(runs.load(Ordering::SeqCst), 3);
    assert_eq!(crowd.most.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn fallback_approver_decides_for_registries_without_one() {
    let crowd = CountingApprover::default();
    let (parent, _) = asking_registry(crowd.clone());
    let policy = Policy::default().with_verdict(RiskLevel::ReadOnly, Verdict::Ask);
    let (tool, runs) = echo("f", limit_schema());
    let builder = Registry::builder().policy(policy).tool(tool).unwrap();
    let child = builder.build();
    let options = CallOptions {
        fallback_approver: parent.approver(),
        ..CallOptions::default()
    };
    let call = |path: &str| ToolCall::new("f", json!({"path": path}));

    let (a, b, c) = soon(async {
        tokio::join!(
            parent.execute("f", json!({"path": "a"})),
            child.execute_many_with(vec![call("b")], &options),
            child.execute_many_with(vec![call("c")], &options),
        )
    })
    .await;

    assert!(
        a.success && b[0].success && c[0].success,
        "{a} {} {}",
        b[0],
        c[0]
    );
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    assert_eq!(crowd.requests.load(Ordering::SeqCst), 3);
    assert_eq!(crowd.most.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn approver_of_registry_precedes_fallback() {
    let (registry, runs) = asking(Answer::Deny { reason: None });
    let (other, _) = asking(Answer::Approve);
    let options = CallOptions {
        fallback_approver: other.approver(),
        ..CallOptions::default()
    };

    let calls = vec![ToolCall::new("f", json!({"path": "a"}))];
    let results = registry.execute_many_with(calls, &options).await;

    assert_eq!(code(&results[0]), &ErrorCode::ApprovalDenied);
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn waiting_call_runs_if_decision_allows_it() {
    let crowd = CountingApprover {
        answer: Some(Answer::Always),
        ..CountingApprover::default()
    };
    let (registry, runs) = asking_registry(crowd.clone());

    let (a, b) = soon(async {
        tokio::join!(
            registry.execute("f", json!({"path": "a"})),
            registry.execute("f", json!({"path": "a"})),
        )
    })
    .await;

    assert_eq!(
        (outcome(&a), outcome(&b)),
        (Outcome::Approved, Outcome::Allowed)
    );
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    assert_eq!(crowd.requests.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn cancelled_call_does_not_request_approval() {
    let (registry, _) = asking_registry(approver_fn(|_| -> Answer { panic!("asked") }));
    let token = CancellationToken::new();
    token.cancel();
    let options = CallOptions::default().with_cancellation(token);
    let call = ToolCall::new("f", json!({"path": "a"}));

    let result = registry.execute_call(&call, &options).await;

    assert_eq!(code(&result), &ErrorCode::Cancelled);
}

#[tokio::test]
async fn repeated_decision_counts_once() {
    struct Repeats(Mutex<Option<Decision>>);
    #[async_trait]
    impl Approver for Repeats {
        async fn decide(&self, request: &ApprovalRequest) -> Decision {
            let mut first = self.0.lock().await;
            first
                .get_or_insert_with(|| Decision::new(request, Answer::Approve))
                .clone()
        }
    }
    let (registry, runs) = asking_registry(Repeats(Mutex::default()));

    assert!(registry.execute("f", json!({"path": "a"})).await.success);
    let again = registry.execute("f", json!({"path": "a"})).await;

    assert_eq!(code(&again), &ErrorCode::ApprovalDenied);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn approver_panic_before_await_denies() {
    struct Early;
    impl Approver for Early {
        fn decide<'a, 'r, 'f>(
            &'a self,
            _request: &'r ApprovalRequest,
        ) -> std::pin::Pin<Box<dyn Future<Output = Decision> + Send + 'f>>
        where
            'a: 'f,
            'r: 'f,
        {
            panic!("there is no terminal")
        }
    }
    let (registry, runs) = asking_registry(Early);

    let result = registry.execute("f", json!({"path": "a"})).await;

    assert_eq!(
        (code(&result), outcome(&result)),
        (&ErrorCode::ApprovalDenied, Outcome::Denied)
    );
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}
