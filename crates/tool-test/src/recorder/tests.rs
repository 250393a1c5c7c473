//! Assertions about recorded calls, and their messages.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use serde_json::json;
use tool_core::{Registry, ToolError};

use super::*;
use crate::{ScriptedTool, Step};

async fn recorded() -> Recorder {
    let recorder = Recorder::new();
    let read = [Step::gives("one"), Step::fails(ToolError::failed("no"))];
    let registry = Registry::builder()
        .middleware(recorder.clone())
        .timeout(Duration::from_millis(1))
        .tool(ScriptedTool::new("read_file", read))
        .and_then(|builder| builder.tool(ScriptedTool::new("wait", [Step::hangs()])))
        .unwrap()
        .build();
    for (name, path) in [("read_file", "a"), ("read_file", "b"), ("wait", "a")] {
        registry.execute(name, json!({"path": path})).await;
    }
    recorder
}

fn text_of(assertion: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(assertion)).expect_err("the assertion fails");
    panic.downcast_ref::<String>().unwrap().clone()
}

#[tokio::test]
async fn records_calls_with_outcomes() {
    let calls = recorded().await.calls();

    let listed: Vec<String> = calls.iter().map(ToString::to_string).collect();
    assert_eq!(
        listed,
        [
            r#"read_file {"path":"a"} returned 3 bytes"#,
            r#"read_file {"path":"b"} failed: failed"#,
            r#"wait {"path":"a"} did not finish"#,
        ]
    );
}

#[tokio::test]
async fn matching_assertions_pass() {
    let recorder = recorded().await;

    recorder
        .assert_called("read_file")
        .times(2)
        .with(json!({"path": "b"}))
        .once();
    recorder
        .assert_called("wait")
        .with_arguments(|arguments| arguments["path"] == "a");
    recorder.assert_not_called("write_file");
    recorder.assert_order(&["read_file", "read_file", "wait"]);
    recorder.clear();
    recorder.assert_not_called("read_file");
}

#[tokio::test]
async fn failed_assertions_list_calls() {
    let recorder = recorded().await;
    let reads = "\n  1. read_file {\"path\":\"a\"} returned 3 bytes\n  2. read_file {\"path\":\"b\"} failed: failed";
    let all = format!("{reads}\n  3. wait {{\"path\":\"a\"}} did not finish");
    let read = || recorder.assert_called("read_file");
    let cases: [(Box<dyn FnOnce() + '_>, String); 6] = [
        (
            Box::new(|| drop(recorder.assert_called("write_file"))),
            format!("`write_file` was not called; calls:{all}"),
        ),
        (
            Box::new(|| drop(read().with(json!({"path": "c"})))),
            format!("`read_file` with {{\"path\":\"c\"}} was not called; calls:{reads}"),
        ),
        (
            Box::new(|| drop(read().with_arguments(|_| false))),
            format!("`read_file` with matching arguments was not called; calls:{reads}"),
        ),
        (
            Box::new(|| drop(read().once())),
            format!("`read_file` was called 2 times instead of 1; calls:{reads}"),
        ),
        (
            Box::new(|| recorder.assert_not_called("read_file")),
            format!("`read_file` was called; calls:{reads}"),
        ),
        (
            Box::new(|| recorder.assert_order(&["wait", "read_file"])),
            format!("the calls were not wait, read_file; calls:{all}"),
        ),
    ];
    for (assertion, expected) in cases {
        assert_eq!(text_of(assertion), expected);
    }
}

#[test]
fn limits_length_of_assertion_messages() {
    let call = RecordedCall {
        id: "1".to_owned(),
        tool: "f".to_owned(),
        arguments: json!("x".repeat(100_000)),
        outcome: None,
    };

    let text = super::call::listed(&vec![call; 60]);

    assert!(text.len() < 20_000, "{}", text.len());
    assert!(text.ends_with("and 10 more"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn call_running_during_clear_changes_no_later_call() {
    let slow = [
        Step::gives("slow").after(Duration::from_secs(5)),
        Step::hangs(),
    ];
    let tool = ScriptedTool::new("f", slow);
    let recorder = tool.calls().clone();
    let registry = Registry::of(tool).unwrap();
    let wait = async |seconds| tokio::time::sleep(Duration::from_secs(seconds)).await;
    let first = async { registry.execute("f", json!({"n": 1})).await };
    let second = async {
        wait(1).await;
        recorder.clear();
        let hanging = registry.execute("f", json!({"n": 2}));
        tokio::time::timeout(Duration::from_secs(9), hanging).await
    };

    let (first, second) = tokio::join!(first, second);

    assert!(first.success && second.is_err());
    let listed: Vec<String> = recorder.calls().iter().map(ToString::to_string).collect();
    assert_eq!(listed, [r#"f {"n":2} did not finish"#]);
}
