//! Approval prompts and matching of approval rules.

use std::sync::{Arc, Mutex};

use tool_core::Registry;
use tool_core::approval::{Answer, Policy, Rule, Verdict, approver_fn};

use super::*;
use crate::{Kit, Workspace};

/// Returns a registry with the toolset's own policy and `rule`, and its prompts. All of them are
/// approved.
fn asking(scratch: &Scratch, rule: Option<Rule>) -> (Registry, Arc<Mutex<Vec<String>>>) {
    answering(scratch, rule, Answer::Approve)
}

fn answering(
    scratch: &Scratch,
    rule: Option<Rule>,
    answer: Answer,
) -> (Registry, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let questions = Arc::clone(&asked);
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
    let policy: Policy = rule.into_iter().fold(CliAgent.policy(), Policy::with_rule);
    let registry = Registry::builder()
        .policy(policy)
        .approver(approver_fn(move |request| {
            questions.lock().unwrap().push(format!("{request:#}"));
            answer.clone()
        }))
        .toolset(&CliAgent.toolset(&kit).unwrap())
        .unwrap()
        .build();
    (registry, asked)
}

#[tokio::test]
async fn prompt_matches_document() {
    let scratch = Scratch::new();
    let (registry, asked) = asking(&scratch, None);

    let arguments = json!({"path": "hello.py", "content": "x".repeat(20)});
    registry.execute("create_file", arguments).await;

    assert_eq!(
        *asked.lock().unwrap(),
        [
            "Tool: create_file\nParameters:\n  path: hello.py\n  content: <20 bytes>\nFiles affected: hello.py\n\
          Risk level: safe_write\n\nApprove? (y/n/always): "
        ]
    );
}

#[tokio::test]
async fn grants_follow_the_risk_of_the_documented_prompt() {
    let scratch = Scratch::new();
    let (registry, asked) = answering(&scratch, None, Answer::Deny { reason: None });
    for (command, end) in [
        ("true", "\nRisk level: dangerous\n\nApprove? (y/n/always): "),
        (
            "npm i; curl https://a.example; pip install x; git push; docker ps",
            "\nRisk level: dangerous\nApproval gives: network; services\n\nApprove? (y/n/always): ",
        ),
    ] {
        asked.lock().unwrap().clear();

        registry
            .execute("run_in_terminal", json!({"command": command}))
            .await;

        let asked = asked.lock().unwrap();
        assert!(
            asked[0].starts_with("Tool: run_in_terminal\nParameters:\n"),
            "{asked:?}"
        );
        assert!(asked[0].ends_with(end), "{asked:?}");
    }
}

#[tokio::test]
async fn writes_and_commands_require_approval_and_reads_do_not() {
    let scratch = Scratch::new().file("a.txt", "a");
    let (registry, asked) = asking(&scratch, None);
    for (tool, arguments, asks) in [
        ("create_file", json!({"path": "b.txt", "content": ""}), true),
        ("read_file", json!({"path": "a.txt"}), false),
        (
            "replace_string_in_file",
            json!({"path": "a.txt", "old_string": "a", "new_string": "b"}),
            true,
        ),
        ("list_dir", json!({}), false),
        ("file_search", json!({"pattern": "*"}), false),
        ("grep_search", json!({"pattern": "a"}), false),
        ("run_in_terminal", json!({"command": "true"}), true),
        ("terminal_last_command", json!({}), false),
        ("create_directory", json!({"path": "new"}), true),
    ] {
        asked.lock().unwrap().clear();

        let result = registry.execute(tool, arguments).await;

        assert!(result.success, "{tool}: {result}");
        assert_eq!(!asked.lock().unwrap().is_empty(), asks, "{tool}");
    }
}

#[tokio::test]
async fn rule_matches_documented_call() {
    let rule = || {
        Rule::new("texts", "create_directory", Verdict::Allow)
            .with_pattern(r#"^{"path":".*\\.txt"}$"#)
    };
    for (path, asks) in [("test.txt", false), ("test.text", true)] {
        let scratch = Scratch::new();
        let (registry, asked) = asking(&scratch, Some(rule()));

        registry
            .execute("create_directory", json!({"path": path}))
            .await;

        assert_eq!(!asked.lock().unwrap().is_empty(), asks, "{path}");
    }
}

#[tokio::test]
async fn calls_that_cannot_work_fail_before_anyone_is_asked() {
    let scratch = Scratch::new().file("a.txt", "one\n").link("out", "/etc");
    let (registry, asked) = asking(&scratch, None);
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
    let unattended = Registry::builder()
        .policy(CliAgent.policy())
        .toolset(&CliAgent.toolset(&kit).unwrap())
        .unwrap()
        .build();
    let replace = |path| json!({"path": path, "old_string": "two", "new_string": "2"});
    for (tool, arguments, text) in [
        (
            "create_file",
            json!({"path": "../b.txt", "content": ""}),
            "Error: Path '../b.txt' is outside working directory",
        ),
        (
            "create_file",
            json!({"path": "out/passwd", "content": ""}),
            "Error: Path 'out/passwd' is outside working directory",
        ),
        (
            "create_file",
            json!({"path": "a.txt", "content": ""}),
            "Error: File 'a.txt' already exists. Use replace_string_in_file to modify",
        ),
        (
            "replace_string_in_file",
            replace("../a.txt"),
            "Error: Path '../a.txt' is outside working directory",
        ),
        (
            "replace_string_in_file",
            replace("b.txt"),
            "Error: File 'b.txt' not found",
        ),
        (
            "replace_string_in_file",
            replace("a.txt"),
            "Error: String 'two' not found in file",
        ),
        (
            "create_directory",
            json!({"path": "../b"}),
            "Error: Path '../b' is outside working directory",
        ),
        (
            "create_directory",
            json!({"path": "a.txt"}),
            "Error: Path 'a.txt' exists as a file, cannot create directory",
        ),
    ] {
        for registry in [&registry, &unattended] {
            let result = registry.execute(tool, arguments.clone()).await;

            assert_eq!(result.text(), text);
        }
    }
    assert!(asked.lock().unwrap().is_empty());
}
