//! Many ways to leave something running, and every way for a call to end.

use std::fmt::Debug;

use tokio::task::JoinSet;
use tool_core::CancellationToken;

use super::*;

/// How many are tried side by side.
const AT_ONCE: usize = 6;

/// Scripts that start `sleep {}`, each in a way of its own, and would run for long.
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
        "groups of their own",
        "bash -c 'set -m; sleep {} & sleep {} & wait'",
    ),
    (
        "ignores the request",
        "trap '' TERM INT HUP; sleep {} & sleep {}; sleep {}",
    ),
    (
        "ignores it in a session",
        "setsid -w sh -c \"trap '' TERM; sleep {}; sleep {}\"",
    ),
    (
        "answers with another",
        "trap 'sleep {} & wait' TERM; sleep {} & wait; wait",
    ),
    (
        "starts again and again",
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

/// Whether the script has got to what it would leave.
fn is_started(marker: &str) -> bool {
    let found = survivors(marker);
    found.len() > 1 || found.iter().any(|line| line.starts_with("sleep "))
}

/// Tries every way, a few at once; `attempt` is given the script and the marker, and what it gives is told by name.
async fn every_way<
    F: Future<Output = T> + Send + 'static,
    T: Clone + Debug + PartialEq + Send + 'static,
>(
    attempt: impl Fn(Program, String) -> F,
    expected: T,
) {
    for ways in WAYS.chunks(AT_ONCE) {
        let mut running = JoinSet::new();
        for (name, script) in ways {
            let marker = marker();
            let script = format!("echo begun; {}", script.replace("{}", &marker));
            let attempt = attempt(shell(&script), marker.clone());
            running.spawn(async move { (*name, attempt.await, survivors(&marker)) });
        }
        for (name, reached, left) in running.join_all().await {
            assert_eq!((reached, left), (expected.clone(), Vec::new()), "{name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_timeout_ends_everything_and_keeps_what_came() {
    let limit = Duration::from_millis(400);
    every_way(
        move |program, _| async move {
            let outcome = run(&program, limit, &ToolContext::test()).await.unwrap();
            (outcome.end, outcome.stdout.to_text())
        },
        (End::TimedOut, "begun\n".to_owned()),
    )
    .await;
}

#[tokio::test]
async fn a_timeout_takes_a_second_more_at_most() {
    let limit = Duration::from_millis(300);
    let script =
        "trap '' TERM; setsid sh -c \"trap '' TERM; sleep {}; sleep {}\" & sleep {}; sleep {}";
    let marker = marker();
    let begun = Instant::now();

    let outcome = run(
        &shell(&script.replace("{}", &marker)),
        limit,
        &ToolContext::test(),
    )
    .await;

    let taken = begun.elapsed();
    assert_eq!(outcome.unwrap().end, End::TimedOut);
    assert!(taken < limit + Duration::from_secs(1), "{taken:?}");
    assert_eq!(survivors(&marker), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_call_ends_everything() {
    every_way(
        |program, marker| async move {
            let token = CancellationToken::new();
            let cx = ToolContext::test().with_cancellation(token.clone());
            let canceller = async {
                let started = wait_for(|| is_started(&marker)).await;
                token.cancel();
                started
            };
            let (outcome, started) = tokio::join!(run(&program, PLENTY, &cx), canceller);
            (outcome.unwrap().end, started)
        },
        (End::Cancelled, true),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_call_ends_everything() {
    every_way(
        |program, marker| async move {
            let cx = ToolContext::test();
            tokio::select! {
                _ = run(&program, PLENTY, &cx) => return false,
                started = wait_for(|| is_started(&marker)) => assert!(started),
            }
            wait_for(|| survivors(&marker).is_empty()).await
        },
        true,
    )
    .await;
}

/// Scripts that end by themselves and leave something behind.
#[tokio::test]
async fn what_a_finished_program_left_in_the_background_is_ended() {
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
        assert_eq!(survivors(&marker), Vec::<String>::new(), "{script}");
    }
}
