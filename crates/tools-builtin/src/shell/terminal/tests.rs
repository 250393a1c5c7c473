use tool_core::{Engine, ErrorCode, Limits, Timestamp, ToolContext};

use super::*;

fn executed(command: &str, exit_code: Option<i32>, output: &str) -> ExecutedCommand {
    ExecutedCommand {
        command: command.to_owned(),
        exit_code,
        executed_at: Timestamp::parse("2025-11-10T10:05:00Z").unwrap(),
        output: output.to_owned(),
    }
}

async fn told(
    history: &TerminalHistory,
    limits: &Limits,
) -> Result<ExecutedCommand, tool_core::ToolError> {
    LastCommand::new(history.clone())
        .run(&ToolContext::test(), LastCommandInput {}, limits)
        .await
}

#[tokio::test]
async fn a_session_without_commands_says_so() {
    let error = told(&TerminalHistory::default(), &Limits::default())
        .await
        .unwrap_err();

    assert_eq!(error.code(), &ErrorCode::NoPreviousCommand);
    assert_eq!(
        error.to_string(),
        "No previous command in this session. Run a command first."
    );
}

#[tokio::test]
async fn the_command_that_ended_last_is_told() {
    let history = TerminalHistory::default();
    history.record(executed("first", Some(0), "one\n"));
    history.record(executed("second", Some(1), "two\n"));

    let last = told(&history, &Limits::default()).await.unwrap();

    assert_eq!(last, executed("second", Some(1), "two\n"));
}

#[tokio::test]
async fn sessions_know_nothing_of_each_other() {
    let (one, other) = (TerminalHistory::default(), TerminalHistory::default());
    one.clone().record(executed("ls", Some(0), ""));

    assert_eq!(one.last(), Some(executed("ls", Some(0), "")));
    assert_eq!(other.last(), None);
}

#[tokio::test]
async fn the_output_stays_within_the_limits() {
    let history = TerminalHistory::default();
    history.record(executed("seq 3", Some(0), "1\n2\n3\n"));

    let last = told(&history, &Limits::lines(1)).await.unwrap();

    assert_eq!(last.output, "1\n[… 2 lines more]");
}

#[test]
fn what_the_model_reads_says_how_the_command_ended() {
    for (command, text) in [
        (
            executed("ls", Some(0), "a\nb\n"),
            "Last command: ls\nRun at 2025-11-10T10:05:00.000Z, exit code 0\nOutput: a\nb",
        ),
        (
            executed("sleep 9", None, ""),
            "Last command: sleep 9\nRun at 2025-11-10T10:05:00.000Z, ended before its time\nIt wrote nothing.",
        ),
    ] {
        assert_eq!(LastCommand::render(&command), text);
    }
}

#[test]
fn the_data_holds_the_time_as_text() {
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
