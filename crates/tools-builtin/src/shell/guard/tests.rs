//! Filter verdicts as errors, approval requests and policy decisions.

mod allowed;
mod rules;

use serde_json::json;
use shell_verdict::words;
use tool_core::approval::{
    Answer, ApprovalRequest, Findings, Policy, Rule as PolicyRule, Verdict, approver_fn,
};
use tool_core::{ErrorCode, Registry, ToolResult, Typed};
use tool_test::Scratch;

use super::*;
use crate::shell::Bash;

fn tool(scratch: &Scratch) -> Bash {
    Bash::new(Workspace::open(scratch.path()).unwrap())
}

fn registry(tool: Bash, policy: Policy) -> Registry {
    Registry::builder()
        .policy(policy)
        .tool(Typed::new("bash", "Runs a line.", tool))
        .unwrap()
        .build()
}

async fn call(registry: &Registry, arguments: Value) -> ToolResult {
    registry.execute("bash", arguments).await
}

fn code(result: &ToolResult) -> Option<ErrorCode> {
    result.error.as_ref().map(|error| error.code.clone())
}

#[tokio::test]
async fn forbidden_command_fails_without_approval() {
    let scratch = Scratch::new();
    let registry = Registry::builder()
        .approver(approver_fn(|_: ApprovalRequest| -> Answer {
            panic!("approver was called")
        }))
        .tool(Typed::new("bash", "Runs a line.", tool(&scratch)))
        .unwrap()
        .build();

    let result = call(&registry, json!({"command": "env sudo id"})).await;

    assert_eq!(code(&result), Some(ErrorCode::CommandForbidden));
    assert_eq!(
        result.to_string(),
        "Error: `command` is not allowed to run: `sudo id`: gains the privileges of another user. \
         Run it without elevated rights, or tell the user which rights are needed."
    );
}

#[tokio::test]
async fn allow_rule_does_not_override_forbid() {
    let scratch = Scratch::new().file("kept.txt", "");
    let all = PolicyRule::new("all", "bash", Verdict::Allow);
    let registry = registry(tool(&scratch), Policy::allow_all().with_rule(all));

    for command in [
        "rm -rf /",
        "rm -rf ../..",
        "sh -c 'sudo id'",
        "find / -delete",
    ] {
        let result = call(&registry, json!({"command": command})).await;

        assert_eq!(
            code(&result),
            Some(ErrorCode::CommandForbidden),
            "{command}"
        );
    }
    assert!(scratch.path().join("kept.txt").exists());
}

#[tokio::test]
async fn filter_requires_approval_despite_allow_policy() {
    let scratch = Scratch::new();
    let registry = registry(tool(&scratch), Policy::allow_all());

    let plain = call(&registry, json!({"command": "echo hello"})).await;
    let asked = call(&registry, json!({"command": "curl example.org"})).await;

    assert!(plain.success, "{plain}");
    assert_eq!(code(&asked), Some(ErrorCode::ApprovalDenied));
    assert!(
        asked
            .to_string()
            .contains("`curl example.org`: connects to other hosts"),
        "{asked}"
    );
    let approval = asked.metadata.approval.unwrap();
    assert_eq!(approval.rule.as_deref(), Some("command_filter:network"));
}

#[tokio::test]
async fn uses_working_directory_and_home() {
    let scratch = Scratch::new().file("a/b/x.txt", "").file("a/y.txt", "");
    let home = Environment::of_host().with("HOME", "/srv/someone");
    let registry = registry(tool(&scratch).with_environment(home), Policy::allow_all());

    for (arguments, expected) in [
        (
            json!({"command": "ls ../y.txt", "working_directory": "a/b"}),
            None,
        ),
        (
            json!({"command": "rm ../../y.txt"}),
            Some(ErrorCode::ApprovalDenied),
        ),
        (
            json!({"command": "cat /srv/someone/.ssh/id_rsa"}),
            Some(ErrorCode::CommandForbidden),
        ),
        (
            json!({"command": "sh -c 'cat ~/.aws/credentials'"}),
            Some(ErrorCode::CommandForbidden),
        ),
        (
            json!({"command": "cat ../.gmail-tokens/token-1.json", "working_directory": "a"}),
            Some(ErrorCode::CommandForbidden),
        ),
        (
            json!({"command": "grep -r x a/b/.calendar-tokens"}),
            Some(ErrorCode::CommandForbidden),
        ),
    ] {
        let result = call(&registry, arguments.clone()).await;

        assert_eq!(code(&result), expected, "{arguments}");
    }
}

