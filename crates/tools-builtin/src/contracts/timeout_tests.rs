//! What is told of a command that the call's own timeout ends.

use std::time::Duration;

use serde_json::{Value, json};
use tool_core::{CallOptions, ToolCall, ToolResult};
use tool_test::Scratch;

use super::{ContractSet, testing};

/// A call that has less time than its command wants.
async fn ended_early(set: ContractSet, tool: &'static str, arguments: Value) -> ToolResult {
    let scratch = Scratch::new();
    let registry = testing::registry(set, &scratch);
    let call = ToolCall::new(tool, arguments);
    let options = CallOptions::default().with_timeout(Duration::from_millis(1500));
    registry.execute_call(&call, &options).await
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_that_the_call_ends_tells_what_came_so_far() {
    use ContractSet::{Assistant, CliAgent, Dracode, Ryan, Standard};

    let slow = "echo so far; sleep 30";
    let shell = json!({"command": slow});
    let program = json!({"command": "sh", "arguments": "-c 'echo so far; sleep 30'"});
    let cases = [
        (Standard, "bash", &shell, "timed out after"),
        (Standard, "run_command", &program, "timed out after"),
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

        let told = result.text();
        let data = result.data.clone().unwrap_or_default();
        assert!(told.contains(text), "{set} {tool}: {told}");
        assert!(told.contains("so far"), "{set} {tool}: {told}");
        assert_eq!(
            (&data["stdout"], &data["timed_out"]),
            (&json!("so far\n"), &Value::Bool(true)),
            "{set} {tool}"
        );
    }
}
