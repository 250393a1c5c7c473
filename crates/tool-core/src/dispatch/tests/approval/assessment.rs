//! Findings of tools about their arguments, and their effect on the policy.

use std::sync::Mutex;

use super::*;

/// A tool whose parts are the words of `text`. `odd` requires approval, `risky` is a finding;
/// `forbidden` and `panic` fail.
struct Script(ToolDefinition, Arc<AtomicUsize>);

impl Script {
    fn new() -> (Self, Arc<AtomicUsize>) {
        let schema = json!({
            "type": "object",
            "properties": {"text": {"type": "string"}, "quick": {"type": "boolean", "default": false}},
            "required": ["text"],
        });
        let runs = Arc::new(AtomicUsize::new(0));
        let definition =
            ToolDefinition::new("script", "Runs words.", schema).with_risk(RiskLevel::Dangerous);
        (Self(definition, Arc::clone(&runs)), runs)
    }
}

impl Tool for Script {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn prepare<'a>(
        &'a self,
        _cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let text = arguments.get("text").and_then(crate::JsonRef::as_str);
        let plan = planned(CallPlan::of(self.0.risk()), text.unwrap_or_default())?;
        Ok(PreparedCall::new(plan, async {
            self.1.fetch_add(1, Ordering::SeqCst);
            Ok(ToolOutput::text("ran"))
        }))
    }
}

fn planned(mut plan: CallPlan, text: &str) -> Result<CallPlan, ToolError> {
    for word in text.split_whitespace() {
        if let Some(plain) = word.strip_prefix("./") {
            return Ok(plan.matching("text", json!(plain)));
        }
        match word {
            "forbidden" => {
                return Err(ToolError::new(
                    ErrorCode::CommandForbidden,
                    "The command is forbidden",
                ));
            }
            "panic" => panic!("a bug in the preparation"),
            "odd" => plan = plan.asking("oddness", "`odd` is odd"),
            "risky" => plan = plan.finding("risk"),
            _ => {}
        }
        plan = plan.with_part([("text", json!(word))]);
    }
    Ok(plan)
}

fn rule(effect: Verdict, text: &str) -> Rule {
    let pattern = format!(r#"{{"quick":false,"text":"{text}"}}"#);
    Rule::new(format!("{}-{text}", effect.as_str()), "script", effect).with_pattern(pattern)
}

fn policy(rules: &[Rule]) -> Policy {
    let policy = Policy::default();
    rules.iter().cloned().fold(policy, Policy::with_rule)
}

fn verdict(policy: Policy, text: &str) -> Verdict {
    let registry = Registry::builder().policy(policy).tool(Script::new().0);
    let call = crate::CallArguments::from(json!({"text": text}));
    let explanation = registry.unwrap().build().explain("script", &call);
    explanation.unwrap().verdict
}

#[tokio::test]
async fn failed_preparation_precedes_approval() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let (tool, runs) = Script::new();
    let registry = Registry::builder()
        .approver(approver_fn(move |_| {
            counter.fetch_add(1, Ordering::SeqCst);
            Answer::Approve
        }))
        .tool(tool)
        .unwrap()
        .build();

    let forbidden = registry
        .execute("script", json!({"text": "a forbidden"}))
        .await;
    let faulty = registry.execute("script", json!({"text": "panic"})).await;

    assert_eq!(*code(&forbidden), ErrorCode::CommandForbidden);
    assert_eq!(*code(&faulty), ErrorCode::Panic);
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn reason_requires_approval_and_reaches_approver() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let requests = Arc::clone(&seen);
    let (tool, runs) = Script::new();
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .approver(approver_fn(move |request: ApprovalRequest| {
            requests.lock().unwrap().push(request.clone());
            Answer::Approve
        }))
        .tool(tool)
        .unwrap()
        .build();

    let plain = registry.execute("script", json!({"text": "a b"})).await;
    let odd = registry.execute("script", json!({"text": "a odd"})).await;

    assert!(plain.success && odd.success);
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    let seen = seen.lock().unwrap();
    let [request] = seen.as_slice() else {
        panic!("asked {} times", seen.len());
    };
    assert_eq!(request.reason.as_deref(), Some("`odd` is odd"));
    assert_eq!(request.rule.as_deref(), Some("oddness"));
    assert!(
        request
            .to_string()
            .contains("\nReason: `odd` is odd\nRisk level: ")
    );
}