#[tokio::test]
async fn resolves_symlinks_of_working_directory() {
    let scratch = Scratch::new()
        .file("sub/x.txt", "")
        .link("sub/deep/here", "..");
    let registry = registry(tool(&scratch), Policy::allow_all());
    let arguments = json!({"command": "rm -rf ../../sub", "working_directory": "sub/deep/here"});

    let result = call(&registry, arguments).await;

    assert_eq!(code(&result), Some(ErrorCode::ApprovalDenied), "{result}");
    assert!(scratch.path().join("sub/x.txt").exists());
}

#[tokio::test]
async fn host_extends_or_disables_filter() {
    let scratch = Scratch::new().file("kept.txt", "");
    let filter = || CommandFilter::standard([scratch.path().to_string_lossy()]);
    let arguments = json!({"command": "gradlew all"});
    let code_with = async |tool: Bash| {
        code(&call(&registry(tool, Policy::allow_all()), arguments.clone()).await)
    };
    let unwanted = filter().with_forbidden_program("gradlew");

    assert_eq!(
        code_with(tool(&scratch)).await,
        Some(ErrorCode::ApprovalDenied)
    );
    assert_ne!(
        code_with(tool(&scratch).with_filter(filter().with_allowed_program("gradlew"))).await,
        Some(ErrorCode::ApprovalDenied)
    );
    assert_eq!(
        code_with(tool(&scratch).with_filter(unwanted)).await,
        Some(ErrorCode::CommandForbidden)
    );
    let registry = registry(tool(&scratch).without_filter(), Policy::allow_all());
    let result = call(
        &registry,
        json!({"command": "sh -c 'rm ./kept.txt; sudo --not-an-option; true'"}),
    )
    .await;
    assert_eq!(code(&result), None, "{result}");
    assert!(!scratch.path().join("kept.txt").exists());
}

#[tokio::test]
async fn host_replaces_filter_of_bash() {
    use tool_core::{ToolContext, TypedTool};
    let scratch = Scratch::new();
    let workspace = Workspace::open(scratch.path()).unwrap();
    let filter = workspace_filter(&workspace).with_forbidden_program("ls");
    let cx = ToolContext::test();
    let input = || serde_json::from_value(json!({"command": "true && ls"})).unwrap();

    let usual = Bash::new(workspace.clone()).run(&cx, input()).await;
    let stricter = Bash::new(workspace)
        .with_filter(filter)
        .run(&cx, input())
        .await;

    assert!(usual.is_ok());
    assert_eq!(stricter.unwrap_err().code(), &ErrorCode::CommandForbidden);
}

#[test]
fn filter_accepts_more_rules_and_roots() {
    let filter = || CommandFilter::standard(["/srv/app"]);
    for (filter, verdict) in [
        (filter(), CommandVerdict::Ask),
        (
            filter().with_verdict(CommandRule::WriteOutside, CommandVerdict::Forbid),
            CommandVerdict::Forbid,
        ),
        (
            filter().with_verdict(CommandRule::WriteOutside, CommandVerdict::Allow),
            CommandVerdict::Allow,
        ),
        (filter().with_root("/opt/data"), CommandVerdict::Confine),
        (filter().with_root("/opt/other"), CommandVerdict::Ask),
        (filter().with_root("data"), CommandVerdict::Ask),
    ] {
        let judged = filter.judge("echo text > /opt/data/made.txt");

        assert_eq!(judged.verdict(), verdict, "{judged:?}");
    }
}

