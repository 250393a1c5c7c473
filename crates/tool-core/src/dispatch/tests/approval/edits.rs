//! Edits of the policy, and explanations.

use std::sync::Mutex;

use super::*;
use crate::CallArguments;

#[tokio::test]
async fn concurrent_edits_and_always_are_kept() {
    let approver = approver_fn(|_| Answer::Always);
    let policy = Policy::default().with_verdict(RiskLevel::ReadOnly, Verdict::Ask);
    let builder = Registry::builder().policy(policy).approver(approver);
    let registry = builder.tool(echo("f", limit_schema()).0).unwrap().build();

    let editors: Vec<_> = (0..4)
        .map(|thread| {
            let registry = registry.clone();
            std::thread::spawn(move || {
                for n in 0..25 {
                    let rule = Rule::new(format!("{thread}-{n}"), "g", Verdict::Ask);
                    registry.edit_policy(|policy| policy.rules.push(rule));
                }
            })
        })
        .collect();
    for n in 0..25 {
        let path = n.to_string();
        assert!(registry.execute("f", json!({"path": path})).await.success);
    }
    for editor in editors {
        editor.join().unwrap();
    }

    assert_eq!(registry.policy().rules.len(), 125);
}

#[tokio::test]
async fn listener_receives_only_changes() {
    let reported = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&reported);
    let registry = Registry::builder()
        .policy(Policy::default().with_verdict(RiskLevel::ReadOnly, Verdict::Ask))
        .approver(approver_fn(|_| Answer::Always))
        .on_policy_change(move |policy| list.lock().unwrap().push(policy.clone()))
        .tool(echo("f", limit_schema()).0)
        .unwrap()
        .build();

    registry.edit_policy(|policy| policy.rules.clear());
    assert!(registry.execute("f", json!({"path": "a"})).await.success);
    assert!(registry.execute("f", json!({"path": "a"})).await.success);

    let reported = reported.lock().unwrap();
    assert_eq!(*reported, [registry.policy()]);
    let stored = Policy::from_json(&registry.policy().to_json()).unwrap();
    assert_eq!(stored, registry.policy());
    let rule = &stored.rules[0];
    assert_eq!(
        (rule.tool.as_str(), rule.effect, rule.pattern.as_deref()),
        ("f", Verdict::Allow, Some(r#"\{"limit":10,"path":"a"\}"#))
    );
}

#[tokio::test]
async fn panicking_policy_listener_does_not_stop_call() {
    let registry = Registry::builder()
        .policy(Policy::default().with_verdict(RiskLevel::ReadOnly, Verdict::Ask))
        .approver(approver_fn(|_| Answer::Always))
        .on_policy_change(|_| panic!("the disk is full"))
        .tool(echo("f", limit_schema()).0)
        .unwrap()
        .build();

    let result = registry.execute("f", json!({"path": "a"})).await;

    assert!(result.success, "{result}");
    assert_eq!(registry.policy().rules.len(), 1);
}

#[test]
fn explain_neither_asks_nor_runs() {
    let (tool, runs) = echo("f", limit_schema());
    let rule = Rule::new("ten", "f", Verdict::Ask).with_pattern(r#"{"limit":10,"path":"a"}"#);
    let registry = Registry::builder()
        .policy(Policy::default().with_rule(rule))
        .approver(approver_fn(|_| -> Answer { panic!("asked") }))
        .tool(tool)
        .unwrap()
        .build();

    let explanation = registry
        .explain(
            "f",
            &CallArguments::from(r#"{"path": "a", "limit": "10",}"#),
        )
        .unwrap();

    assert_eq!(
        explanation.to_string(),
        "f (read_only): ask, by the rule `ten`\n  ten (ask): matches and decides"
    );
    assert_eq!(explanation.arguments, r#"{"limit":10,"path":"a"}"#);
    assert_eq!(runs.load(Ordering::SeqCst), 0);
    for (name, arguments, code) in [
        ("g", "{}", ErrorCode::ToolNotFound),
        ("f", "{}", ErrorCode::InvalidArguments),
        ("f", r#"{"path": "a"#, ErrorCode::TruncatedArguments),
    ] {
        let error = registry.explain(name, &CallArguments::from(arguments));

        assert_eq!(error.unwrap_err().code(), &code, "{name} {arguments}");
    }
}

#[test]
fn panicking_edit_changes_nothing() {
    let registry = Registry::new();
    let edit = || {
        registry.edit_policy(|policy| {
            policy.rules.push(Rule::new("x", "f", Verdict::Deny));
            panic!("half way")
        })
    };

    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(edit)).is_err());

    assert_eq!(registry.policy(), Policy::default());
    registry.edit_policy(|policy| *policy = Policy::allow_all());
    assert_eq!(registry.policy(), Policy::allow_all());
}