#[tokio::test]
async fn without_approver_error_contains_reason() {
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .tool(Script::new().0);

    let result = registry
        .unwrap()
        .build()
        .execute("script", json!({"text": "odd"}))
        .await;

    assert_eq!(
        result.to_string(),
        "Error: This call requires approval (dangerous), and no approver is available: `odd` is odd. \
         Find a way that needs no approval, or tell the user that approval is required."
    );
}

#[test]
fn allow_rules_must_cover_every_part() {
    let all = Rule::new("all", "script", Verdict::Allow);
    let whole = |effect| rule(effect, "a b");
    for (rules, text, expected) in [
        (vec![], "a b", Verdict::Ask),
        (vec![rule(Verdict::Allow, "a")], "a b", Verdict::Ask),
        (vec![rule(Verdict::Allow, "a.*")], "a b", Verdict::Ask),
        (vec![rule(Verdict::Allow, "a.*")], "a ax", Verdict::Allow),
        (
            vec![rule(Verdict::Allow, "a"), rule(Verdict::Allow, "b")],
            "a b",
            Verdict::Allow,
        ),
        (
            vec![rule(Verdict::Allow, "a"), rule(Verdict::Allow, "b")],
            "b a b",
            Verdict::Allow,
        ),
        (vec![rule(Verdict::Allow, "[ab]")], "a odd", Verdict::Ask),
        (vec![rule(Verdict::Allow, "a|odd")], "a odd", Verdict::Ask),
        (vec![rule(Verdict::Allow, "(a|odd)")], "a odd", Verdict::Ask),
        (vec![all.clone()], "a odd", Verdict::Ask),
        (vec![whole(Verdict::Allow)], "a b", Verdict::Allow),
        (vec![whole(Verdict::Allow)], "a  b", Verdict::Ask),
        (vec![rule(Verdict::Allow, "a ?")], "a ", Verdict::Allow),
        (
            vec![all.clone(), rule(Verdict::Deny, "b")],
            "a b",
            Verdict::Deny,
        ),
        (
            vec![all.clone(), rule(Verdict::Deny, "c")],
            "a b",
            Verdict::Allow,
        ),
        (
            vec![all.clone(), whole(Verdict::Deny)],
            "a b",
            Verdict::Deny,
        ),
        (
            vec![all.clone(), rule(Verdict::Ask, "b")],
            "a b",
            Verdict::Ask,
        ),
        (
            vec![all, rule(Verdict::Deny, "odd")],
            "a odd",
            Verdict::Deny,
        ),
    ] {
        assert_eq!(verdict(policy(&rules), text), expected, "{rules:?} {text}");
    }
}

#[test]
fn allow_rule_overrules_only_listed_findings() {
    let all = |findings: &[&str]| {
        Rule::new("all", "script", Verdict::Allow).with_findings(findings.iter().copied())
    };
    let words = |text: &str, findings: &[&str]| {
        rule(Verdict::Allow, text).with_findings(findings.iter().copied())
    };
    for (rules, text, expected) in [
        (vec![all(&[])], "a odd", Verdict::Ask),
        (vec![all(&["other"])], "a odd", Verdict::Ask),
        (vec![all(&["other", "oddness"])], "a odd", Verdict::Allow),
        (vec![all(&["oddness"])], "a odd risky", Verdict::Ask),
        (vec![all(&["oddness"])], "a risky", Verdict::Ask),
        (
            vec![all(&["oddness", "risk"])],
            "a odd risky",
            Verdict::Allow,
        ),
        (
            vec![words("(a|odd)", &["oddness"])],
            "a odd",
            Verdict::Allow,
        ),
        // Each part must be allowed by a rule that lists all findings.
        (
            vec![words("odd", &["oddness"]), words("a", &[])],
            "a odd",
            Verdict::Ask,
        ),
        (
            vec![words("odd", &["oddness"]), words("a", &["oddness"])],
            "a odd",
            Verdict::Allow,
        ),
    ] {
        assert_eq!(verdict(policy(&rules), text), expected, "{rules:?} {text}");
    }
}

