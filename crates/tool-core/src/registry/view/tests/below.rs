//! Restrictions of the tool below a view.

use super::*;
use crate::OutputLimit;
use crate::approval::{Effect, Policy, Rule, RuleStatus, Verdict};

fn ruled(rules: Vec<Rule>) -> Registry {
    let policy = rules.into_iter().fold(Policy::default(), Policy::with_rule);
    Registry::builder()
        .policy(policy)
        .tool(tool("read"))
        .unwrap()
        .build()
}

/// `read` as `get`, with `path` as `file` and a `limit` of 3 that is not shown.
fn view_of(registry: &Registry) -> Registry {
    let inner = registry
        .view()
        .present("read", |visible| visible.rename("path", "file"))
        .rename("read", "get")
        .build()
        .unwrap();
    inner
        .view()
        .pin("get", "limit", 3)
        .prefix("fs")
        .build()
        .unwrap()
}

#[test]
fn rules_for_name_below_only_restrict() {
    use Effect::{Allow, Ask, Deny, HardDeny};
    for (tool, pattern, effect, verdict) in [
        ("read", None, Deny, Verdict::Deny),
        ("read", None, HardDeny, Verdict::Deny),
        ("read", None, Ask, Verdict::Ask),
        ("get", None, Deny, Verdict::Deny),
        ("fs__get", None, Deny, Verdict::Deny),
        ("other", None, Deny, Verdict::Allow),
        (
            "read",
            Some(r#"{"limit":3,"path":"a"}"#),
            Deny,
            Verdict::Deny,
        ),
        (
            "read",
            Some(r#"{"limit":3,"path":"b"}"#),
            Deny,
            Verdict::Allow,
        ),
        (
            "get",
            Some(r#"{"file":"a","limit":3}"#),
            Deny,
            Verdict::Deny,
        ),
        ("fs__get", Some(r#"{"file":"a"}"#), Deny, Verdict::Deny),
        ("read", Some(r#"{"file":"a"}"#), Deny, Verdict::Allow),
    ] {
        let rule = Rule::new("r", tool, effect);
        let rule = match pattern {
            Some(pattern) => rule.with_pattern(pattern),
            None => rule,
        };
        let registry = ruled(vec![rule]);

        let explanation = view_of(&registry)
            .explain("fs__get", &json!({"file": "a"}).into())
            .unwrap();

        assert_eq!(
            explanation.verdict, verdict,
            "{tool} {pattern:?} {effect:?}"
        );
    }
    let ask = Policy::default().with_verdict(RiskLevel::ReadOnly, Verdict::Ask);
    let registry = ruled(Vec::new());
    registry.set_policy(ask.with_rule(Rule::new("r", "read", Allow)));
    let explanation = view_of(&registry)
        .explain("fs__get", &json!({"file": "a"}).into())
        .unwrap();
    assert_eq!(explanation.verdict, Verdict::Ask);
}

#[tokio::test]
async fn denied_tool_does_not_run_through_view() {
    let deny = Rule::new("no-reading", "read", Effect::HardDeny);
    let allow = Rule::new("shown", "fs__get", Effect::Allow);
    let registry = ruled(vec![allow, deny]);
    let view = view_of(&registry);

    let denied = view.execute("fs__get", json!({"file": "a"})).await;
    let explanation = view
        .explain("fs__get", &json!({"file": "a"}).into())
        .unwrap();

    let error = denied.error.unwrap();
    assert_eq!(error.code, ErrorCode::ApprovalDenied);
    assert!(error.message.contains("no-reading"), "{}", error.message);
    assert_eq!(explanation.rule, "no-reading");
    let found: Vec<_> = explanation
        .rules
        .iter()
        .map(|found| (found.id.as_str(), &found.status, found.decides))
        .collect();
    assert_eq!(
        found,
        [
            ("shown", &RuleStatus::Matched, false),
            ("no-reading", &RuleStatus::Matched, true)
        ]
    );
}

#[test]
fn unrenamed_tool_lists_rules_once() {
    let registry = ruled(vec![Rule::new("r", "read", Effect::Ask)]);
    let view = registry.view().describe("read", "Other words.").build();

    let explanation = view
        .unwrap()
        .explain("read", &json!({"path": "a"}).into())
        .unwrap();

    assert_eq!(explanation.rules.len(), 1);
    assert!(explanation.rules[0].decides);
}

#[tokio::test]
async fn settings_apply_by_registered_name() {
    let registry = Registry::builder()
        .output_limit_of("read", OutputLimit::bytes(10))
        .tool(tool("read"))
        .unwrap()
        .build();
    let view = view_of(&registry);
    let call = || view.execute("fs__get", json!({"file": "a long name of a file"}));

    let results = [call().await, call().await];

    for result in results {
        assert!(result.metadata.bytes_dropped > 0);
    }
}

/// A tool that splits its `text` into words and executes each.
struct Words(crate::ToolDefinition);

impl crate::Tool for Words {
    fn definition(&self) -> &crate::ToolDefinition {
        &self.0
    }

    fn prepare<'a>(
        &'a self,
        _cx: &'a crate::ToolContext,
        arguments: &'a crate::Arguments<'a>,
    ) -> Result<crate::PreparedCall<'a>, crate::ToolError> {
        let text = arguments.get("text").and_then(crate::JsonRef::as_str);
        let words = text.unwrap_or_default().split(' ');
        let findings = words.fold(crate::approval::Assessment::default(), |found, word| {
            found.with_part([("text", json!(word))])
        });
        let plan = crate::CallPlan::of(self.0.risk()).with_findings(findings);
        let run = async { Ok(crate::ToolOutput::text("done")) };
        Ok(crate::PreparedCall::new(plan, run))
    }
}

#[test]
fn rules_for_name_below_see_parts_below() {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    for (tool, pattern, verdict) in [
        ("words", r#"{"text":"rm"}"#, Verdict::Deny),
        ("fs__words", r#"{"line":"rm"}"#, Verdict::Deny),
        ("words", r#"{"line":"rm"}"#, Verdict::Allow),
        ("words", r#"{"text":"mv"}"#, Verdict::Allow),
    ] {
        let rule = Rule::new("r", tool, Effect::Deny).with_pattern(pattern);
        let definition = crate::ToolDefinition::new("words", "Does.", schema.clone())
            .with_risk(RiskLevel::ReadOnly);
        let registry = Registry::builder()
            .policy(Policy::default().with_rule(rule))
            .tool(Words(definition))
            .unwrap()
            .build();
        let view = registry
            .view()
            .present("words", |visible| visible.rename("text", "line"))
            .prefix("fs")
            .build()
            .unwrap();

        let call = crate::CallArguments::from(json!({"line": "ls rm"}));
        let explained = view.snapshot().explain("fs__words", &call).unwrap();

        assert_eq!(explained.verdict, verdict, "{tool} {pattern}");
    }
}
