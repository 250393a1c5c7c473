mod every_tool;

use std::time::Duration;

use proptest::prelude::*;

use super::Verdict;
use super::*;
use crate::approval::compiled::CompiledPolicy;
use crate::approval::{CanonicalCall, Explanation, RuleError, RuleStatus};
use crate::{CallPlan, Timestamp};

fn ruling(rules: &[Rule]) -> (Verdict, String) {
    let policy = Policy {
        rules: rules.to_vec(),
        ..Policy::default()
    };
    let explanation = policy.explain("f", r#"{"path":"a.txt"}"#, RiskLevel::Dangerous);
    (explanation.verdict, explanation.rule.into_owned())
}

fn call<'p>(arguments: &str, plan: &'p CallPlan) -> CanonicalCall<'p> {
    CanonicalCall {
        whole: arguments.to_owned(),
        parts: Vec::new(),
        definition: None,
        plan,
    }
}

fn verdict_at(policy: &Policy, tool: &str, arguments: &str, now: &str) -> Verdict {
    let plan = CallPlan::of(RiskLevel::Dangerous);
    let compiled = CompiledPolicy::new(policy.clone());
    compiled
        .explain(tool, call(arguments, &plan), time(now))
        .verdict
}

fn time(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

#[test]
fn strongest_rule_decides() {
    let rule = |id: &str, effect| Rule::new(id, "f", effect);
    let (allow, ask, deny) = (
        rule("1", Verdict::Allow),
        rule("2", Verdict::Ask),
        rule("3", Verdict::Deny),
    );

    for (rules, verdict, by) in [
        (&[][..], Verdict::Ask, "dangerous"),
        (&[&allow], Verdict::Allow, "1"),
        (&[&ask, &allow], Verdict::Ask, "2"),
        (&[&allow, &deny, &ask], Verdict::Deny, "3"),
    ] {
        let rules: Vec<Rule> = rules.iter().map(|rule| (*rule).clone()).collect();

        assert_eq!(ruling(&rules), (verdict, by.to_owned()));
    }
}

#[test]
fn rule_requires_tool_time_and_enabled() {
    let past = time("2001-01-01T00:00:00Z");
    let mut disabled = Rule::new("d", "f", Verdict::Allow);
    disabled.enabled = false;

    for rule in [
        Rule::new("other", "g", Verdict::Allow),
        Rule::new("old", "f", Verdict::Allow).until(past),
        disabled,
    ] {
        assert_eq!(ruling(&[rule]), (Verdict::Ask, "dangerous".into()));
    }
    let later = Timestamp::now().after(Duration::from_mins(1));
    assert_eq!(
        ruling(&[Rule::new("new", "f", Verdict::Allow).until(later)]).0,
        Verdict::Allow
    );
}

#[test]
fn rule_expires_exactly_at_its_time() {
    let end = time("2025-11-10T10:05:00Z");
    let policy = Policy::default().with_rule(Rule::new("x", "f", Verdict::Allow).until(end));

    for (now, verdict) in [
        ("2025-11-10T10:04:59.999Z", Verdict::Allow),
        ("2025-11-10T10:05:00Z", Verdict::Ask),
        ("2025-11-10T12:04:59.999+02:00", Verdict::Allow),
    ] {
        assert_eq!(verdict_at(&policy, "f", "{}", now), verdict, "{now}");
    }
}

#[test]
fn invalid_rule_fails_closed() {
    let mut both = Rule::new("y", "f", Verdict::Allow).with_pattern(".*");
    both.digest = Some("00".to_owned());

    for (rule, verdict) in [
        (
            Rule::new("x", "f", Verdict::Allow).with_pattern("("),
            Verdict::Ask,
        ),
        (
            Rule::new("x", "f", Verdict::Ask).with_pattern("("),
            Verdict::Ask,
        ),
        (
            Rule::new("x", "f", Verdict::Deny).with_pattern("("),
            Verdict::Deny,
        ),
        (
            Rule::new("x", "f", Verdict::Deny).with_pattern("a)|(b"),
            Verdict::Deny,
        ),
        (both, Verdict::Ask),
    ] {
        assert!(rule.check().is_err(), "{rule:?}");
        assert_eq!(ruling(std::slice::from_ref(&rule)).0, verdict, "{rule:?}");
    }
}

#[test]
fn documented_policy_file_round_trips() {
    let text = include_str!("example.json");

    let policy = Policy::from_json(text).unwrap();

    assert_eq!(policy.to_json(), text);
    for (tool, arguments, now, verdict) in [
        (
            "create_file",
            r#"{"path":"test.txt"}"#,
            "2025-11-10T00:00:00Z",
            Verdict::Allow,
        ),
        (
            "create_file",
            r#"{"path":"test.md"}"#,
            "2025-11-10T00:00:00Z",
            Verdict::Ask,
        ),
        (
            "run_in_terminal",
            "{}",
            "2025-11-10T00:00:00Z",
            Verdict::Deny,
        ),
        (
            "run_in_terminal",
            "{}",
            "2025-11-18T00:00:00Z",
            Verdict::Ask,
        ),
    ] {
        let found = verdict_at(&policy, tool, arguments, now);

        assert_eq!(found, verdict, "{tool} {arguments} {now}");
    }
}

#[test]
fn rejects_invalid_policies() {
    let many = format!(
        r#"{{"rules": [{}]}}"#,
        vec![r#"{"id": "x", "tool": "f", "effect": "ask"}"#; 10_001].join(",")
    );
    for text in [
        "",
        "[]",
        r#"{"dangerus": "deny"}"#,
        r#"{"dangerous": "never"}"#,
        r#"{"rules": [{"id": "x", "tool": "f"}]}"#,
        r#"{"rules": [{"id": "x", "tool": "f", "effect": "allow", "expires": "2025-11-10T00:00:00Z"}]}"#,
        r#"{"rules": [{"id": "x", "tool": "f", "effect": "allow", "expires_at": "soon"}]}"#,
        &many,
    ] {
        let short = text.get(..100).unwrap_or(text);

        assert!(Policy::from_json(text).is_err(), "{short}");
    }
    assert_eq!(Policy::from_json("{}"), Ok(Policy::default()));
}

#[test]
fn deny_rule_that_never_matches_is_an_error_and_denies() {
    for effect in [Verdict::Ask, Verdict::Deny] {
        let rule = Rule::new("no-secrets", "f", effect).with_pattern("secrets/.*");
        let policy = Policy::allow_all().with_rule(rule.clone());

        let error = Policy::from_json(&policy.to_json()).unwrap_err();

        assert_eq!(
            error.to_string(),
            r#"the pattern of the rule `no-secrets` never matches; patterns match the complete arguments as compact JSON, such as `{"path":"secrets/.*"}`"#
        );
        assert_eq!(ruling(&[rule]).0, effect);
    }
    let harmless = Rule::new("x", "f", Verdict::Allow).with_pattern("secrets/.*");
    assert_eq!(harmless.check(), Ok(()));
}

#[test]
fn rule_for_definition_applies_to_no_other() {
    let plan = CallPlan::of(RiskLevel::Dangerous);
    let of_definition = |digest: Option<&str>| CanonicalCall {
        definition: digest.map(str::to_owned),
        ..call("{}", &plan)
    };
    let policy = Policy::default().with_rule(Rule::exactly("f", &of_definition(Some("aa"))));
    let compiled = CompiledPolicy::new(policy);
    for (definition, verdict) in [
        (Some("aa"), Verdict::Allow),
        (Some("bb"), Verdict::Ask),
        (None, Verdict::Ask),
    ] {
        let arguments = of_definition(definition);

        let explained = compiled.explain("f", arguments, Timestamp::now());

        assert_eq!(explained.verdict, verdict, "{definition:?}");
    }
}

#[test]
fn always_allows_exactly_these_arguments() {
    let short = r#"{"path":"a.txt"}"#.to_owned();
    let long = format!(r#"{{"content":"{}"}}"#, "x".repeat(100_000));

    for arguments in [short, long] {
        let plan = CallPlan::of(RiskLevel::Dangerous);
        let rule = Rule::exactly("f", &call(&arguments, &plan));
        let stored = serde_json::to_string(&rule).unwrap();
        let policy = Policy::default().with_rule(serde_json::from_str(&stored).unwrap());
        let verdict = |tool: &str, arguments: &str| {
            let explanation = policy.explain(tool, arguments, RiskLevel::Dangerous);
            explanation.verdict
        };

        assert!(stored.len() < 300, "{}", stored.len());
        assert_eq!(verdict("f", &arguments), Verdict::Allow);
        assert_eq!(verdict("g", &arguments), Verdict::Ask);
        let others = [
            arguments.replace('.', "X"),
            arguments.replace('x', "y"),
            format!(" {arguments}"),
        ];
        for other in others.iter().filter(|other| **other != arguments) {
            assert_eq!(verdict("f", other), Verdict::Ask, "{stored}");
        }
    }
}

#[test]
fn explanation_lists_every_rule_for_tool() {
    let past = time("2001-01-01T00:00:00Z");
    let mut off = Rule::new("off", "f", Verdict::Deny);
    off.enabled = false;
    let policy = Policy::default()
        .with_rule(Rule::new("elsewhere", "g", Verdict::Deny))
        .with_rule(off)
        .with_rule(Rule::new("old", "f", Verdict::Deny).until(past))
        .with_rule(Rule::new("broken", "f", Verdict::Allow).with_pattern("("))
        .with_rule(Rule::new("md", "f", Verdict::Deny).with_pattern(r".*\.md.*"))
        .with_rule(Rule::new("first", "f", Verdict::Ask))
        .with_rule(Rule::new("second", "f", Verdict::Ask))
        .with_rule(Rule::new("weaker", "f", Verdict::Allow));

    let explanation = policy.explain("f", r#"{"path":"a.txt"}"#, RiskLevel::ReadOnly);

    assert_eq!(
        explanation.to_string(),
        "f (read_only): ask, by the rule `first`
  off (deny): is disabled
  old (deny): has expired
  broken (allow): the rule `broken` has an invalid pattern: unclosed group, so it allows nothing
  md (deny): does not match
  first (ask): matches and decides
  second (ask): matches
  weaker (allow): matches"
    );
    assert_eq!(explanation.rules[0].status, RuleStatus::Disabled);
    let stored = serde_json::to_string(&explanation).unwrap();
    assert_eq!(
        serde_json::from_str::<Explanation>(&stored).unwrap(),
        explanation
    );
    let by_risk = Policy::default().explain("f", "{}", RiskLevel::Dangerous);
    assert_eq!(
        by_risk.to_string(),
        "f (dangerous): ask, by the verdict for this risk"
    );
}

#[test]
fn rules_for_other_tools_skip_arguments() {
    let rules = (0..1000).map(|n| Rule::new("x", format!("other_{n}"), Verdict::Deny));
    let policy = Policy {
        rules: rules.collect(),
        ..Policy::default()
    };

    let ruling = CompiledPolicy::new(policy).ruling(
        "f",
        &CallPlan::of(RiskLevel::Dangerous),
        || panic!("the arguments must not be computed"),
        || panic!("the time must not be read"),
    );

    assert_eq!(ruling.verdict, Verdict::Ask);
}

fn any_effect() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        Just(Verdict::Allow),
        Just(Verdict::Ask),
        Just(Verdict::Deny),
    ]
}

fn any_verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        Just(Verdict::Allow),
        Just(Verdict::Ask),
        Just(Verdict::Deny)
    ]
}

