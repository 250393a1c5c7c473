//! `batch`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tool_test::Scratch;

use super::{Run, json_lines, run_in};

fn batch(scratch: &Scratch, options: &[&str], lines: &[Value]) -> Run {
    run_in(scratch, &[&["batch"], options].concat(), &json_lines(lines))
}

fn ids(run: &Run) -> Vec<Value> {
    run.lines().iter().map(|line| line["id"].clone()).collect()
}

#[test]
fn results_are_in_input_order() {
    let scratch = Scratch::new().file("a.txt", "text");
    let slow = json!({"id": "slow", "tool": "bash", "arguments": {"command": "sleep 0.3"}});
    let quick = |id: usize| json!({"id": id, "tool": "read", "arguments": {"path": "a.txt"}});
    let lines: Vec<Value> = std::iter::once(slow).chain((0..100).map(quick)).collect();

    let run = batch(&scratch, &["--approve", "all"], &lines);

    let expected: Vec<Value> = lines.iter().map(|line| line["id"].clone()).collect();
    assert_eq!(run.status, Some(0));
    assert_eq!(ids(&run), expected);
    assert!(run.lines().iter().all(|line| line["success"] == true));
}

#[test]
fn returns_ids_unchanged() {
    let written = [json!("a"), json!(7), json!(null), json!({"case": 1})];
    let lines = written.clone().map(|id| json!({"id": id, "tool": "list"}));

    let run = batch(&Scratch::new(), &[], &lines);

    assert_eq!(ids(&run), written);
}

#[test]
fn unreadable_line_gets_result_in_order() {
    let good = r#"{"id": 1, "tool": "list"}"#;
    for bad in [
        "nonsense",
        r#"{"id": 2, "tool": "list""#,
        "[]",
        r#"["list", {}, null, null]"#,
        r#""text""#,
        r#"{"tool": 5}"#,
    ] {
        let input = format!("{good}\n{bad}\n{good}\n");

        let run = run_in(&Scratch::new(), &["batch"], &input);

        let lines = run.lines();
        assert_eq!(run.status, Some(0), "{bad}");
        assert_eq!(ids(&run), [json!(1), json!(null), json!(1)], "{bad}");
        assert_eq!(lines[1]["error"]["code"], "unreadable_line", "{bad}");
        assert_eq!(lines[2]["success"], true, "{bad}");
    }
}

#[test]
fn line_without_tool_keeps_id() {
    let run = batch(&Scratch::new(), &[], &[json!({"id": 3})]);

    assert_eq!(ids(&run), [json!(3)]);
    assert_eq!(run.lines()[0]["error"]["code"], "unreadable_line");
}

#[test]
fn rejects_arguments_and_text_together() {
    let line = json!({"id": 1, "tool": "list", "arguments": {}, "text": "{}"});

    let run = batch(&Scratch::new(), &[], &[line]);

    let message = run.lines()[0]["error"]["message"].clone();
    assert_eq!(
        message,
        "The line cannot be read: it has both `arguments` and `text`."
    );
}

#[test]
fn skips_blank_lines_and_allows_missing_final_newline() {
    let line = r#"{"id": 1, "tool": "list"}"#;

    let run = run_in(
        &Scratch::new(),
        &["batch"],
        &format!("\u{feff}{line}\r\n\n  \n{line}"),
    );

    assert_eq!(ids(&run), [json!(1), json!(1)]);
}

#[test]
fn empty_input_has_no_output() {
    let run = batch(&Scratch::new(), &[], &[]);

    assert_eq!((run.status, run.output.as_str()), (Some(0), ""));
}

#[test]
fn repairs_text_like_model_output() {
    let scratch = Scratch::new().file("a.txt", "text");
    let line = json!({"id": 1, "tool": "read", "text": "{'path': 'a.txt',}"});

    let run = batch(&scratch, &[], &[line]);

    let result = &run.lines()[0];
    let kinds: Vec<&str> = result["metadata"]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|change| change["kind"].as_str())
        .collect();
    assert_eq!(result["data"]["content"], "text");
    assert!(kinds.contains(&"trailing_comma"), "{kinds:?}");
}

#[test]
fn line_sets_timeout() {
    let sleep = json!({"command": "sleep 20"});
    let line = json!({"id": 1, "tool": "bash", "arguments": sleep, "timeout_ms": 100});

    let run = batch(&Scratch::new(), &["--approve", "all"], &[line]);

    assert_eq!(run.status, Some(0));
    assert_eq!(run.lines()[0]["error"]["code"], "timeout");
}

#[test]
fn denies_approval_and_continues() {
    let lines = [
        json!({"id": 1, "tool": "bash", "arguments": {"command": "git push --force"}}),
        json!({"id": 2, "tool": "list"}),
    ];

    let run = batch(&Scratch::new(), &[], &lines);

    let lines = run.lines();
    assert_eq!(lines[0]["error"]["code"], "approval_denied");
    assert_eq!(lines[1]["success"], true);
}

#[test]
fn single_job_runs_calls_sequentially() {
    let write = |text: &str| {
        let arguments = json!({"path": "a.txt", "content": text});
        json!({"id": text, "tool": "write", "arguments": arguments})
    };
    let scratch = Scratch::new();
    let lines: Vec<Value> = (0..50).map(|number| write(&number.to_string())).collect();

    let run = batch(&scratch, &["--jobs", "1"], &lines);

    assert_eq!(run.lines().len(), 50);
    assert_eq!(scratch.read("a.txt"), "49");
}

#[test]
fn prints_results_before_end_of_input() {
    let mut child = Command::new(super::PROGRAM.as_path())
        .arg("batch")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());

    writeln!(input, r#"{{"id": 1, "tool": "no_such_tool"}}"#).unwrap();
    let mut line = String::new();
    output.read_line(&mut line).unwrap();

    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(answer["error"]["code"], "tool_not_found");
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded() {
    // Only one job runs, so an unbounded program would buffer all following lines: 70 MB in addition to its own 50 MB.
    let slow = json!({"id": 0, "tool": "bash", "arguments": {"command": "sleep 1"}});
    let text = r#"{"path": "a.txt"}"#.to_owned() + &" ".repeat(100 * 1024);
    let line = json!({"id": 1, "tool": "read", "text": text});
    let scratch = Scratch::new().file("a.txt", "text");
    let mut child = Command::new(super::PROGRAM.as_path())
        .args(["batch", "--jobs", "2", "--approve", "all"])
        .current_dir(scratch.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();

    writeln!(input, "{slow}").unwrap();
    for _ in 0..700 {
        writeln!(input, "{line}").unwrap();
    }
    let peak = peak_kilobytes(child.id());
    drop(input);

    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(peak < 80_000, "{peak} kB");
}

/// Returns the peak memory of a running process.
#[cfg(target_os = "linux")]
fn peak_kilobytes(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok())
        .unwrap()
}
