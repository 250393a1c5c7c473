//! Calls that are stopped by their timeout or by the user.

use std::fs;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::run;

/// Starts the program and waits for a process whose command line contains `mark`.
fn started(arguments: &[&str], input: &str, mark: &str) -> Child {
    let mut child = Command::new(super::PROGRAM.as_path())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let source = child.stdin.as_mut().unwrap();
    source.write_all(input.as_bytes()).unwrap();
    await_process(mark);
    child
}

fn await_process(mark: &str) {
    let runs = || processes(mark).iter().any(|line| line.starts_with("sleep"));
    let seen = (0..500).any(|_| {
        thread::sleep(Duration::from_millis(20));
        runs()
    });
    assert!(seen, "the command was not started");
}

/// Returns the command lines that contain `mark`.
fn processes(mark: &str) -> Vec<String> {
    let found = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = found.filter_map(|process| fs::read_to_string(process.path().join("cmdline")).ok());
    lines.filter(|line| line.contains(mark)).collect()
}

fn interrupt(child: &Child) {
    let sent = Command::new("sh")
        .args(["-c", &format!("kill -INT {}", child.id())])
        .status()
        .unwrap();
    assert!(sent.success());
}

#[test]
fn timeout_kills_processes() {
    let arguments = r#"{"command": "sleep 8642.25"}"#;
    let options = ["--approve", "all", "--timeout", "0.2"];

    let run = run(&[&["call", "bash", arguments], &options[..]].concat(), "");

    assert_eq!(run.document()["error"]["code"], "timeout");
    assert_eq!(processes("8642.25"), Vec::<String>::new());
}

#[test]
fn interrupted_call_prints_result() {
    let arguments = r#"{"command": "sleep 8642.5"}"#;
    let options = ["call", "bash", arguments, "--approve", "all"];
    let child = started(&options, "", "8642.5");

    interrupt(&child);
    let output = child.wait_with_output().unwrap();

    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(result["error"]["code"], "cancelled");
    assert_eq!(processes("8642.5"), Vec::<String>::new());
}

#[test]
fn interrupted_batch_prints_results_of_started_calls() {
    let arguments = json!({"command": "sleep 8642.75"});
    let line = json!({"id": 1, "tool": "bash", "arguments": arguments});
    let child = started(
        &["batch", "--approve", "all"],
        &format!("{line}\n"),
        "8642.75",
    );

    interrupt(&child);
    let output = child.wait_with_output().unwrap();

    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["error"]["code"], "cancelled");
    assert_eq!(processes("8642.75"), Vec::<String>::new());
}
