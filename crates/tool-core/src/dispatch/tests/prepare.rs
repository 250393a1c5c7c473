//! Step 4: preparations that go wrong, and what later steps read of a plan.

use std::thread::sleep;

use super::span::recorded;
use super::*;
use crate::approval::{Answer, ApprovalRequest, Decision, Verdict, approver_fn};
use crate::middleware::{Call, Middleware, Next};
use crate::{CallOptions, ToolCall, Touches};

fn writes(path: &str) -> CallPlan {
    CallPlan::of(RiskLevel::SafeWrite).writes(path)
}

/// Creates a builder whose policy requires approval of every write.
fn asking() -> crate::RegistryBuilder {
    let policy = Policy::default().with_verdict(RiskLevel::SafeWrite, Verdict::Ask);
    Registry::builder().policy(policy)
}

#[tokio::test]
async fn panicking_preparation_fails_only_its_call() {
    let tool = Planned::new("f", |arguments| {
        assert!(arguments.get("panic").is_none(), "the token is abc");
        Ok(writes("a"))
    });
    let runs = Arc::clone(&tool.runs);
    let registry = Registry::of(tool).unwrap();

    let result = registry.execute("f", json!({"panic": true})).await;

    assert_eq!(code(&result), &ErrorCode::Panic);
    assert!(!serde_json::to_string(&result).unwrap().contains("abc"));
    assert!(runs.lock().unwrap().is_empty());
    assert!(registry.execute("f", json!({})).await.success);
}

#[test]
fn blocking_preparation_is_logged_and_times_out_afterwards() {
    for (blocks, timeout, is_logged, is_over) in [
        (0, 1000, false, false),
        (60, 1000, true, false),
        (60, 30, true, true),
    ] {
        let tool = Planned::new("f", move |_| {
            sleep(Duration::from_millis(blocks));
            Ok(writes("a"))
        });
        let runs = Arc::clone(&tool.runs);
        let registry = Registry::of(tool).unwrap();
        let options = CallOptions::default().with_timeout(Duration::from_millis(timeout));
        let call = ToolCall::new("f", "{}");

        let (recorder, result) = recorded(async || registry.execute_call(&call, &options).await);

        let events = recorder.events();
        let slow = events
            .iter()
            .find(|event| event["message"] == "a call took long to prepare");
        assert_eq!(slow.is_some(), is_logged, "{events:?}");
        if let Some(slow) = slow {
            assert_eq!(slow["tool"], "f");
            assert!(slow["milliseconds"].parse::<u64>().unwrap() >= 60);
        }
        assert_eq!(result.success, !is_over, "{result}");
        if is_over {
            assert_eq!(code(&result), &ErrorCode::Timeout);
            assert_eq!(runs.lock().unwrap().len(), 0);
        }
    }
}

#[tokio::test]
async fn touch_outside_workspace_is_shown_and_compared_as_it_is() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let requests = Arc::clone(&seen);
    let approver = approver_fn(move |request: ApprovalRequest| {
        requests
            .lock()
            .unwrap()
            .extend(request.files_affected.clone());
        Answer::Approve
    });
    let tool = Planned::edit();
    let registry = asking().approver(approver).tool(tool).unwrap().build();
    let calls = [
        "../../etc/passwd",
        "a/../../../etc/passwd",
        "/etc/passwd",
        "a",
    ];
    let calls = calls.map(|path| ToolCall::new("edit", json!({"path": path})));

    let results = soon(registry.execute_many(calls.into())).await;

    assert!(results.iter().all(|result| result.success));
    assert_eq!(
        *seen.lock().unwrap(),
        ["../../etc/passwd", "../../etc/passwd", "/etc/passwd", "a"]
    );
}

/// Creates a tool that has `first` as the plan of its first preparation, and `later` as the plan of all others.
fn unsteady(first: CallPlan, later: CallPlan) -> Planned {
    let prepared = AtomicUsize::new(0);
    Planned::new("f", move |_| {
        let is_first = prepared.fetch_add(1, Ordering::SeqCst) == 0;
        Ok(if is_first {
            first.clone()
        } else {
            later.clone()
        })
    })
}

#[tokio::test]
async fn approved_call_with_another_plan_is_rejected() {
    let plan = || writes("a").finding("large");
    for (later, runs) in [
        (plan(), 1),
        (plan().reads("b"), 0),
        (plan().exclusive(), 0),
        (plan().finding("larger"), 0),
        (plan().asking("large", "writes much"), 0),
        (
            CallPlan {
                risk: RiskLevel::Dangerous,
                ..plan()
            },
            0,
        ),
        (
            CallPlan {
                risk: RiskLevel::ReadOnly,
                ..plan()
            },
            0,
        ),
    ] {
        let tool = unsteady(plan(), later.clone());
        let ran = Arc::clone(&tool.runs);
        let registry = asking()
            .approver(approver_fn(|_| Answer::Suspend))
            .tool(tool);
        let registry = registry.unwrap().build();
        let suspended = registry.execute("f", json!({})).await;
        let request = *suspended.metadata.approval.unwrap().request.unwrap();
        let decision = Decision::new(&request, Answer::Approve);

        let result = registry
            .resume(&request, &decision, &CallOptions::default())
            .await;

        assert_eq!(ran.lock().unwrap().len(), runs, "{later:?}");
        if runs == 0 {
            assert_eq!(
                result.to_string(),
                "Error: What the call would do changed after the request. Call the tool again."
            );
            assert_eq!(code(&result), &ErrorCode::ApprovalDenied);
        }
    }
}