#[test]
fn limit_verdict_cannot_be_overridden() {
    let filter = CommandFilter::standard(["/srv/app"])
        .with_verdict(CommandRule::Limit, CommandVerdict::Allow);

    let judged = filter.judge(&format!("echo {}", "(".repeat(200_000)));

    assert_eq!(judged.verdict(), CommandVerdict::Ask);
    let finding = judged.worst().unwrap();
    assert_eq!(
        (finding.rule(), finding.verdict().as_str()),
        (CommandRule::Limit, "ask")
    );
    assert!(finding.to_string().len() < 500, "{finding}");
}

#[tokio::test]
async fn engine_without_registry_rejects_forbidden() {
    use tool_core::{ToolContext, TypedTool};
    let scratch = Scratch::new().file("kept.txt", "");
    let input = serde_json::from_value(json!({"command": "rm -rf /"})).unwrap();

    let outcome = tool(&scratch).run(&ToolContext::test(), input).await;

    assert_eq!(outcome.unwrap_err().code(), &ErrorCode::CommandForbidden);
    assert!(scratch.path().join("kept.txt").exists());
}

/// Returns the findings about a command line.
fn findings(guard: &Guard, line: &str, is_confined: bool) -> Findings {
    let judged = guard
        .judge(&Invocation::Line(line.to_owned()), ".")
        .unwrap();
    let plan = CallPlan::of(RiskLevel::Dangerous);
    let plan = judged.describe(plan, is_confined, |command| {
        let shown = command.map_or_else(|| line.to_owned(), words::join_part);
        vec![("command", json!(shown))]
    });
    plan.findings
}

#[test]
fn splits_command_line_into_parts() {
    let guard = Guard::with(CommandFilter::standard(["/srv/app"]));
    let parts = |text: &str| -> Vec<String> {
        let found = findings(&guard, text, false);
        let command =
            |part: &serde_json::Map<String, Value>| part["command"].as_str().unwrap().to_owned();
        found.parts().iter().map(command).collect()
    };

    for (text, expected) in [
        ("git   status", &["git status"][..]),
        ("cd src && git log | wc -l", &["cd src", "git log", "wc -l"]),
        ("echo $(id -u) 'a b'", &["id -u", "echo ? 'a b'"]),
        (
            "env A=1 timeout 5 ls",
            &["env A=1 timeout 5 ls", "timeout 5 ls", "ls"],
        ),
        ("LD_PRELOAD=./x.so ls", &["LD_PRELOAD=./x.so", "ls"]),
        ("ls > .git/config", &["> .git/config", "ls"]),
        ("ls > out.txt", &["> out.txt", "ls"]),
        ("while :; do ls; done", &[":", "ls", "while :; do ls; done"]),
        ("ls 'a", &["ls 'a"]),
    ] {
        assert_eq!(parts(text), expected, "{text}");
    }
}

#[test]
fn deduplicates_and_limits_reasons() {
    let guard = Guard::with(CommandFilter::standard(["/srv/app"]));
    let reason = |text: &str| findings(&guard, text, false).reason().map(str::to_owned);

    assert_eq!(reason("ls; ls"), None);
    assert_eq!(
        reason("npm i; curl a; curl a; curl b; ls 'x y'").as_deref(),
        Some(
            "`npm i`: installs, removes or publishes packages (needs `network`); `curl a`: connects to other hosts or local servers (needs `network`); `curl b`: connects to other hosts or local servers (needs `network`)"
        )
    );
    assert!(
        reason("aa1; bb1; cc1; dd1; ee1")
            .unwrap()
            .ends_with("; and 2 more")
    );
}

#[test]
fn reasons_of_rules_that_forbid_are_never_omitted() {
    let filter = CommandFilter::standard(["/srv/app"])
        .with_verdict(CommandRule::Privilege, CommandVerdict::Ask);
    let line = "npm i; curl a; curl b; curl c; sudo id; doas id; su -c ls; pkexec id";

    let assessment = findings(&Guard::with(filter), line, true);

    let reason = assessment.reason().unwrap();
    for part in ["`sudo id`", "`doas id`", "`su -c ls`", "`pkexec id`"] {
        assert!(reason.contains(part), "{part}: {reason}");
    }
    assert!(reason.ends_with(" more"), "{reason}");
}

