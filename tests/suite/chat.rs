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
    for part in [
        "No model runs: a script replies.",
        "Leave with `exit`, `quit` or Ctrl-D.",
        "✓ list",
        "✓ read",
        "Tulips are red.",
    ] {
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
    terminal.write("write b.md Roses.\ny\n\nexit\n");

    let mut command = chat(&garden, &records, &[]);
    let output = command.stdin(terminal.other_end()).output().unwrap();

    assert!(output.status.success(), "{output:?}");
    assert_eq!(garden.read("b.md"), "Roses.\n");
    assert!(entries(&records).contains(&"started".to_owned()));
}

#[cfg(target_os = "linux")]
#[test]
fn reason_reaches_model_and_rule_allows_later_calls() {
    let (garden, records) = places();
    let terminal = crate::terminal::Terminal::open();
    let first = "write notes/b.md Roses.\nn Use another file.\n";
    let then = "write notes/c.md Roses.\nrule\nwrite notes/d.md Lilies.\nexit\n";
    terminal.write(&format!("{first}{then}"));

    let mut command = chat(&garden, &records, &[]);
    let output = command.stdin(terminal.other_end()).output().unwrap();

    let text = stdout(&output);
    assert!(output.status.success(), "{output:?}");
    assert!(text.contains("Use another file."), "{text}");
    assert!(text.contains("rule (allow writing notes/**)"), "{text}");
    assert!(!garden.has("notes/b.md"));
    assert_eq!(garden.read("notes/d.md"), "Lilies.\n");
}

#[cfg(target_os = "linux")]
#[test]
fn interrupt_keeps_transcript_and_report() {
    let (garden, records) = places();
    let options = ["--report", "chat.html"];
    let mut command = chat(&garden, &records, &options);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"read a.md\n").unwrap();
    // The last of its records; the pipe stays open, so the chat waits for the next line.
    while !records.has("chat.jsonl") || entries(&records).len() < 5 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }

    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();

    let output = child.wait_with_output().unwrap();
    drop(input);
    assert!(output.status.success(), "{output:?}");
    assert!(stdout(&output).contains("Report: chat.html"), "{output:?}");
    assert!(records.read("chat.html").contains(r#""name":"read""#));
}