#[tokio::test]
async fn approved_call_runs_as_prepared_without_second_preparation() {
    let tool = unsteady(writes("a"), CallPlan::of(RiskLevel::Dangerous));
    let registry = asking()
        .approver(approver_fn(|_| Answer::Approve))
        .tool(tool);

    let result = registry.unwrap().build().execute("f", json!({})).await;

    assert!(result.success, "{result}");
}

/// Runs every call twice.
struct Twice;

#[async_trait::async_trait]
impl Middleware for Twice {
    async fn around(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError> {
        next.run(call).await?;
        next.run(call).await
    }
}

#[tokio::test]
async fn attempt_with_another_plan_is_an_error() {
    for (later, runs) in [(writes("a"), 2), (CallPlan::of(RiskLevel::Dangerous), 1)] {
        let tool = unsteady(writes("a"), later);
        let ran = Arc::clone(&tool.runs);
        let registry = Registry::builder().middleware(Twice).tool(tool);

        let result = registry.unwrap().build().execute("f", json!({})).await;

        assert_eq!(ran.lock().unwrap().len(), runs);
        assert_eq!(result.success, runs == 2, "{result}");
        assert_eq!(result.metadata.attempts, 2);
    }
}

#[tokio::test(start_paused = true)]
async fn edited_arguments_are_prepared_again() {
    let second = Duration::from_secs(1);
    let approver = approver_fn(|request: ApprovalRequest| {
        if request.files_affected == ["a"] {
            Answer::Edit {
                arguments: json!({"path": "b"}),
            }
        } else {
            Answer::Approve
        }
    });
    let tool = Planned::edit().taking(second);
    let registry = asking().approver(approver).tool(tool).unwrap().build();
    let call = |path: &str| ToolCall::new("edit", json!({"path": path}));
    let edited = registry.spawn(call("a"), CallOptions::default());
    tokio::task::yield_now().await;

    let results = registry.execute_many(vec![call("b"), call("c")]).await;

    assert_eq!(edited.await.data, Some(json!({"path": "b"})));
    let waited = |place: usize| results[place].metadata.queue_time.as_secs();
    assert_eq!((waited(0), waited(1)), (1, 0));
}

#[tokio::test]
async fn rules_apply_to_touched_paths() {
    use crate::approval::{Rule, Verdict};
    let rule = |effect, path: &str| Rule::new("r", "edit", effect).with_paths([path]);
    let plan = || CallPlan::of(RiskLevel::SafeWrite);
    let docs = plan().writes("docs/a.md").touches;
    let command = plan().may_write(".").touches;
    let both = plan().reads("src/a.rs").writes("docs/a.md").touches;
    for (rule, touches, verdict) in [
        (rule(Verdict::Allow, "docs/"), docs.clone(), Verdict::Allow),
        (rule(Verdict::Allow, "docs"), both.clone(), Verdict::Ask),
        (rule(Verdict::Allow, "docs"), command.clone(), Verdict::Ask),
        (rule(Verdict::Allow, "."), command.clone(), Verdict::Allow),
        (rule(Verdict::Allow, "."), Touches::default(), Verdict::Ask),
        (rule(Verdict::Allow, "doc"), docs.clone(), Verdict::Ask),
        (rule(Verdict::Deny, "src"), both, Verdict::Deny),
        (rule(Verdict::Deny, "src"), docs, Verdict::Ask),
        // A command may write anything, so a rule about a part of the root concerns it.
        (rule(Verdict::Deny, "src"), command, Verdict::Deny),
    ] {
        let shown = format!("{rule:?} {touches:?}");
        let tool = Planned::new("edit", move |_| {
            Ok(CallPlan {
                touches: touches.clone(),
                ..CallPlan::of(RiskLevel::SafeWrite)
            })
        });
        let policy = Policy::default()
            .with_verdict(RiskLevel::SafeWrite, Verdict::Ask)
            .with_rule(rule);
        let registry = Registry::builder().policy(policy).tool(tool).unwrap();

        let explained = registry.build().explain("edit", &"{}".into()).unwrap();

        assert_eq!(explained.verdict, verdict, "{shown}");
    }
}
