//! The example `chat` with piped input and at a terminal.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tool_test::Scratch;

use crate::program::program;

/// Creates a garden with one file, and a directory for the records.
fn places() -> (Scratch, Scratch) {
    (
        Scratch::new().file("a.md", "Tulips are red.\n"),
        Scratch::new(),
    )
}

fn chat(garden: &Scratch, records: &Scratch, options: &[&str]) -> Command {
    let mut command = Command::new(program("chat"));
    command
        .arg("--workspace")
        .arg(garden.path())
        .args(["--transcript", "chat.jsonl"])
        .args(options)
        .current_dir(records.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn with_input(mut command: Command, lines: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // A program that rejects its options closes the pipe.
    let _ = input.write_all(lines.as_bytes());
    drop(input);
    child.wait_with_output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Returns the roles of the recorded messages, and `started` for the start of a call.
fn entries(records: &Scratch) -> Vec<String> {
    let lines = records.read("chat.jsonl");
    let kind = |line: &str| {
        let entry: Value = serde_json::from_str(line).unwrap();
        let role = entry.pointer("/message/role").and_then(Value::as_str);
        role.unwrap_or("started").to_owned()
    };
    lines.lines().map(kind).collect()
}

#[test]
fn piped_chat_replies_and_records_each_message() {
    let (garden, records) = places();

    let output = with_input(chat(&garden, &records, &[]), "list\nread a.md\n");

    let text = stdout(&output);
    assert!(output.status.success(), "{text}");
    for part in ["✓ list", "✓ read", "Tulips are red."] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let turn = ["user", "assistant", "tool", "assistant"];
    let expected: Vec<&str> = std::iter::once("system").chain(turn).chain(turn).collect();
    assert_eq!(entries(&records), expected);
}

#[test]
fn piped_chat_denies_writes() {
    let (garden, records) = places();

    let output = with_input(chat(&garden, &records, &[]), "write b.md Roses.\n");

    assert!(output.status.success());
    assert!(stdout(&output).contains("✗ write"), "{output:?}");
    assert!(!garden.has("b.md"));
}

#[test]
fn resume_continues_conversation_and_report_shows_it() {
    let (garden, records) = places();
    with_input(chat(&garden, &records, &[]), "list\n");

    let again = with_input(chat(&garden, &records, &[]), "list\n");
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(again.stderr).unwrap(),
        "error: `chat.jsonl` exists; add --resume to continue it\n"
    );

    let options = ["--resume", "--report", "chat.html"];
    let output = with_input(chat(&garden, &records, &options), "read a.md\n");
    assert!(output.status.success(), "{output:?}");
    let roles = entries(&records);
    assert_eq!(roles.iter().filter(|role| *role == "user").count(), 2);
    let page = records.read("chat.html");
    assert!(page.contains("Content-Security-Policy"));
    assert!(page.contains(r#""name":"read""#));
}

#[test]
fn resume_finishes_interrupted_turn_first() {
    let (garden, records) = places();
    with_input(chat(&garden, &records, &[]), "read a.md\n");
    // The record of a process that ended during the call.
    let lines = records.read("chat.jsonl");
    let kept: String = lines.split_inclusive('\n').take(3).collect();
    std::fs::write(records.path().join("chat.jsonl"), kept).unwrap();

    let output = with_input(chat(&garden, &records, &["--resume"]), "");

    assert!(stdout(&output).contains("Tulips are red."), "{output:?}");
    assert_eq!(
        entries(&records),
        ["system", "user", "assistant", "tool", "assistant"]
    );
}

#[cfg(target_os = "linux")]
#[test]
fn approved_write_runs_at_terminal() {
    let (garden, records) = places();
    let terminal = crate::terminal::Terminal::open();
    terminal.write("write b.md Roses.\ny\n\n");

    let mut command = chat(&garden, &records, &[]);
    let output = command.stdin(terminal.other_end()).output().unwrap();

    assert!(output.status.success(), "{output:?}");
    assert_eq!(garden.read("b.md"), "Roses.\n");
    assert!(entries(&records).contains(&"started".to_owned()));
}