#[test]
fn strict_rules_apply_to_listed_findings() {
    for (effect, expected) in [(Verdict::Ask, Verdict::Ask), (Verdict::Deny, Verdict::Deny)] {
        let rule = Rule::new("r", "script", effect).with_findings(["risk"]);
        let policy = || Policy::allow_all().with_rule(rule.clone());

        assert_eq!(verdict(policy(), "a"), Verdict::Allow);
        assert_eq!(verdict(policy(), "a risky"), expected);
    }
}

#[test]
fn explanation_names_unlisted_finding() {
    let rule = Rule::new("all", "script", Verdict::Allow);
    let registry = Registry::builder()
        .policy(policy(&[rule]))
        .tool(Script::new().0);
    let call = crate::CallArguments::from(json!({"text": "a odd"}));

    let explained = registry.unwrap().build().explain("script", &call).unwrap();

    assert_eq!(
        explained.to_string(),
        "script (dangerous): ask, by the verdict for this risk\n  all (allow): does not list the finding `oddness`"
    );
}

#[test]
fn inactive_rule_covers_no_parts() {
    let mut off = rule(Verdict::Allow, "b");
    off.enabled = false;
    let over =
        rule(Verdict::Allow, "b").until(crate::Timestamp::parse("2001-01-01T00:00:00Z").unwrap());
    let broken = Rule::new("broken", "script", Verdict::Allow).with_pattern("(");
    for unusable in [off, over, broken] {
        let rules = [rule(Verdict::Allow, "a"), unusable];

        assert_eq!(verdict(policy(&rules), "a b"), Verdict::Ask, "{rules:?}");
    }
}

#[tokio::test]
async fn always_applies_to_call_with_parts() {
    for text in ["a odd", &"long ".repeat(1000)] {
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        let (tool, runs) = Script::new();
        let registry = Registry::builder()
            .approver(approver_fn(move |_| {
                counter.fetch_add(1, Ordering::SeqCst);
                Answer::Always
            }))
            .tool(tool)
            .unwrap()
            .build();

        for _ in 0..3 {
            registry.execute("script", json!({"text": text})).await;
        }
        registry
            .execute("script", json!({"text": format!("{text} b")}))
            .await;

        assert_eq!(asked.load(Ordering::SeqCst), 2, "{text}");
        assert_eq!(runs.load(Ordering::SeqCst), 4, "{text}");
    }
}

#[test]
fn explanation_matches_execution() {
    let rules = [rule(Verdict::Allow, "a"), rule(Verdict::Deny, "b")];
    let explained = |text: &str| {
        let registry = Registry::builder()
            .policy(policy(&rules))
            .tool(Script::new().0);
        let call = crate::CallArguments::from(json!({"text": text}));
        registry.unwrap().build().explain("script", &call).unwrap()
    };

    assert_eq!(
        explained("a b").to_string(),
        "script (dangerous): deny, by the rule `deny-b`\n  allow-a (allow): does not match\n  deny-b (deny): matches and decides"
    );
    let odd = Registry::builder()
        .policy(Policy::allow_all())
        .tool(Script::new().0);
    let call = crate::CallArguments::from(json!({"text": "odd"}));
    let odd = odd.unwrap().build().explain("script", &call).unwrap();
    assert_eq!((odd.verdict, odd.rule.as_ref()), (Verdict::Ask, "oddness"));
    assert_eq!(
        odd.to_string(),
        "script (dangerous): ask, by the tool itself: `odd` is odd"
    );
}

#[test]
fn rules_match_normalized_values() {
    for (effect, text, expected) in [
        (Verdict::Deny, "./secrets", Verdict::Deny),
        (Verdict::Deny, "secrets", Verdict::Deny),
        (Verdict::Allow, "./secrets", Verdict::Allow),
        (Verdict::Deny, "./docs", Verdict::Ask),
    ] {
        assert_eq!(
            verdict(policy(&[rule(effect, "secrets")]), text),
            expected,
            "{text}"
        );
    }
    // The text as sent matches no rule.
    let literal = rule(Verdict::Deny, r"\./secrets");
    assert_eq!(verdict(policy(&[literal]), "./secrets"), Verdict::Ask);
}
