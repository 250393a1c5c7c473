//! Rules for every tool: commands, files and hosts.

use super::*;
use crate::CallPlan;

#[test]
fn rules_for_every_tool_match_commands_hosts_and_paths() {
    let policy = Policy::ask_before_changes()
        .allow_host("*.example.org")
        .allow_write("docs/**");
    let compiled = CompiledPolicy::new(policy);
    let verdict_on = |plan: &CallPlan| {
        let call = CanonicalCall {
            definition: Some(String::new()),
            ..call("{}", plan)
        };
        compiled.explain("f", call, Timestamp::now()).verdict
    };
    let write = |path: &str| CallPlan::of(RiskLevel::SafeWrite).writes(path);
    let fetch = |host: &str| CallPlan::of(RiskLevel::Dangerous).connects_to(host);
    for (plan, verdict) in [
        (write("docs/a/b.md"), Verdict::Allow),
        (write("./docs/../src/a.rs"), Verdict::Ask),
        (write("docs/a.md").writes("src/a.rs"), Verdict::Ask),
        // What a dangerous tool does besides writing the file is not known.
        (
            CallPlan::of(RiskLevel::Dangerous).writes("docs/a.md"),
            Verdict::Ask,
        ),
        (
            write("docs/a.md").asking("protected", "is protected"),
            Verdict::Ask,
        ),
        (fetch("Api.Example.org."), Verdict::Allow),
        (fetch("example.org"), Verdict::Ask),
        (fetch("example.org.evil.net"), Verdict::Ask),
        (
            fetch("api.example.org").connects_to("evil.net"),
            Verdict::Ask,
        ),
    ] {
        assert_eq!(verdict_on(&plan), verdict, "{plan:?}");
    }
}

#[test]
fn rules_in_json_are_for_every_tool_only_if_they_are_narrow() {
    let policy = |rule: &str| Policy::from_json(&format!("{{\"rules\": [{rule}]}}"));
    for rule in [
        r#"{"id": "r", "command": "cargo test", "effect": "allow"}"#,
        r#"{"id": "r", "paths": ["docs/**"], "effect": "allow"}"#,
        r#"{"id": "r", "host": "docs.rs", "effect": "allow"}"#,
        r#"{"id": "r", "effect": "deny"}"#,
    ] {
        assert_eq!(policy(rule).unwrap().rules[0].tool, "*", "{rule}");
    }
    for (rule, message) in [
        (r#"{"id": "r", "effect": "allow"}"#, "allows every tool"),
        (
            r#"{"id": "r", "command": "a; b", "effect": "allow"}"#,
            "plain words",
        ),
        (
            r#"{"id": "r", "host": "https://docs.rs/", "effect": "deny"}"#,
            "without scheme",
        ),
        (
            r#"{"id": "r", "tool": "f", "host": "docs.rs", "command": "ls", "effect": "deny"}"#,
            "more than one of",
        ),
    ] {
        let error = policy(rule).unwrap_err().to_string();

        assert!(error.contains(message), "{error}");
    }
}
