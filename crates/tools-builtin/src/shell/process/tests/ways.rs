//! Cleanup for many ways of starting processes, and all ways of finishing a call.

use std::fmt::Debug;

use tokio::task::JoinSet;
use tool_core::CancellationToken;

use super::*;

/// Number of concurrent attempts.
const CONCURRENCY: usize = 6;

/// Scripts that start long-running `sleep {}` processes in different ways.
const WAYS: [(&str, &str); 24] = [
    ("child", "sleep {}"),
    ("the program itself", "exec sleep {}"),
    ("grandchild", "sh -c 'sleep {}; true'; true"),
    ("background", "sleep {} & wait"),
    ("pipeline", "sleep {} | sleep {} | cat"),
    ("substitution", "x=$(sleep {})"),
    ("double fork", "sh -c '(sleep {} &)'; sleep {}"),
    ("triple fork", "sh -c '(sh -c \"(sleep {} &)\")'; sleep {}"),
    ("nohup", "nohup sleep {} >/dev/null 2>&1 & wait"),
    ("new session", "setsid sleep {} >/dev/null 2>&1 & sleep {}"),
    ("new session, waited for", "setsid -w sleep {}"),
    (
        "new session in a new session",
        "setsid -w setsid -w sleep {}",
    ),
    (
        "daemon",
        "setsid sh -c 'setsid sleep {} </dev/null >/dev/null 2>&1 &'; sleep {}",
    ),
    (
        "separate groups",
        "bash -c 'set -m; sleep {} & sleep {} & wait'",
    ),
    (
        "ignores signals",
        "trap '' TERM INT HUP; sleep {} & sleep {}; sleep {}",
    ),
    (
        "ignores signals in a session",
        "setsid -w sh -c \"trap '' TERM; sleep {}; sleep {}\"",
    ),
    (
        "starts a process on SIGTERM",
        "trap 'sleep {} & wait' TERM; sleep {} & wait; wait",
    ),
    (
        "starts processes in a loop",
        "while :; do sleep {} & wait $!; done",
    ),
    (
        "many",
        "i=0; while [ $i -lt 40 ]; do sleep {} & i=$((i+1)); done; wait",
    ),
    (
        "stopped",
        "sleep {} & sleep 0.1; kill -STOP $!; kill -STOP $$; wait",
    ),
    ("closed pipes", "exec >&- 2>&- <&-; sleep {}"),
    ("wiped environment", "env -i sleep {} & wait"),
    (
        "wiped environment in a session",
        "env -i setsid -w sleep {}",
    ),
    (
        "runs under another name",
        "bash -c 'exec -a innocent sleep {}'",
    ),
];

/// Returns `true` if the script has started its processes.
fn has_started(marker: &str) -> bool {
    let found = descendants(marker);
    found.len() > 1 || found.iter().any(|line| line.starts_with("sleep "))
}

/// Runs every script, several concurrently. `attempt` receives the script and the marker; its
/// result is checked per script.
async fn every_way<
    F: Future<Output = T> + Send + 'static,
    T: Clone + Debug + PartialEq + Send + 'static,
>(
    attempt: impl Fn(Program, String) -> F,
    expected: T,
) {
    for ways in WAYS.chunks(CONCURRENCY) {
        let mut running = JoinSet::new();
        for (name, script) in ways {
            let marker = marker();
            let script = format!("echo begun; {}", script.replace("{}", &marker));
            let attempt = attempt(shell(&script), marker.clone());
            running.spawn(async move { (*name, attempt.await, descendants(&marker)) });
        }
        for (name, reached, left) in running.join_all().await {
            assert_eq!((reached, left), (expected.clone(), Vec::new()), "{name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn timeout_kills_all_processes_and_keeps_output() {
    let limit = Duration::from_millis(400);
    every_way(
        move |program, marker| async move {
            let cx = ToolContext::test();
            let run = Run::start(&program, KEPT, &cx).unwrap();
            assert!(wait_for(|| has_started(&marker)).await);
            let outcome = run.finish(limit, &cx).await.unwrap();
            (outcome.end, outcome.stdout.to_text())
        },
        (RunEnd::TimedOut, "begun\n".to_owned()),
    )
    .await;
}

#[tokio::test]
async fn timeout_cleanup_takes_at_most_one_second() {
    let limit = Duration::from_millis(300);
    let script =
        "trap '' TERM; setsid sh -c \"trap '' TERM; sleep {}; sleep {}\" & sleep {}; sleep {}";
    let mut shortest = Duration::MAX;
    // Under load, the processes and this test may be scheduled late.
    for _ in 0..10 {
        let marker = marker();
        let begun = Instant::now();

        let outcome = run(
            &shell(&script.replace("{}", &marker)),
            limit,
            &ToolContext::test(),
        )
        .await;

        shortest = shortest.min(begun.elapsed());
        assert_eq!(outcome.unwrap().end, RunEnd::TimedOut);
        assert_eq!(descendants(&marker), Vec::<String>::new());
        if shortest < limit + Duration::from_secs(1) {
            return;
        }
    }
    panic!("the shortest cleanup took {shortest:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancellation_kills_all_processes() {
    every_way(
        |program, marker| async move {
            let token = CancellationToken::new();
            let cx = ToolContext::test().with_cancellation(token.clone());
            let canceller = async {
                let started = wait_for(|| has_started(&marker)).await;
                token.cancel();
                started
            };
            let (outcome, started) = tokio::join!(run(&program, PLENTY, &cx), canceller);
            (outcome.unwrap().end, started)
        },
        (RunEnd::Cancelled, true),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_call_kills_all_processes() {
    every_way(
        |program, marker| async move {
            let cx = ToolContext::test();
            tokio::select! {
                _ = run(&program, PLENTY, &cx) => return false,
                started = wait_for(|| has_started(&marker)) => assert!(started),
            }
            wait_for(|| descendants(&marker).is_empty()).await
        },
        true,
    )
    .await;
}

/// Scripts that exit and leave a process running.
#[tokio::test]
async fn kills_processes_left_by_finished_program() {
    for script in [
        "sleep {} & echo done",
        "(sleep {} >/dev/null 2>&1 &); echo done",
        "setsid sleep {} >/dev/null 2>&1 & echo done",
        "nohup sleep {} & echo done",
        "setsid setsid sleep {} & sleep 0.3; echo done",
        "env -i sleep {} >/dev/null & echo done",
        "sh -c 'trap \"\" TERM; sleep {}; sleep {}' >/dev/null & echo done",
        "bash -c 'set -m; sleep {} >/dev/null & disown'; echo done",
    ] {
        let marker = marker();

        let outcome = finished(&shell(&script.replace("{}", &marker))).await;

        assert_eq!(
            (code(&outcome), outcome.stdout.to_text().as_str()),
            (Some(0), "done\n")
        );
        assert_eq!(descendants(&marker), Vec::<String>::new(), "{script}");
    }
}