#[tokio::test]
async fn checks_command_lines_for_bash() {
    let scratch = Scratch::new().file("kept.txt", "");
    let tool = Bash::new(Workspace::open(scratch.path()).unwrap());
    let rule =
        PolicyRule::new("echo", "bash", Verdict::Allow).with_pattern(r#".*"command":"echo .*"#);
    let registry = Registry::builder()
        .policy(Policy::default().with_rule(rule))
        .tool(Typed::new("bash", "Runs a line.", tool))
        .unwrap()
        .build();

    for (line, expected) in [
        ("echo a", None),
        ("echo a; echo b", None),
        ("echo a; ls", None),
        ("echo a; touch b", Some(ErrorCode::ApprovalDenied)),
        ("echo $(ls)", Some(ErrorCode::ApprovalDenied)),
        (
            "echo a; LD_PRELOAD=./x.so echo b",
            Some(ErrorCode::ApprovalDenied),
        ),
        ("echo a > .git/config", Some(ErrorCode::ApprovalDenied)),
        (
            "echo a; cd ..; rm -rf /*",
            Some(ErrorCode::CommandForbidden),
        ),
    ] {
        let result = registry.execute("bash", json!({"command": line})).await;

        assert_eq!(code(&result), expected, "{line}: {result}");
    }
    assert!(scratch.path().join("kept.txt").exists());
}

#[test]
fn filter_uses_roots_and_protected_names() {
    let scratch = Scratch::new().folder("project").folder("manual");
    let workspace = Workspace::builder()
        .root(scratch.path().join("project"))
        .read_only_root(scratch.path().join("manual"))
        .protect("*.lock")
        .build()
        .unwrap();
    let filter = workspace_filter(&workspace);
    let manual = scratch.path().join("manual").to_string_lossy().into_owned();

    for (command, verdict) in [
        ("touch a".to_owned(), CommandVerdict::Confine),
        ("touch Cargo.lock".to_owned(), CommandVerdict::Ask),
        (
            "touch .toolwright/policy.json".to_owned(),
            CommandVerdict::Ask,
        ),
        (format!("cat {manual}/a"), CommandVerdict::Allow),
    ] {
        assert_eq!(filter.judge(&command).verdict(), verdict, "{command}");
    }
    let there = filter.clone().with_working_directory(&manual);
    assert!(there.starts_inside());
    assert_eq!(there.judge("touch a").verdict(), CommandVerdict::Ask);
    assert!(!filter.with_working_directory("/etc").starts_inside());
}

#[test]
fn sandbox_decides_about_confined_commands() {
    let guard = Guard::with(CommandFilter::standard(["/srv/app"]));
    let asks = |text: &str, is_confined: bool| {
        let assessment = findings(&guard, text, is_confined);
        assessment.reason().is_some()
    };

    for (text, without, within) in [
        ("ls", false, false),
        ("make", true, false),
        ("rm -rf src", true, true),
        ("curl h", true, true),
    ] {
        assert_eq!(
            (asks(text, false), asks(text, true)),
            (without, within),
            "{text}"
        );
    }
}

#[test]
fn risk_follows_verdict() {
    use tool_core::RiskLevel::{Dangerous, ReadOnly, SafeWrite};
    let guard = Guard::with(CommandFilter::standard(["/srv/app"]));
    let line = |text: &str| Invocation::Line(text.to_owned());
    let risk = |text: &str, is_confined: bool| {
        let judged = guard.judge(&line(text), ".");
        judged.map_or(Dangerous, |judged| judged.risk(is_confined))
    };

    for (text, without, within) in [
        ("ls", ReadOnly, ReadOnly),
        ("make", Dangerous, SafeWrite),
        ("rm -rf src", Dangerous, Dangerous),
        ("sudo id", Dangerous, Dangerous),
    ] {
        assert_eq!(
            (risk(text, false), risk(text, true)),
            (without, within),
            "{text}"
        );
    }
    let judged = Guard::disabled().judge(&line("ls"), ".").unwrap();
    assert_eq!(judged.risk(true), Dangerous);
}
