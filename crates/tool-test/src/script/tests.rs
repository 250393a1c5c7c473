//! Execution of scripts.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tool_core::{ErrorCode, Progress, ProgressSink, Registry, ToolDefinition, ToolError};

use super::{ScriptedTool, Step};

#[derive(Default)]
struct Reports(Mutex<Vec<String>>);

impl ProgressSink for Reports {
    fn progress(&self, _call_id: &str, tool_name: &str, progress: &Progress) {
        let report = format!("{tool_name}: {}", progress.message);
        self.0.lock().unwrap().push(report);
    }
}

#[tokio::test(start_paused = true)]
async fn each_call_runs_one_step_then_fails() {
    let steps = [
        Step::gives("first"),
        Step::fails(ToolError::new(ErrorCode::Unavailable, "Busy")),
        Step::panics("a fault"),
        Step::hangs(),
    ];
    let tool = ScriptedTool::new("f", steps);
    let builder = Registry::builder().timeout(Duration::from_secs(5));
    let registry = builder.tool(tool.clone()).unwrap().build();
    let started = tokio::time::Instant::now();
    let mut ends = Vec::new();
    for _ in 0..5 {
        let result = registry.execute("f", json!({})).await;
        ends.push(result.error.map(|error| error.code));
    }

    let expected = [
        None,
        Some(ErrorCode::Unavailable),
        Some(ErrorCode::Panic),
        Some(ErrorCode::Timeout),
        Some(ErrorCode::Failed),
    ];
    assert_eq!(ends, expected);
    assert_eq!(started.elapsed(), Duration::from_secs(5));
    assert_eq!((tool.steps_left(), tool.calls().calls().len()), (0, 5));
}

#[tokio::test(start_paused = true)]
async fn actions_run_in_script_order() {
    let reports = Arc::new(Reports::default());
    let step = Step::gives("done")
        .reports(Progress::new("half"))
        .after(Duration::from_secs(3))
        .says(|cx| cx.warn("slow today"))
        .reports(Progress::new("nearly"));
    let builder = Registry::builder().progress(reports.clone());
    let registry = builder
        .tool(ScriptedTool::new("f", [step]))
        .unwrap()
        .build();
    let running = tokio::spawn(async move { registry.execute("f", json!({})).await });

    tokio::time::sleep(Duration::from_secs(2)).await;
    let first_reports = reports.0.lock().unwrap().clone();
    let result = running.await.unwrap();

    assert_eq!(first_reports, ["f: half"]);
    assert_eq!(*reports.0.lock().unwrap(), ["f: half", "f: nearly"]);
    assert_eq!(result.warnings, ["slow today"]);
    assert_eq!(result.metadata.execution_time, Duration::from_secs(3));
}

#[tokio::test]
async fn invalid_call_does_not_consume_step() {
    let schema =
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let definition = ToolDefinition::new("f", "For a test.", schema);
    let tool = ScriptedTool::with_definition(definition, [Step::gives("done")]);
    let registry = Registry::of(tool.clone()).unwrap();

    let refused = registry.execute("f", json!({})).await;

    assert_eq!(refused.error.unwrap().code, ErrorCode::InvalidArguments);
    assert_eq!(tool.steps_left(), 1);
    tool.calls().assert_not_called("f");
}
