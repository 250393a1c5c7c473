//! Programs that run without a shell.

use tool_core::approval::{Rule, Verdict};
use tool_core::{CallArguments, ErrorCode};

use super::*;

async fn run(arguments: Value) -> ToolResult {
    let scratch = Scratch::new().file("sub/here.txt", "found\n");
    call(&scratch, "run_command", arguments).await
}

#[tokio::test]
async fn splits_command_lines_and_argument_strings() {
    for (arguments, text) in [
        (json!({"command": "echo"}), "\n"),
        (json!({"command": "echo a  b"}), "a b\n"),
        (json!({"command": "echo 'a  b'"}), "a  b\n"),
        (
            json!({"command": "echo", "arguments": "a  'b  c'"}),
            "a b  c\n",
        ),
        (json!({"command": "echo a", "arguments": " "}), "a\n"),
        (json!({"command": " echo ", "arguments": "a"}), "a\n"),
        (json!({"command": "echo $HOME *"}), "$HOME *\n"),
    ] {
        let result = run(arguments.clone()).await;

        assert_eq!(result.text(), text, "{arguments}");
    }
}

#[tokio::test]
async fn rejects_invalid_arguments_before_running() {
    for (arguments, parameter) in [
        (json!({"command": ""}), "command"),
        (json!({"command": "  "}), "command"),
        (json!({"command": "''"}), "command"),
        (json!({"command": " ", "arguments": "a"}), "command"),
        (json!({"command": "echo it's"}), "command"),
        (
            json!({"command": "echo", "arguments": "\"open"}),
            "arguments",
        ),
        (
            json!({"command": "echo", "arguments": "end\\"}),
            "arguments",
        ),
        (
            json!({"command": "echo", "timeout_seconds": 0}),
            "timeout_seconds",
        ),
    ] {
        let error = run(arguments.clone()).await.error.unwrap();

        assert_eq!(error.code, ErrorCode::InvalidArguments, "{arguments}");
        assert_eq!(error.parameter.as_deref(), Some(parameter), "{arguments}");
    }
}

#[tokio::test]
async fn misplaced_arguments_suggest_correct_form() {
    for (arguments, suggestion) in [
        (
            json!({"command": "git status", "arguments": "-s"}),
            "Pass only the program as the command, and the rest as arguments.",
        ),
        (
            json!({"command": "FOO=1 env"}),
            "Run `env` with the variables and the program as its arguments. Commands run without a shell.",
        ),
        (
            json!({"command": "cd sub"}),
            "Each command starts in the same directory, so pass paths relative to it.",
        ),
    ] {
        let error = run(arguments).await.error.unwrap();

        assert_eq!(
            (error.code, error.suggestion.as_deref()),
            (ErrorCode::CommandNotFound, Some(suggestion))
        );
    }
}

#[test]
fn rules_match_program_and_arguments_as_passed() {
    let scratch = Scratch::new();
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
    let rule = Rule::new("git", "run_command", Verdict::Deny)
        .with_pattern(r#"\{"arguments":"status.*","command":"git".*"#);
    let registry = Registry::builder()
        .policy(Policy::allow_all().with_rule(rule))
        .toolset(&super::super::dracode(&kit).unwrap())
        .unwrap()
        .build();
    for (arguments, verdict) in [
        (
            json!({"command": "git", "arguments": "status -s"}),
            Verdict::Deny,
        ),
        (json!({"command": "git status -s"}), Verdict::Allow),
    ] {
        let call = CallArguments::from(arguments.clone());

        let explanation = registry.explain("run_command", &call).unwrap();

        assert_eq!(explanation.verdict, verdict, "{arguments}");
    }
}
