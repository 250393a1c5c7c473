//! Termination of programs and their child processes.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::runtime::{Builder, Runtime};

use super::*;

/// Returns a unique number of seconds for `sleep`, by which surviving processes are found.
pub(crate) fn marker() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}.{next}7", 40_000 + std::process::id() % 10_000)
}

/// Returns the running processes that have `marker` among their arguments.
pub(crate) fn descendants(marker: &str) -> Vec<String> {
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| line_of(&entry.ok()?.path()).filter(|line| line.contains(marker)))
        .collect()
}

/// Returns the arguments of a running process. During `exec` it has none, so that it would be
/// missed.
fn line_of(path: &std::path::Path) -> Option<String> {
    for _ in 0..100 {
        let line = fs::read(path.join("cmdline")).ok()?;
        let stat = fs::read_to_string(path.join("stat")).ok()?;
        let (_, fields) = stat.rsplit_once(')')?;
        // The parent of kernel threads, and of their own parent.
        if fields.starts_with(" Z") || matches!(fields.get(3..5), Some("0 " | "2 ")) {
            return None;
        }
        if !line.is_empty() {
            return Some(String::from_utf8_lossy(&line).replace('\0', " "));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    None
}

pub(crate) async fn wait_for(what: impl Fn() -> bool) -> bool {
    for _ in 0..2000 {
        if what() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    false
}

/// Runtimes on which hosts run calls; the last one has a single thread.
fn runtimes() -> [Runtime; 3] {
    let one = || Builder::new_current_thread().enable_all().build().unwrap();
    let crowded = Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(1)
        .enable_all()
        .build();
    [one(), Runtime::new().unwrap(), crowded.unwrap()]
}

#[test]
fn runtime_shutdown_kills_processes() {
    for runtime in runtimes() {
        let marker = marker();
        let program = shell(&format!(
            "trap '' TERM; setsid sleep {marker} & sleep {marker}; sleep {marker}"
        ));
        runtime.block_on(async {
            tokio::spawn(async move { run(&program, PLENTY, &ToolContext::test()).await });
            assert!(wait_for(|| descendants(&marker).len() > 2).await);
        });

        drop(runtime);

        assert_eq!(descendants(&marker), Vec::<String>::new());
    }
}

#[test]
fn runtime_shutdown_waits_for_dropped_calls() {
    for runtime in runtimes() {
        let marker = marker();
        let program = shell(&format!("setsid sleep {marker} & sleep {marker}"));
        runtime.block_on(async {
            // Keep the only blocking thread busy.
            tokio::task::spawn_blocking(|| std::thread::sleep(Duration::from_millis(300)));
            let cx = ToolContext::test();
            tokio::select! {
                outcome = run(&program, PLENTY, &cx) => panic!("{outcome:?}"),
                started = wait_for(|| descendants(&marker).len() > 1) => assert!(started),
            }
        });

        drop(runtime);

        assert_eq!(descendants(&marker), Vec::<String>::new());
    }
}

#[test]
fn dropping_run_without_runtime_kills_processes() {
    let marker = marker();
    let runtime = Runtime::new().unwrap();
    let program = shell(&format!("setsid sleep {marker} & sleep {marker}"));
    let run = runtime.block_on(async {
        let run = Run::start(&program, KEPT, &ToolContext::test()).unwrap();
        assert!(wait_for(|| descendants(&marker).len() > 1).await);
        run
    });

    drop(run);
    drop(runtime);

    assert_eq!(descendants(&marker), Vec::<String>::new());
}

#[tokio::test]
async fn reports_exit_code_or_signal() {
    for (script, exit_code, signal) in [
        ("exit 0", Some(0), None),
        ("exit 255", Some(255), None),
        ("exit 256", Some(0), None),
        ("sh -c 'kill -KILL $$'; exit $?", Some(137), None),
        ("kill -KILL $$", None, Some(9)),
        ("kill -TERM $$", None, Some(15)),
        // Processes started under `nohup` inherit the ignored signal, and shells cannot reset it.
        (
            "exec env --default-signal=HUP sh -c 'kill -HUP $$'",
            None,
            Some(1),
        ),
        ("kill -ABRT $$", None, Some(6)),
        ("kill -SEGV $$", None, Some(11)),
        ("kill -PIPE $$", None, Some(13)),
        ("kill -KILL 0", None, Some(9)),
        ("nonexistent-program", Some(127), None),
        ("/etc/passwd", Some(126), None),
    ] {
        let outcome = finished(&shell(script)).await;

        assert_eq!(
            (outcome.exit_code(), outcome.signal()),
            (exit_code, signal),
            "{script}"
        );
    }
}

#[tokio::test]
async fn finished_program_is_reaped() {
    let outcome = finished(&shell("echo $$")).await;

    let id = outcome.stdout.to_text();
    assert!(!fs::exists(format!("/proc/{}", id.trim())).unwrap());
}

#[tokio::test]
async fn program_may_clean_up_on_sigterm() {
    let script = "trap 'echo tidied; exit 0' TERM; echo ready; while :; do sleep 0.01; done";
    // Under load, the program may need longer to start, or longer than the grace period to react.
    for budget in [300, 1000, 3000, 10_000].map(Duration::from_millis) {
        let outcome = run(&shell(script), budget, &ToolContext::test())
            .await
            .unwrap();

        assert_eq!(outcome.end, RunEnd::TimedOut);
        if outcome.stdout.to_text() == "ready\ntidied\n" {
            return;
        }
    }
    panic!("the program was killed before it could clean up");
}

#[tokio::test]
async fn killing_one_call_keeps_others_running() {
    let marker = marker();
    let budget = Duration::from_millis(200);
    let (short, long) = (
        shell(&format!("sleep {marker}")),
        shell("sleep 0.8; echo whole"),
    );
    let cx = ToolContext::test();

    let (short, long) = tokio::join!(run(&short, budget, &cx), run(&long, PLENTY, &cx));

    assert_eq!(short.unwrap().end, RunEnd::TimedOut);
    assert_eq!(long.unwrap().stdout.to_text(), "whole\n");
}
