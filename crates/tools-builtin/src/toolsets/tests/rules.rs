//! Rules match normalized paths.

use serde_json::json;
use tool_core::approval::{Policy, Rule, Verdict};
use tool_core::{CallArguments, Registry};
use tool_test::Scratch;

use crate::toolsets::standard;
use crate::{Kit, Workspace};

fn verdict(scratch: &Scratch, rule: Rule, path: &str) -> Verdict {
    let (tool, risk_asks) = (rule.tool.clone(), rule.effect == Verdict::Allow);
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
    let base = if risk_asks {
        Policy::default().with_verdict(tool_core::RiskLevel::ReadOnly, Verdict::Ask)
    } else {
        Policy::allow_all()
    };
    let registry = Registry::builder()
        .policy(base.with_rule(rule))
        .toolset(&standard(&kit).unwrap())
        .unwrap()
        .build();
    let arguments = match tool.as_str() {
        "bash" => json!({"command": "ls", "cwd": path}),
        "search" => json!({"pattern": "", "glob": "*", "path": path}),
        _ => json!({"path": path}),
    };
    let call = CallArguments::from(arguments);
    registry.explain(&tool, &call).unwrap().verdict
}

#[test]
fn deny_rules_cover_all_spellings_of_path() {
    let scratch = Scratch::new().file("secrets/a", "x").folder("docs");
    let full = scratch.path().join("secrets/a");
    for path in [
        "secrets/a",
        "./secrets/a",
        "secrets//a",
        "docs/../secrets/a",
        full.to_str().unwrap(),
    ] {
        for (tool, parameter) in [
            ("read", "path"),
            ("list", "path"),
            ("search", "path"),
            ("bash", "cwd"),
        ] {
            let pattern = format!(r#"{{([^/]*,)?"{parameter}":"secrets/[^"]*".*}}"#);
            let rule = Rule::new("no-secrets", tool, Verdict::Deny).with_pattern(pattern);

            assert_eq!(
                verdict(&scratch, rule, path),
                Verdict::Deny,
                "{tool} {path}"
            );
        }
    }
}

#[test]
fn allow_rules_do_not_cover_paths_that_leave_directory() {
    let scratch = Scratch::new().file("docs/a", "x").file("src/a", "x");
    for (path, expected) in [
        ("docs/a", Verdict::Allow),
        ("./docs/a", Verdict::Allow),
        ("docs/../src/a", Verdict::Ask),
        ("docs/./../src/a", Verdict::Ask),
    ] {
        let rule =
            Rule::new("docs", "read", Verdict::Allow).with_pattern(r#"{"path":"docs/[^"]*"}"#);

        assert_eq!(verdict(&scratch, rule, path), expected, "{path}");
    }
}
