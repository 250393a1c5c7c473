//! What was called can be asserted, and a failed assertion says what was called instead.

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
    let panic =
        catch_unwind(AssertUnwindSafe(assertion)).expect_err("the assertion is meant to fail");
    panic.downcast_ref::<String>().unwrap().clone()
}

#[tokio::test]
async fn every_call_is_kept_with_how_it_ended() {
    let calls = recorded().await.calls();

    let told: Vec<String> = calls.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            r#"read_file {"path":"a"} gave 3 bytes"#,
            r#"read_file {"path":"b"} failed: failed"#,
            r#"wait {"path":"a"} did not end"#,
        ]
    );
}

#[tokio::test]
async fn what_holds_passes() {
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
async fn what_does_not_hold_says_what_was_called_instead() {
    let recorder = recorded().await;
    let reads = "\n  1. read_file {\"path\":\"a\"} gave 3 bytes\n  2. read_file {\"path\":\"b\"} failed: failed";
    let all = format!("{reads}\n  3. wait {{\"path\":\"a\"}} did not end");
    let read = || recorder.assert_called("read_file");
    let cases: [(Box<dyn FnOnce() + '_>, String); 6] = [
        (
            Box::new(|| drop(recorder.assert_called("write_file"))),
            format!("`write_file` was not called; there were these calls:{all}"),
        ),
        (
            Box::new(|| drop(read().with(json!({"path": "c"})))),
            format!(
                "`read_file` with {{\"path\":\"c\"}} was not called; there were these calls:{reads}"
            ),
        ),
        (
            Box::new(|| drop(read().with_arguments(|_| false))),
            format!(
                "`read_file` with arguments that fit was not called; there were these calls:{reads}"
            ),
        ),
        (
            Box::new(|| drop(read().once())),
            format!("`read_file` was called 2 times and not 1; there were these calls:{reads}"),
        ),
        (
            Box::new(|| recorder.assert_not_called("read_file")),
            format!("`read_file` was called; there were these calls:{reads}"),
        ),
        (
            Box::new(|| recorder.assert_order(&["wait", "read_file"])),
            format!("the calls were not those of wait, read_file; there were these calls:{all}"),
        ),
    ];
    for (assertion, expected) in cases {
        assert_eq!(text_of(assertion), expected);
    }
}

#[test]
fn a_failed_assertion_is_of_bounded_length() {
    let call = RecordedCall {
        id: "1".to_owned(),
        tool: "f".to_owned(),
        arguments: json!("x".repeat(100_000)),
        outcome: None,
    };

    let text = super::log::but(&vec![call; 60]);

    assert!(text.len() < 20_000, "{}", text.len());
    assert!(text.ends_with("and 10 more"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_ends_after_the_record_was_cleared_changes_no_other() {
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
    let told: Vec<String> = recorder.calls().iter().map(ToString::to_string).collect();
    assert_eq!(told, [r#"f {"n":2} did not end"#]);
}
