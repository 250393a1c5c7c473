//! Rules of the policy for commands and their findings.

use super::*;

#[tokio::test]
async fn rules_apply_to_wrapped_commands() {
    let scratch = Scratch::new();
    let rule = |effect, pattern: &str| {
        let rule = PolicyRule::new("r", "bash", effect).with_pattern(pattern);
        match effect {
            Verdict::Allow => {
                rule.with_findings(["command_filter:construct", "command_filter:write"])
            }
            _ => rule,
        }
    };
    let echo = r#".*"command":"echo.*"#;
    let any_shell = r#".*"command":"(sh|echo|touch).*"#;
    for (rules, command, expected) in [
        (vec![rule(Verdict::Allow, echo)], "echo a", None),
        (
            vec![rule(Verdict::Allow, echo)],
            "sh -c 'echo a'",
            Some(ErrorCode::ApprovalDenied),
        ),
        (
            vec![rule(Verdict::Allow, any_shell)],
            "sh -c 'echo a; touch b'",
            None,
        ),
        (
            vec![rule(Verdict::Allow, any_shell)],
            "sh -c 'echo a; ls'",
            Some(ErrorCode::ApprovalDenied),
        ),
        (
            vec![
                rule(Verdict::Allow, any_shell),
                rule(Verdict::Deny, r#".*"command":"touch.*"#),
            ],
            "sh -c 'echo a; touch b'",
            Some(ErrorCode::ApprovalDenied),
        ),
    ] {
        let policy = rules
            .iter()
            .cloned()
            .fold(Policy::default(), Policy::with_rule);

        let result = call(
            &registry(tool(&scratch), policy),
            json!({"command": command}),
        )
        .await;

        assert_eq!(code(&result), expected, "{command}: {result}");
    }
}

#[test]
fn allow_rule_does_not_overrule_finding() {
    let scratch = Scratch::new();
    let git = r#".*"command":"git (status|diff|log).*"#;
    let curl = r#".*"command":"curl .*"#;
    for (pattern, findings, arguments, expected) in [
        (
            git,
            &[][..],
            json!({"command": "git log -1"}),
            Verdict::Allow,
        ),
        (
            git,
            &[],
            json!({"command": "git log --output=F"}),
            Verdict::Ask,
        ),
        (
            git,
            &["write"],
            json!({"command": "git log --output=F"}),
            Verdict::Allow,
        ),
        (
            git,
            &["write"],
            json!({"command": "git log --output=/opt/F"}),
            Verdict::Ask,
        ),
        (
            git,
            &[],
            json!({"command": "git log", "needs": ["network"]}),
            Verdict::Ask,
        ),
        (
            git,
            &[],
            json!({"command": "git log", "needs": ["unconfined"]}),
            Verdict::Ask,
        ),
        (
            curl,
            &[],
            json!({"command": "curl example.org"}),
            Verdict::Ask,
        ),
        (
            curl,
            &["network"],
            json!({"command": "curl example.org"}),
            Verdict::Allow,
        ),
        (
            curl,
            &["network"],
            json!({"command": "curl -o /opt/a example.org"}),
            Verdict::Ask,
        ),
    ] {
        let findings = findings.iter().map(|name| format!("command_filter:{name}"));
        let rule = PolicyRule::new("r", "bash", Verdict::Allow)
            .with_pattern(pattern)
            .with_findings(findings);
        let policy = Policy::default()
            .with_verdict(RiskLevel::ReadOnly, Verdict::Ask)
            .with_rule(rule);

        let call = tool_core::CallArguments::from(arguments.clone());
        let explanation = registry(tool(&scratch), policy).explain("bash", &call);

        let explanation = explanation.unwrap();
        assert_eq!(explanation.verdict, expected, "{arguments}: {explanation}");
    }
}

#[test]
fn allow_rule_names_requested_needs() {
    let scratch = Scratch::new();
    for (findings, needs, expected) in [
        (&["needs:network"][..], json!(["network"]), Verdict::Allow),
        (
            &["needs:network"],
            json!(["network", "write:/srv"]),
            Verdict::Ask,
        ),
        (
            &["needs:network", "needs:write"],
            json!(["network", "write:/srv"]),
            Verdict::Allow,
        ),
    ] {
        let rule =
            PolicyRule::new("r", "bash", Verdict::Allow).with_findings(findings.iter().copied());
        let registry = registry(tool(&scratch), Policy::default().with_rule(rule));

        let call = tool_core::CallArguments::from(json!({"command": "ls", "needs": needs}));
        let explanation = registry.explain("bash", &call).unwrap();

        assert_eq!(explanation.verdict, expected, "{needs}: {explanation}");
    }
}

#[test]
fn omitted_findings_need_their_own_name() {
    let guard = Guard::with(CommandFilter::standard(["/srv/app"]));
    let many: Vec<String> = (0..70).map(|at| format!("curl h{at}")).collect();

    let few = findings(&guard, &many[..3].join("; "), true);
    let many = findings(&guard, &many.join("; "), true);

    assert_eq!(few.findings(), ["command_filter:network"]);
    assert_eq!(
        many.findings(),
        ["command_filter:network", "command_filter:limit"]
    );
}

#[test]
fn confined_finding_runs_without_its_grant() {
    let scratch = Scratch::new();
    let workspace = Workspace::open(scratch.path()).unwrap();
    let line = Invocation::Line("curl example.org".to_owned());
    let granted = |filter| Guard::with(filter).judge(&line, ".").unwrap().grants();
    let filter = || workspace_filter(&workspace);

    let confined = filter().with_verdict(CommandRule::Network, CommandVerdict::Confine);

    assert_eq!(granted(filter()), [Grant::Network]);
    assert_eq!(granted(confined), []);
}