prop_compose! {
    fn any_rule()(
        id in "[a-z]{1,3}",
        tool in "[fg]",
        pattern in proptest::option::of(prop_oneof![Just("(".to_owned()), Just(".*a.*".to_owned()), "[{}a\"\\\\.*]{0,6}"]),
        effect in any_effect(),
        expires in proptest::option::of(prop_oneof![Just(0_u64), Just(4_000_000_000_000)]),
        enabled in any::<bool>(),
    ) -> Rule {
        let epoch = Timestamp::parse("1970-01-01T00:00:00Z").unwrap();
        let mut rule = Rule::new(id, tool, effect);
        rule.pattern = pattern;
        rule.expires_at = expires.map(|at| epoch.after(Duration::from_millis(at)));
        rule.enabled = enabled;
        rule
    }
}

prop_compose! {
    fn any_policy()(
        read_only in any_verdict(),
        safe_write in any_verdict(),
        dangerous in any_verdict(),
        rules in proptest::collection::vec(any_rule(), 0..6),
    ) -> Policy {
        Policy { read_only, safe_write, dangerous, rules }
    }
}

proptest! {
    #[test]
    fn policy_survives_json(policy in any_policy()) {
        let text = policy.to_json();
        let mut errors = policy.rules.iter().filter_map(|rule| rule.check().err());
        let never = errors.find(|error| matches!(error, RuleError::NeverMatches { .. }));

        let expected = never.map_or_else(|| Ok(policy.clone()), |error| Err(PolicyError::Rule(error)));
        prop_assert_eq!(Policy::from_json(&text), expected);
    }

    #[test]
    fn allow_rule_never_overrules_ask_or_deny(
        policy in any_policy(),
        mut rule in any_rule(),
        arguments in "[{}a\"]{0,6}",
    ) {
        rule.effect = Verdict::Allow;
        let before = policy.explain("f", &arguments, RiskLevel::Dangerous);
        let by_rule = before.rules.iter().any(|finding| finding.decides);

        let after = policy.with_rule(rule).explain("f", &arguments, RiskLevel::Dangerous);

        if by_rule || after.verdict != Verdict::Allow {
            prop_assert_eq!(after.verdict, before.verdict);
        }
    }

    #[test]
    fn deny_rule_never_allows_more(
        policy in any_policy(),
        mut rule in any_rule(),
        arguments in "[{}a\"]{0,6}",
    ) {
        rule.effect = Verdict::Deny;
        let before = policy.explain("f", &arguments, RiskLevel::Dangerous).verdict;

        let after = policy.with_rule(rule).explain("f", &arguments, RiskLevel::Dangerous).verdict;

        prop_assert!(after == before || after == Verdict::Deny);
    }

    #[test]
    fn order_of_rules_is_irrelevant(
        policy in any_policy(),
        arguments in "[{}a\"]{0,6}",
        turn in 0_usize..6,
    ) {
        let mut other = policy.clone();
        other.rules.reverse();
        let turn = turn.min(other.rules.len());
        other.rules.rotate_left(turn);

        let verdict = |policy: &Policy| policy.explain("f", &arguments, RiskLevel::SafeWrite).verdict;
        prop_assert_eq!(verdict(&other), verdict(&policy));
    }

    #[test]
    fn ruling_equals_explanation(policy in any_policy(), arguments in "[{}a\"]{0,6}") {
        let explanation = policy.explain("f", &arguments, RiskLevel::Dangerous);
        let plan = CallPlan::of(RiskLevel::Dangerous);

        let ruling = CompiledPolicy::new(policy).ruling("f", &plan, || call(&arguments, &plan), Timestamp::now);

        prop_assert_eq!((ruling.verdict, ruling.rule), (explanation.verdict, explanation.rule));
    }
}
