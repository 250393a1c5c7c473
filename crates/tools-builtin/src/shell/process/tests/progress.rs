//! Progress messages and partial output.

use std::sync::Mutex;

use super::*;

#[tokio::test]
async fn progress_reports_last_line() {
    #[derive(Default)]
    struct Recorder(Mutex<Vec<Progress>>);

    impl tool_core::ProgressSink for Recorder {
        fn progress(&self, _call_id: &str, _tool_name: &str, progress: &Progress) {
            self.0.lock().unwrap().push(progress.clone());
        }
    }

    let recorder = Arc::new(Recorder::default());
    let cx = ToolContext::test().with_progress(recorder.clone());
    let begun = Instant::now();

    run(
        &shell("for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 0.05; done"),
        PLENTY,
        &cx,
    )
    .await
    .unwrap();

    let reports = recorder.0.lock().unwrap();
    let most = begun.elapsed().as_millis() / 100;
    assert!((2..=most).contains(&(reports.len() as u128)), "{reports:?}");
    assert!(
        reports
            .iter()
            .all(|report| report.message.starts_with("line ") && report.done > 0)
    );
}

#[tokio::test]
async fn shows_complete_lines_while_running() {
    #[derive(Default)]
    struct Recorder(Mutex<Vec<tool_core::ContentBlock>>);

    impl tool_core::ProgressSink for Recorder {
        fn progress(&self, _call_id: &str, _tool_name: &str, _progress: &Progress) {}

        fn partial(&self, _call_id: &str, _tool_name: &str, piece: &tool_core::ContentBlock) {
            self.0.lock().unwrap().push(piece.clone());
        }
    }

    let recorder = Arc::new(Recorder::default());
    let cx = ToolContext::test().with_progress(recorder.clone());
    let script = "echo one; echo two >&2; printf th; sleep 0.3; echo ree; sleep 0.3";

    run(&shell(script), PLENTY, &cx).await.unwrap();

    let pieces: Vec<String> = recorder
        .0
        .lock()
        .unwrap()
        .iter()
        .filter_map(|piece| piece.as_text().map(str::to_owned))
        .collect();
    assert_eq!(pieces.last().unwrap(), "three");
    let mut lines: Vec<&str> = pieces.iter().flat_map(|piece| piece.lines()).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["one", "three", "two"]);
}
