//! Calls with a ledger, and the command `ledger`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tool_test::Scratch;

use super::{Run, run_in};

/// Appends a line to a file with a key.
fn append(scratch: &Scratch, key: &str, line: &str) -> Run {
    let arguments = json!({"path": "log.txt", "content": format!("{line}\n")}).to_string();
    let call = [
        "call",
        "append_file",
        &arguments,
        "--ledger",
        "calls.db",
        "--key",
        key,
        "--contract",
        "assistant",
    ];
    run_in(scratch, &call, "")
}

fn ledger(scratch: &Scratch, arguments: &[&str]) -> Run {
    run_in(
        scratch,
        &[&["ledger", "--ledger", "calls.db"], arguments].concat(),
        "",
    )
}

#[test]
fn call_runs_once_per_key() {
    let scratch = Scratch::new().file("log.txt", "");

    let first = append(&scratch, "order-7", "tea");
    let again = append(&scratch, "order-7", "tea");
    let other = append(&scratch, "order-8", "tea");
    let conflict = append(&scratch, "order-7", "coffee");

    assert_eq!(first.status, Some(0), "{}{}", first.output, first.errors);
    assert_eq!(
        (again.status, other.status),
        (Some(0), Some(0)),
        "{}",
        again.output
    );
    assert_eq!(again.document()["content"], first.document()["content"]);
    assert_eq!(scratch.read("log.txt"), "tea\ntea\n");
    assert_eq!(conflict.status, Some(1));
    assert_eq!(conflict.document()["error"]["code"], "key_conflict");
}

#[test]
fn call_without_key_is_recorded_and_runs_again() {
    let scratch = Scratch::new().file("log.txt", "");
    let arguments = json!({"path": "log.txt", "content": "tea\n"}).to_string();
    let call = [
        "call",
        "append_file",
        &arguments,
        "--ledger",
        "calls.db",
        "--contract",
        "assistant",
    ];

    let runs = [run_in(&scratch, &call, ""), run_in(&scratch, &call, "")];

    assert!(runs.iter().all(|run| run.status == Some(0)));
    assert_eq!(scratch.read("log.txt"), "tea\ntea\n");
    assert_eq!(ledger(&scratch, &["list"]).lines().len(), 2);
}

#[test]
fn list_selects_entries() {
    let scratch = Scratch::new().file("log.txt", "");
    append(&scratch, "a", "one");
    append(&scratch, "b", "two");
    let failed = run_in(
        &scratch,
        &[
            "call",
            "append_file",
            r#"{"path": "none.txt", "content": "x"}"#,
            "--ledger",
            "calls.db",
            "--key",
            "c",
            "--scope",
            "run/7",
            "--contract",
            "assistant",
        ],
        "",
    );
    assert_eq!(failed.status, Some(1));

    let keys = |arguments: &[&str]| -> Vec<Value> {
        let run = ledger(&scratch, &[&["list"], arguments].concat());
        assert_eq!(run.status, Some(0), "{}", run.errors);
        run.lines()
            .iter()
            .map(|entry| entry["key"].clone())
            .collect()
    };

    assert_eq!(keys(&[]), ["default/a", "default/b", "run/7/c"]);
    assert_eq!(keys(&["--scope", "run/7"]), ["run/7/c"]);
    assert_eq!(keys(&["--state", "done"]), ["default/a", "default/b"]);
    assert_eq!(keys(&["--state", "running", "--state", "unknown"]), [""; 0]);
    assert_eq!(keys(&["--tool", "write_file"]), [""; 0]);
    let wrong = ledger(&scratch, &["list", "--state", "lost"]);
    assert_eq!(wrong.status, Some(2));
    assert!(
        wrong.errors.contains("awaiting_approval, claimed"),
        "{}",
        wrong.errors
    );
}

#[test]
fn show_prints_entry_with_result() {
    let scratch = Scratch::new().file("log.txt", "");
    let arguments = json!({"path": "log.txt", "content": "tea\n"}).to_string();
    let call = [
        "call",
        "append_file",
        &arguments,
        "--ledger",
        "calls.db",
        "--scope",
        "run/7",
        "--key",
        "a/b",
        "--contract",
        "assistant",
    ];
    assert_eq!(run_in(&scratch, &call, "").status, Some(0));

    let shown = ledger(&scratch, &["show", "run/7/a/b"]);
    let missing = ledger(&scratch, &["show", "run/7/c"]);

    let entry = shown.document();
    assert_eq!(
        (&entry["state"], &entry["intent"]["tool"]),
        (&json!("done"), &json!("append_file"))
    );
    assert_eq!(entry["result"]["success"], true);
    assert_eq!((missing.status, missing.output.as_str()), (Some(1), ""));
    assert!(
        missing.errors.contains("`list` prints the keys"),
        "{}",
        missing.errors
    );
}

#[test]
fn unusable_ledger_prints_one_line() {
    let scratch = Scratch::new()
        .file("text.db", "not a database, but a text of more than one hundred bytes, so that it cannot be taken for an \
                          empty or a truncated file of SQLite")
        .folder("directory");
    for place in ["text.db", "directory", "missing/calls.db"] {
        let runs = [
            run_in(&scratch, &["ledger", "--ledger", place, "list"], ""),
            run_in(&scratch, &["call", "list", "--ledger", place], ""),
        ];
        for run in runs {
            assert_eq!(
                (run.status, run.output.as_str()),
                (Some(2), ""),
                "{place}: {}",
                run.errors
            );
            assert_eq!(run.errors.lines().count(), 1, "{}", run.errors);
            assert!(run.errors.contains(place), "{}", run.errors);
        }
    }
}

#[test]
fn key_requires_ledger() {
    let run = run_in(&Scratch::new(), &["call", "list", "--key", "a"], "");

    assert_eq!(run.status, Some(2));
    assert!(run.errors.contains("--ledger"), "{}", run.errors);
}

/// Starts a server, calls a tool with the key of a client, and returns the response.
fn serve_call(scratch: &Scratch, key: &str) -> Value {
    let mut child = Command::new(super::PROGRAM.as_path())
        .args([
            "serve",
            "--stdio",
            "--ledger",
            "calls.db",
            "--contract",
            "assistant",
        ])
        .current_dir(scratch.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let client = json!({"name": "test", "version": "1"});
    let session =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let call = json!({
        "name": "append_file", "arguments": {"path": "log.txt", "content": "tea\n"},
        "_meta": {"toolwright/idempotency-key": key},
    });
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for message in [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": session}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}),
    ] {
        writeln!(input, "{message}").unwrap();
    }
    let response = lines.find_map(|line| {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        (message["id"] == 1).then_some(message)
    });
    drop(input);
    child.wait().unwrap();
    response.unwrap()
}

#[test]
fn servers_share_ledger() {
    let scratch = Scratch::new().file("log.txt", "");

    let first = serve_call(&scratch, "order-7");
    let again = serve_call(&scratch, "order-7");
    let other = serve_call(&scratch, "order-8");

    assert_eq!(first["result"]["isError"], false, "{first}");
    assert_eq!(again["result"], first["result"]);
    assert_eq!(other["result"]["isError"], false, "{other}");
    assert_eq!(scratch.read("log.txt"), "tea\ntea\n");
    let entries = ledger(&scratch, &["list"]).lines();
    assert_eq!(entries[0]["key"], "mcp:local/order-7");
    let owner = entries[0]["by"].as_str().unwrap();
    assert!(owner.starts_with("toolbox "), "{owner}");
}
