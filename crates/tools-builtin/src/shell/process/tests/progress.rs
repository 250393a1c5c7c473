//! Progress messages and partial output.

use std::path::PathBuf;
use std::sync::Mutex;

use super::*;

#[tokio::test]
async fn progress_reports_last_line() {
    /// Stops the program after two reports.
    struct Recorder(Mutex<Vec<Progress>>, PathBuf);

    impl tool_core::ProgressSink for Recorder {
        fn progress(&self, _call_id: &str, _tool_name: &str, progress: &Progress) {
            let mut reports = self.0.lock().unwrap();
            reports.push(progress.clone());
            if reports.len() > 1 {
                fs::write(&self.1, "").unwrap();
            }
        }
    }

    let scratch = Scratch::new();
    let end = scratch.path().join("end");
    let script = "while ! [ -e \"$0\" ]; do echo line; sleep 0.05; done";
    let program = program("sh", &["-c", script, end.to_str().unwrap()]);
    let recorder = Arc::new(Recorder(Mutex::default(), end));
    let cx = ToolContext::test().with_progress(recorder.clone());
    let begun = Instant::now();

    let outcome = run(&program, PLENTY, &cx).await.unwrap();

    assert_eq!(code(&outcome), Some(0));
    let reports = recorder.0.lock().unwrap();
    let most = begun.elapsed().as_millis() / 100;
    assert!((2..=most).contains(&(reports.len() as u128)), "{reports:?}");
    assert!(
        reports
            .iter()
            .all(|report| report.message == "line" && report.done > 0)
    );
}

#[tokio::test]
async fn shows_complete_lines_while_running() {
    /// Completes the last line after the first lines, and stops the program after the last line.
    struct Recorder(Mutex<Vec<tool_core::ContentBlock>>, PathBuf);

    impl tool_core::ProgressSink for Recorder {
        fn progress(&self, _call_id: &str, _tool_name: &str, _progress: &Progress) {}

        fn partial(&self, _call_id: &str, _tool_name: &str, piece: &tool_core::ContentBlock) {
            let mut pieces = self.0.lock().unwrap();
            pieces.push(piece.clone());
            let texts = pieces.iter().filter_map(|piece| piece.as_text());
            let lines = texts.flat_map(str::lines).count();
            fs::write(self.1.join(lines.to_string()), "").unwrap();
        }
    }

    let scratch = Scratch::new();
    let recorder = Arc::new(Recorder(Mutex::default(), scratch.path().to_owned()));
    let cx = ToolContext::test().with_progress(recorder.clone());
    let mut program = shell(
        "reach() { while ! [ -e $1 ]; do sleep 0.01; done; }; \
         echo one; echo two >&2; printf th; reach 2; echo ree; reach 3",
    );
    program.directory = scratch.path().to_owned();

    let outcome = run(&program, PLENTY, &cx).await.unwrap();

    assert_eq!(code(&outcome), Some(0));

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
