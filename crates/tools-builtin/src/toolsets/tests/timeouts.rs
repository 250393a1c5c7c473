//! Output of a command that exceeds the timeout of the call.

use std::time::Duration;

use serde_json::{Value, json};
use tool_core::{CallOptions, ToolCall, ToolResult};
use tool_test::Scratch;

use crate::toolsets::{ToolsetName, testing};

/// Runs a call whose timeout is shorter than its command.
async fn ended_early(set: ToolsetName, tool: &'static str, arguments: Value) -> ToolResult {
    let scratch = Scratch::new();
    let registry = testing::registry(set, &scratch);
    let call = ToolCall::new(tool, arguments);
    let options = CallOptions::default().with_timeout(Duration::from_millis(1500));
    registry.execute_call(&call, &options).await
}

#[cfg(unix)]
#[tokio::test]
async fn call_timeout_keeps_partial_output() {
    use ToolsetName::{Assistant, CliAgent, Dracode, Ryan, Standard};

    let slow = "echo so far; sleep 30";
    let shell = json!({"command": slow});
    let program = json!({"command": "sh", "arguments": "-c 'echo so far; sleep 30'"});
    let cases = [
        (Standard, "bash", &shell, "timed out after"),
        (Dracode, "run_command", &program, "Error: Process timed out"),
        (Ryan, "execute_bash", &shell, "timed out after"),
        (
            CliAgent,
            "run_in_terminal",
            &shell,
            "Error: Command timed out after",
        ),
        (Assistant, "bash", &shell, "timed out after"),
    ];
    let calls = cases.map(|(set, tool, arguments, text)| {
        let call = tokio::spawn(ended_early(set, tool, arguments.clone()));
        (set, tool, call, text)
    });

    for (set, tool, call, text) in calls {
        let result = call.await.unwrap();

        let reported = result.text();
        let data = result.data.clone().unwrap_or_default();
        assert!(reported.contains(text), "{set} {tool}: {reported}");
        assert!(reported.contains("so far"), "{set} {tool}: {reported}");
        assert_eq!(
            (&data["stdout"], &data["timed_out"]),
            (&json!("so far\n"), &Value::Bool(true)),
            "{set} {tool}"
        );
    }
}
