//! Ending programs with everything they started.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::runtime::{Builder, Runtime};
use tool_core::CancellationToken;

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

/// Scripts that leave something running, each in a way of its own.
fn leaving(marker: &str) -> [(&'static str, String); 11] {
    [
        ("child", format!("sleep {marker}")),
        ("grandchild", format!("sh -c 'sleep {marker}; true'; true")),
        ("background", format!("sleep {marker} & wait")),
        (
            "double fork",
            format!("sh -c '(sleep {marker} &)'; sleep {marker}"),
        ),
        (
            "nohup",
            format!("nohup sleep {marker} >/dev/null 2>&1 & wait"),
        ),
        (
            "new session",
            format!("setsid sleep {marker} >/dev/null 2>&1 & sleep {marker}"),
        ),
        (
            "new session, waited for",
            format!("setsid -w sleep {marker}"),
        ),
        (
            "daemon",
            format!(
                "setsid sh -c 'setsid sleep {marker} </dev/null >/dev/null 2>&1 &'; sleep {marker}"
            ),
        ),
        (
            "ignores the request",
            format!("trap '' TERM INT HUP; sleep {marker} & sleep {marker}; sleep {marker}"),
        ),
        ("wiped environment", format!("env -i sleep {marker} & wait")),
        (
            "wiped environment in a new session",
            format!("env -i setsid -w sleep {marker}"),
        ),
    ]
}

#[tokio::test]
async fn a_timeout_ends_everything_and_keeps_what_came() {
    for way in 0..leaving("").len() {
        let marker = marker();
        let (name, script) = leaving(&marker).into_iter().nth(way).unwrap();
        let script = format!("echo begun; {script}");
        let budget = Duration::from_millis(400);
        let begun = Instant::now();

        let outcome = run(&shell(&script), budget, &ToolContext::test())
            .await
            .unwrap();

        assert!(
            begun.elapsed() < Duration::from_millis(1400),
            "{name}: {:?}",
            begun.elapsed()
        );
        assert_eq!(outcome.end, End::TimedOut, "{name}");
        assert_eq!(outcome.stdout.to_text(), "begun\n", "{name}");
        assert_eq!(survivors(&marker), Vec::<String>::new(), "{name}");
    }
}

#[tokio::test]
async fn a_cancelled_call_ends_everything() {
    for way in 0..leaving("").len() {
        let marker = marker();
        let (name, script) = leaving(&marker).into_iter().nth(way).unwrap();
        let token = CancellationToken::new();
        let cx = ToolContext::test().with_cancellation(token.clone());
        let program = shell(&script);
        let canceller = async {
            assert!(wait_for(|| !survivors(&marker).is_empty()).await, "{name}");
            token.cancel();
        };

        let (outcome, ()) = tokio::join!(run(&program, PLENTY, &cx), canceller);

        assert_eq!(outcome.unwrap().end, End::Cancelled, "{name}");
        assert_eq!(survivors(&marker), Vec::<String>::new(), "{name}");
    }
}

#[tokio::test]
async fn a_dropped_call_ends_everything() {
    for way in 0..leaving("").len() {
        let marker = marker();
        let (name, script) = leaving(&marker).into_iter().nth(way).unwrap();
        let program = shell(&script);
        let cx = ToolContext::test();
        let started = wait_for(|| survivors(&marker).len() > 1);

        tokio::select! {
            outcome = run(&program, PLENTY, &cx) => panic!("{name}: {outcome:?}"),
            started = started => assert!(started, "{name}"),
        }

        assert!(wait_for(|| survivors(&marker).is_empty()).await, "{name}");
    }
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
async fn what_a_finished_program_left_in_the_background_is_ended() {
    for script in [
        "sleep {} & echo done",
        "(sleep {} >/dev/null 2>&1 &); echo done",
        "setsid sleep {} >/dev/null 2>&1 & echo done",
        "nohup sleep {} & echo done",
        "setsid setsid sleep {} & sleep 0.3; echo done",
        "env -i sleep {} >/dev/null & echo done",
    ] {
        let marker = marker();
        let begun = Instant::now();

        let outcome = finished(&shell(&script.replace("{}", &marker))).await;

        assert!(begun.elapsed() < Duration::from_millis(1500), "{script}");
        assert_eq!(
            (code(&outcome), outcome.stdout.to_text().as_str()),
            (Some(0), "done\n")
        );
        assert_eq!(survivors(&marker), Vec::<String>::new(), "{script}");
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
