//! What is told of a command that the call's own timeout ends.

use std::time::Duration;

use serde_json::{Value, json};
use tool_core::{CallOptions, ToolCall};
use tool_test::Scratch;

use super::{ContractSet, testing};

#[cfg(unix)]
#[tokio::test]
async fn a_command_that_the_call_ends_tells_what_came_so_far() {
    let slow = "echo so far; sleep 30";
    let shell = json!({"command": slow});
    let program = json!({"command": "sh", "arguments": "-c 'echo so far; sleep 30'"});
    for (set, tool, arguments, text) in [
        (ContractSet::Standard, "bash", &shell, "timed out after"),
        (
            ContractSet::Standard,
            "run_command",
            &program,
            "timed out after",
        ),
        (
            ContractSet::Dracode,
            "run_command",
            &program,
            "Error: Process timed out",
        ),
        (ContractSet::Ryan, "execute_bash", &shell, "timed out after"),
        (
            ContractSet::CliAgent,
            "run_in_terminal",
            &shell,
            "Error: Command timed out after",
        ),
        (ContractSet::Assistant, "bash", &shell, "timed out after"),
    ] {
        let scratch = Scratch::new();
        let registry = testing::registry(set, &scratch);
        let call = ToolCall::new(tool, arguments.clone());
        let options = CallOptions::default().with_timeout(Duration::from_millis(600));

        let result = registry.execute_call(&call, &options).await;

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
