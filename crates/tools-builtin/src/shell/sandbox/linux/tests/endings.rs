//! Timeouts, cancellation and dropped calls in a sandbox.

use std::fs;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tool_core::{CancellationToken, ErrorCode};

use super::*;

// The folder is used before its name is known, because an empty one is kept for the next call.
const FOREVER: &str = "touch $TMPDIR/x; echo $TMPDIR > folder; echo evil > .git/config; \
    (setsid sleep 4031.25 &); sleep 4031.25 & echo began > began; wait";

fn repository() -> Scratch {
    fixture().file("root/.git/config", "kept\n")
}

async fn until(what: impl Fn() -> bool) {
    for _ in 0..1000 {
        if what() {
            return;
        }
        sleep(Duration::from_millis(5)).await;
    }
    panic!("condition not met in time");
}

/// Returns the number of running processes with this `TMPDIR`.
fn descendants(folder: &str) -> usize {
    let marker = format!("TMPDIR={folder}");
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| fs::read(entry.ok()?.path().join("environ")).ok())
        .filter(|environ| {
            String::from_utf8_lossy(environ)
                .split('\0')
                .any(|line| line == marker)
        })
        .count()
}

async fn has_ended(scratch: &Scratch) {
    let folder = scratch.read("root/folder").trim_end().to_owned();
    until(|| descendants(&folder) == 0 && !fs::exists(&folder).unwrap()).await;
    until(|| scratch.read("root/.git/config") == "kept\n").await;
}

#[tokio::test]
async fn timeout_kills_processes_and_restores_files() {
    let scratch = repository();
    let input = json!({"command": FOREVER, "timeout_seconds": 1});
    let cx = ToolContext::test();

    let error = confined(&scratch)
        .run(&cx, serde_json::from_value(input).unwrap())
        .await
        .unwrap_err();

    assert_eq!(error.code(), &ErrorCode::Timeout);
    let folder = scratch.read("root/folder").trim_end().to_owned();
    assert_eq!(
        (descendants(&folder), fs::exists(&folder).unwrap()),
        (0, false)
    );
    assert_eq!(scratch.read("root/.git/config"), "kept\n");
}

#[tokio::test]
async fn dropping_call_kills_and_restores() {
    let scratch = repository();
    let tool = confined(&scratch);
    let call = tokio::spawn(async move { run(&tool, FOREVER).await });
    until(|| scratch.has("root/began")).await;
    let folder = scratch.read("root/folder").trim_end().to_owned();
    assert!(descendants(&folder) > 0);

    call.abort();

    has_ended(&scratch).await;
}

#[tokio::test]
async fn dropping_call_during_start_kills_and_restores() {
    let scratch = repository();
    // Share one tool: separate tools do not share snapshots.
    let tool = confined(&scratch);
    for micros in [0, 50, 200, 500, 1000, 2000] {
        let call = run(&tool, FOREVER);
        let dropped = timeout(Duration::from_micros(micros), call).await;

        assert!(dropped.is_err());
    }
    sleep(Duration::from_millis(500)).await;
    if scratch.has("root/folder") {
        has_ended(&scratch).await;
    }
    assert_eq!(scratch.read("root/.git/config"), "kept\n");
}

#[tokio::test]
async fn cancellation_kills_and_restores() {
    let scratch = repository();
    let token = CancellationToken::new();
    let cx = ToolContext::test().with_cancellation(token.clone());
    let tool = confined(&scratch);
    let call = run_in(&tool, &cx, FOREVER);
    let cancel = async {
        until(|| scratch.has("root/began")).await;
        token.cancel();
    };

    let (outcome, ()) = tokio::join!(call, cancel);

    assert_eq!(outcome.unwrap_err().code(), &ErrorCode::Cancelled);
    has_ended(&scratch).await;
}

#[tokio::test]
async fn program_outlives_starting_thread() {
    // A parent-death signal would arrive when that thread exits.
    assert_eq!(assert_allowed("sleep 0.3; echo alive").await, "alive\n");
}

#[test]
fn runs_on_current_thread_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();

    let stdout = runtime.block_on(assert_allowed("echo one thread"));

    assert_eq!(stdout, "one thread\n");
}
