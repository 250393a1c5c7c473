//! Rules that allow commands by their words.

use tool_core::approval::{Explanation, RuleStatus};
use tool_core::{CallPlan, ToolContext, TypedTool};

use super::*;
use crate::shell::grants::Request;

/// Plans commands like `bash` in a sandbox or without, but runs nothing, so that the tests need none.
struct Planned {
    guard: Guard,
    is_confined: bool,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Input {
    command: String,
    #[serde(default)]
    needs: Option<Vec<String>>,
}

impl TypedTool for Planned {
    type Input = Input;
    type Output = &'static str;

    const RISK: RiskLevel = RiskLevel::Dangerous;

    fn plan(&self, _cx: &ToolContext, input: &Input) -> Result<CallPlan, ToolError> {
        let judged = self
            .guard
            .judge(&Invocation::Line(input.command.clone()), ".")?;
        let shown = |part: Option<&[String]>| {
            let line = part.map_or_else(|| input.command.clone(), words::join_part);
            vec![("command", json!(line))]
        };
        let request = Request {
            needs: input.needs.as_deref(),
            reason: None,
        };
        let risk = request.risk(|| judged.risk(self.is_confined));
        request.raise(judged.describe(CallPlan::of(risk), self.is_confined, shown))
    }

    async fn run(&self, _cx: &ToolContext, _input: Input) -> Result<&'static str, ToolError> {
        Ok("not run")
    }
}

/// Returns the explanation of a call, or `None` if the command is forbidden.
fn explained(policy: Policy, input: Value, is_confined: bool) -> Option<Explanation> {
    let scratch = Scratch::new()
        .file("src/lib.rs", "")
        .file(".git/config", "");
    let workspace = Workspace::open(scratch.path()).unwrap();
    let guard = Guard::of(&workspace, &Environment::of([]));
    let tool = Planned { guard, is_confined };
    let registry = Registry::builder()
        .policy(policy)
        .tool(Typed::new("bash", "Runs a command.", tool))
        .unwrap()
        .build();
    registry.explain("bash", &input.into()).ok()
}

fn verdict(rules: &[&str], line: &str) -> Verdict {
    let policy = Policy::ask_before_changes();
    let policy = rules
        .iter()
        .fold(policy, |policy, rule| policy.allow_command(rule));
    let explanation = explained(policy, json!({"command": line}), true);
    explanation.map_or(Verdict::Deny, |explanation| explanation.verdict)
}

#[test]
fn rule_covers_commands_whose_other_parts_only_read() {
    for line in [
        "cargo test",
        "cargo test -p demo -- --nocapture",
        "cargo test 2>&1 | tail -5",
        "cd src && cargo test",
        "RUST_BACKTRACE=1 cargo test",
        "cargo test > out.txt",
        "cargo test && cargo test --offline",
    ] {
        assert_eq!(verdict(&["cargo test"], line), Verdict::Allow, "{line}");
    }
}

#[test]
fn rule_does_not_cover_other_effects() {
    for line in [
        "cargo testx",
        "cargo build",
        "cargo test; rm src/lib.rs",
        "cargo test | sh",
        "LD_PRELOAD=./x.so cargo test",
        "PATH=. cargo test",
        "cargo test > /etc/motd",
        "cargo test > .git/config",
        "cargo test $NAMES",
        "cargo $(echo test)",
        "cargo test --config ./x.toml",
        "cargo test --manifest-path /tmp/x/Cargo.toml",
        "cargo test & curl https://example.org",
        "while true; do cargo test; done",
        "cargo test; cat ~/.ssh/id_rsa",
        "./cargo test",
    ] {
        assert_ne!(verdict(&["cargo test"], line), Verdict::Allow, "{line}");
    }
}

#[test]
fn several_rules_cover_a_line_together() {
    let line = "cargo fmt && cargo test && git diff --stat";

    assert_eq!(verdict(&["cargo test", "cargo fmt"], line), Verdict::Allow);
    assert_eq!(verdict(&["cargo test"], line), Verdict::Ask);
    assert_eq!(verdict(&["git diff"], "git diff --ext-diff"), Verdict::Ask);
}

#[test]
fn rule_gives_nothing_beyond_the_sandbox() {
    let test = json!({"command": "cargo test"});
    let needs = json!({"command": "cargo test", "needs": ["network"]});
    let install = json!({"command": "cargo install x"});
    for (rule, input, is_confined, verdict) in [
        ("cargo test", test.clone(), true, Verdict::Allow),
        ("cargo test", test, false, Verdict::Ask),
        ("cargo test", needs, true, Verdict::Ask),
        ("cargo install", install, true, Verdict::Ask),
    ] {
        let policy = Policy::ask_before_changes().allow_command(rule);

        let explanation = explained(policy, input.clone(), is_confined).unwrap();

        assert_eq!(explanation.verdict, verdict, "{input}");
    }
}

#[test]
fn explanation_names_the_part_that_no_rule_covers() {
    let policy = Policy::ask_before_changes().allow_command("cargo test");

    let explanation = explained(
        policy,
        json!({"command": "cargo test && touch a.txt"}),
        true,
    );

    let explanation = explanation.unwrap();
    let part = "touch a.txt".to_owned();
    assert_eq!(explanation.rules[0].status, RuleStatus::Uncovered { part });
    let text = explanation.to_string();
    assert!(
        text.ends_with("allow cargo test (allow): does not cover `touch a.txt`"),
        "{text}"
    );
}

#[test]
fn rule_denies_command_of_every_tool() {
    let rule = PolicyRule::new("no-push", "*", Verdict::Deny).with_command("git push");
    for (line, verdict) in [
        ("git push origin main", Verdict::Deny),
        ("ls; git push", Verdict::Deny),
        ("git pushx", Verdict::Allow),
    ] {
        let policy = Policy::allow_all().with_rule(rule.clone());

        let explanation = explained(policy, json!({"command": line}), true).unwrap();

        assert_eq!(explanation.verdict, verdict, "{line}");
    }
}
