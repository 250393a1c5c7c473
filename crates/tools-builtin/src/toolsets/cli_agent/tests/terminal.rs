//! Terminal tools.

use super::*;

#[tokio::test]
async fn command_returns_output_and_counts() {
    let scratch = Scratch::new();

    let arguments = json!({"command": "printf '1\\n2\\n3\\n4\\n5\\n'"});
    let form = response(&scratch, "run_in_terminal", arguments).await;

    assert_eq!(
        form,
        json!({
            "success": true,
            "output": "Command output:\n1\n2\n3\n4\n5\n",
            "files_affected": [],
            "metadata": {"exit_code": 0, "stdout_lines": 5, "stderr_lines": 0},
        })
    );
}

#[tokio::test]
async fn output_ends_with_newline_and_includes_stderr() {
    for (command, output) in [
        ("printf one", "Command output:\none\n"),
        ("true", "Command output:\n"),
        (
            "echo one; echo two >&2",
            "Command output:\none\nstderr:\ntwo\n",
        ),
    ] {
        let result = call(
            &Scratch::new(),
            "run_in_terminal",
            json!({"command": command}),
        )
        .await;

        assert_eq!(
            (result.text().as_str(), result.success),
            (output, true),
            "{command}"
        );
    }
}

#[tokio::test]
async fn errors_match_document() {
    assert_errors(
        &Scratch::new(),
        &[
            (
                "run_in_terminal",
                json!({"command": "invalid_cmd"}),
                "Error: Command 'invalid_cmd' not found",
                "command_not_found",
            ),
            (
                "run_in_terminal",
                json!({"command": "sleep 9", "timeout_seconds": 1}),
                "Error: Command timed out after 1 seconds",
                "timeout",
            ),
            (
                "run_in_terminal",
                json!({"command": "echo broken >&2; exit 1"}),
                "Error: Command failed with exit code 1:\nbroken",
                "command_failed",
            ),
            (
                "run_in_terminal",
                json!({"command": "kill -9 $$"}),
                "Error: Command was killed by signal 9:\n",
                "command_failed",
            ),
            (
                "run_in_terminal",
                json!({"command": "true", "timeout_seconds": 0}),
                "Error: `timeout_seconds` must be from 1 to 300, not 0. Use 1, or omit it.",
                "invalid_arguments",
            ),
            (
                "run_in_terminal",
                json!({"command": "true", "timeout_seconds": 301}),
                "Error: `timeout_seconds` must be from 1 to 300, not 301. Use 300, or omit it.",
                "invalid_arguments",
            ),
            (
                "terminal_last_command",
                json!({}),
                "Error: No previous command in this session",
                "no_previous_command",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn failure_keeps_data_and_stdout() {
    let arguments = json!({"command": "echo 3 tests failed; echo broken >&2; exit 101"});

    let result = call(&Scratch::new(), "run_in_terminal", arguments).await;

    assert_eq!(
        result.text(),
        "Error: Command failed with exit code 101:\nbroken\nCommand output:\n3 tests failed\n"
    );
    assert_eq!(result.data.as_ref().unwrap()["exit_code"], 101);
    assert_eq!(
        json!(CliAgentResult::of(&result))["metadata"],
        json!({"exit_code": 101, "stdout_lines": 1, "stderr_lines": 1})
    );
}

#[tokio::test]
async fn last_command_returns_output() {
    let scratch = Scratch::new();
    let registry = testing::registry(CliAgent, &scratch);
    let command = "echo clean";

    registry
        .execute("run_in_terminal", json!({"command": command}))
        .await;
    let result = registry.execute("terminal_last_command", json!({})).await;

    let metadata = &result.metadata.extra;
    let executed_at = metadata["executed_at"].as_str().unwrap();
    assert_eq!(result.text(), "Last command: echo clean\nOutput: clean");
    assert_eq!(
        (&metadata["command"], &metadata["exit_code"]),
        (&json!(command), &json!(0))
    );
    assert_eq!(
        executed_at.len(),
        "2025-11-10T10:05:00Z".len(),
        "{executed_at}"
    );
    assert_eq!(metadata.len(), 3);
}
