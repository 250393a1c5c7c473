//! Ending programs with everything they started.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::runtime::{Builder, Runtime};

use super::*;

/// A number of seconds that no other process on the host sleeps, by which survivors are known.
pub(crate) fn marker() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}.{next}7", 40_000 + std::process::id() % 10_000)
}

/// Every running process that has `marker` among its arguments.
pub(crate) fn survivors(marker: &str) -> Vec<String> {
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let stat = fs::read_to_string(path.join("stat")).ok()?;
            let line = fs::read(path.join("cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            (line.contains(marker) && !stat.contains(") Z")).then_some(line)
        })
        .collect()
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

/// The ways in which a host runs calls; `one` is a thread that calls share with nobody.
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
fn nothing_is_left_once_the_runtime_is_down() {
    for runtime in runtimes() {
        let marker = marker();
        let program = shell(&format!(
            "trap '' TERM; setsid sleep {marker} & sleep {marker}; sleep {marker}"
        ));
        runtime.block_on(async {
            tokio::spawn(async move { run(&program, PLENTY, &ToolContext::test()).await });
            assert!(wait_for(|| survivors(&marker).len() > 2).await);
        });

        drop(runtime);

        assert_eq!(survivors(&marker), Vec::<String>::new());
    }
}

#[test]
fn a_runtime_that_goes_down_after_a_dropped_call_waits_for_its_programs() {
    for runtime in runtimes() {
        let marker = marker();
        let program = shell(&format!("setsid sleep {marker} & sleep {marker}"));
        runtime.block_on(async {
            // Nobody else may begin on the threads for blocking work.
            tokio::task::spawn_blocking(|| std::thread::sleep(Duration::from_millis(300)));
            let cx = ToolContext::test();
            tokio::select! {
                outcome = run(&program, PLENTY, &cx) => panic!("{outcome:?}"),
                started = wait_for(|| survivors(&marker).len() > 1) => assert!(started),
            }
        });

        drop(runtime);

        assert_eq!(survivors(&marker), Vec::<String>::new());
    }
}

#[test]
fn a_call_that_is_dropped_where_no_runtime_is_ends_too() {
    let marker = marker();
    let runtime = Runtime::new().unwrap();
    let program = shell(&format!("setsid sleep {marker} & sleep {marker}"));
    let run = runtime.block_on(async {
        let run = Run::start(&program, CAPTURE_BYTES, &ToolContext::test()).unwrap();
        assert!(wait_for(|| survivors(&marker).len() > 1).await);
        run
    });

    drop(run);
    drop(runtime);

    assert_eq!(survivors(&marker), Vec::<String>::new());
}

#[tokio::test]
async fn however_a_program_ends_it_is_told() {
    for (script, exit_code, signal) in [
        ("exit 0", Some(0), None),
        ("exit 255", Some(255), None),
        ("exit 256", Some(0), None),
        ("sh -c 'kill -KILL $$'; exit $?", Some(137), None),
        ("kill -KILL $$", None, Some(9)),
        ("kill -TERM $$", None, Some(15)),
        // What `nohup` ignores is ignored by every program below it, and no shell can undo that.
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
async fn a_finished_program_leaves_no_zombie() {
    let outcome = finished(&shell("echo $$")).await;

    let id = outcome.stdout.to_text();
    assert!(!fs::exists(format!("/proc/{}", id.trim())).unwrap());
}

#[tokio::test]
async fn a_program_may_tidy_up_when_it_is_asked_to_end() {
    let budget = Duration::from_millis(300);
    let script = "trap 'echo tidied; exit 0' TERM; echo ready; while :; do sleep 0.01; done";

    let outcome = run(&shell(script), budget, &ToolContext::test())
        .await
        .unwrap();

    assert_eq!(outcome.end, End::TimedOut);
    assert_eq!(outcome.stdout.to_text(), "ready\ntidied\n");
}

#[tokio::test]
async fn ending_one_call_leaves_the_others_alone() {
    let marker = marker();
    let budget = Duration::from_millis(200);
    let (short, long) = (
        shell(&format!("sleep {marker}")),
        shell("sleep 0.8; echo whole"),
    );
    let cx = ToolContext::test();

    let (short, long) = tokio::join!(run(&short, budget, &cx), run(&long, PLENTY, &cx));

    assert_eq!(short.unwrap().end, End::TimedOut);
    assert_eq!(long.unwrap().stdout.to_text(), "whole\n");
}
