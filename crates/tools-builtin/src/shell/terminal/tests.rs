use std::time::Duration;

use serde_json::{Value, json};
use tool_core::approval::{Answer, Policy, approver_fn};
use tool_core::{CallOptions, Registry, Timestamp, ToolCall, ToolContext, ToolResult, TypedTool};
use tool_test::Scratch;

use super::*;
use crate::{Kit, Workspace, toolsets};

/// Tools that record their commands.
struct Session {
    registry: Registry,
    history: TerminalHistory,
}

fn session(scratch: &Scratch) -> Session {
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
    let toolset = toolsets::standard(&kit).unwrap();
    let builder = Registry::builder()
        .policy(Policy::allow_all())
        .approver(approver_fn(|_| Answer::Approve))
        .toolset(&toolset)
        .unwrap();
    Session {
        registry: builder.build(),
        history: kit.terminal_history().clone(),
    }
}

impl Session {
    async fn execute(&self, tool: &str, arguments: Value) -> ToolResult {
        self.registry.execute(tool, arguments).await
    }

    fn last(&self) -> Value {
        let mut data = serde_json::to_value(self.history.last()).unwrap();
        if let Some(data) = data.as_object_mut() {
            data.remove("executed_at");
        }
        data
    }
}

fn executed(command: &str, exit_code: Option<i32>, output: &str) -> ExecutedCommand {
    ExecutedCommand {
        command: command.to_owned(),
        exit_code,
        executed_at: Timestamp::parse("2025-11-10T10:05:00Z").unwrap(),
        output: output.to_owned(),
    }
}

#[tokio::test]
async fn sessions_are_isolated() {
    let (one, other) = (TerminalHistory::default(), TerminalHistory::default());
    one.clone().record(executed("ls", Some(0), ""));

    assert_eq!(one.last(), Some(executed("ls", Some(0), "")));
    assert_eq!(other.last(), None);
}

#[test]
fn data_contains_time_as_string() {
    assert_eq!(
        serde_json::to_value(executed("ls", None, "a")).unwrap(),
        serde_json::json!({
            "command": "ls",
            "exit_code": null,
            "executed_at": "2025-11-10T10:05:00.000Z",
            "output": "a",
        })
    );
}

#[tokio::test]
async fn commands_are_recorded() {
    let scratch = Scratch::new();
    let session = session(&scratch);
    for (command, output) in [
        ("echo one >&2; true", "one\n"),
        ("printf '%s\\n' \\\n größe", "größe\n"),
    ] {
        let result = session.execute("bash", json!({"command": command})).await;
        assert!(result.success);

        let last = session.last();

        let expected = json!({"command": command, "exit_code": 0, "output": output});
        assert_eq!(last, expected);
    }
}

#[tokio::test]
async fn rejected_and_background_commands_are_not_recorded() {
    let scratch = Scratch::new();
    let session = session(&scratch);
    session
        .execute("bash", json!({"command": "echo kept"}))
        .await;
    for (tool, arguments) in [
        ("bash", json!({"command": "sudo ls"})),
        ("bash", json!({"command": " "})),
        ("bash", json!({"command": "true", "cwd": "none"})),
        ("bash", json!({"command": "true", "timeout_seconds": 0})),
        ("bash", json!({"command": "echo later", "background": true})),
    ] {
        session.execute(tool, arguments.clone()).await;

        let last = session.last();

        let expected = json!({"command": "echo kept", "exit_code": 0, "output": "kept\n"});
        assert_eq!(last, expected, "{tool} {arguments}");
    }
}

#[tokio::test]
async fn killed_commands_are_recorded_with_output() {
    let scratch = Scratch::new();
    let session = session(&scratch);
    let slow = ToolCall::new("bash", json!({"command": "echo begun; sleep 30"}));
    let options = CallOptions::default().with_timeout(Duration::from_millis(1500));
    for (call, command, output) in [
        (slow, "echo begun; sleep 30", "begun\n"),
        (
            ToolCall::new("bash", json!({"command": "echo up; kill -9 $$"})),
            "echo up; kill -9 $$",
            "up\n",
        ),
    ] {
        session.registry.execute_call(&call, &options).await;

        let last = session.last();

        let expected = json!({"command": command, "exit_code": null, "output": output});
        assert_eq!(last, expected);
    }
}

#[tokio::test]
async fn records_last_finished_of_concurrent_commands() {
    let scratch = Scratch::new();
    let history = TerminalHistory::default();
    let workspace = Workspace::open(scratch.path()).unwrap();
    let bash = crate::shell::Bash::new(workspace).with_history(history.clone());
    let cx = ToolContext::test();
    let input = |command: &str| serde_json::from_value(json!({"command": command})).unwrap();

    let fast = async {
        let output = bash.run(&cx, input("echo fast")).await;
        std::fs::write(scratch.path().join("recorded"), "").unwrap();
        output
    };
    let slow = "while ! [ -e recorded ]; do sleep 0.01; done; echo slow";
    let (slow, fast) = tokio::join!(bash.run(&cx, input(slow)), fast);

    assert!(slow.is_ok() && fast.is_ok());
    assert_eq!(history.last().unwrap().output, "slow\n");
}

#[tokio::test]
async fn keeps_both_ends_of_long_output() {
    let scratch = Scratch::new();
    let session = session(&scratch);
    let command =
        json!({"command": "echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo last"});
    assert!(session.execute("bash", command).await.success);

    let last = session.last();

    let output = last["output"].as_str().unwrap();
    assert!(output.starts_with("first\nxxx"), "{}", output.len());
    assert!(output.ends_with("xxxlast\n"), "{}", output.len());
    assert!(output.len() < 3_000_000, "{}", output.len());
}

#[tokio::test]
async fn replaces_invalid_utf8() {
    let scratch = Scratch::new();
    let session = session(&scratch);
    let command = json!({"command": r"printf 'a\377b\033[1m\n'"});
    session.execute("bash", command).await;

    let last = session.last();

    assert_eq!(last["output"], "a\u{fffd}b\u{1b}[1m\n");
}

#[cfg(feature = "document-sets")]
#[tokio::test]
async fn document_set_ignores_arguments() {
    let scratch = Scratch::new();
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
    let session = Registry::builder()
        .toolset(&toolsets::cli_agent(&kit).unwrap())
        .unwrap()
        .build();

    let result = session
        .execute("terminal_last_command", json!({"count": 5}))
        .await;

    assert_eq!(
        result.error.unwrap().code,
        tool_core::ErrorCode::NoPreviousCommand
    );
    assert_eq!(result.warnings.len(), 1);
}
