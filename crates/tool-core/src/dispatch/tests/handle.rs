//! Calls in their own task, used through their handle.

use std::sync::Mutex;

use super::*;
use crate::registry::CallEvent;
use crate::{CallHandle, CallOptions, ContentBlock, Progress, ProgressSink, ToolCall, ToolError};

const SECOND: Duration = Duration::from_secs(1);

/// Creates a tool that reports `count` times immediately, waits for a second and returns.
fn reporting(count: u64) -> Registry {
    registry_of(
        definition("f", RiskLevel::ReadOnly),
        move |cx, _| async move {
            for done in 0..count {
                cx.progress(&Progress::new("").with_position(done, None));
            }
            tokio::time::sleep(SECOND).await;
            cx.partial("a piece");
            Ok("done".into())
        },
    )
}

fn start(registry: &Registry) -> CallHandle {
    registry.spawn(
        ToolCall::new("f", "{}").with_id("1"),
        CallOptions::default(),
    )
}

#[tokio::test(start_paused = true)]
async fn reports_are_readable_during_call() {
    let mut handle = start(&reporting(1));

    let first = handle.next_report().await;
    let still_runs = !handle.is_finished();
    let second = handle.next_report().await;
    let last = handle.next_report().await;

    assert_eq!(first, Some(CallEvent::Progress(Progress::new(""))));
    assert!(still_runs);
    assert_eq!(second, Some(CallEvent::Partial("a piece".into())));
    assert_eq!(last, None);
    assert_eq!((handle.id(), handle.name()), ("1", "f"));
    assert_eq!(handle.await.to_string(), "done");
}

#[tokio::test(start_paused = true)]
async fn unread_reports_do_not_block_call() {
    let mut handle = start(&reporting(10_000));

    let result = soon(&mut handle).await;

    assert!(result.success);
    let oldest = Progress::new("").with_position(10_001 - 256, None);
    assert_eq!(
        handle.next_report().await,
        Some(CallEvent::Progress(oldest))
    );
}

#[tokio::test(start_paused = true)]
async fn reports_end_with_call() {
    let registry = registry_of(definition("f", RiskLevel::ReadOnly), |_, arguments| {
        assert!(arguments["end"] != "panic", "as asked");
        forever()
    });
    for (name, arguments, cancel) in [
        ("f", json!({"end": "panic"}), false),
        ("f", json!({"end": "never"}), true),
        ("nobody", json!({}), false),
    ] {
        let mut handle = registry.spawn(ToolCall::new(name, arguments), CallOptions::default());
        tokio::task::yield_now().await;
        if cancel {
            handle.cancel();
        }

        assert_eq!(soon(handle.next_report()).await, None, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn registry_sink_receives_reports_of_handles() {
    struct RecordedProgress(Mutex<Vec<String>>);
    impl ProgressSink for RecordedProgress {
        fn progress(&self, _call_id: &str, _tool_name: &str, progress: &Progress) {
            self.0.lock().unwrap().push(progress.message.clone());
        }
        fn partial(&self, _call_id: &str, _tool_name: &str, piece: &ContentBlock) {
            self.0
                .lock()
                .unwrap()
                .extend(piece.as_text().map(str::to_owned));
        }
    }
    let recorded = Arc::new(RecordedProgress(Mutex::default()));
    let tool = DynamicTool::new(definition("f", RiskLevel::ReadOnly), |cx, _| async move {
        cx.progress(&Progress::new("half"));
        cx.partial("piece");
        Ok("done".into())
    });
    let builder = Registry::builder().progress(recorded.clone());
    let registry = builder.tool(tool).unwrap().build();

    start(&registry).await;

    assert_eq!(*recorded.0.lock().unwrap(), ["half", "piece"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropped_handle_cancels_busy_tool() {
    let ended = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&ended);
    let registry = registry_of(definition("f", RiskLevel::ReadOnly), move |cx, _| {
        let count = Arc::clone(&count);
        async move {
            count.fetch_add(1, Ordering::SeqCst);
            while !cx.cancellation().is_cancelled() {
                std::thread::yield_now();
            }
            count.fetch_add(1, Ordering::SeqCst);
            Err(ToolError::cancelled())
        }
    });
    let reached = |count| {
        let ended = Arc::clone(&ended);
        async move {
            while ended.load(Ordering::SeqCst) < count {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
    };
    let handle = start(&registry);
    soon(reached(1)).await;

    drop(handle);

    soon(reached(2)).await;
}
