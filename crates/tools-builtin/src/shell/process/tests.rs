use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tool_core::{CancellationToken, ErrorCode};
use tool_test::Scratch;

use super::*;
use crate::shell::environment::Environment;

const PLENTY: Budget = Budget {
    timeout: Duration::from_secs(30),
    capture_bytes: 64 * 1024,
};

/// A number of seconds that no other process on the host sleeps, by which survivors are known.
fn marker() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}.{next}7", 40_000 + std::process::id() % 10_000)
}

fn program(name: &str, arguments: &[&str]) -> Program {
    Program {
        name: name.to_owned(),
        arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
        folder: std::env::temp_dir(),
        environment: Environment::of_host(),
    }
}

fn shell(script: &str) -> Program {
    program("sh", &["-c", script])
}

async fn finished(program: &Program) -> Outcome {
    run(program, PLENTY, &ToolContext::test()).await.unwrap()
}

fn code(outcome: &Outcome) -> Option<i32> {
    match outcome.end {
        End::Exited(status) => status.code(),
        End::TimedOut | End::Cancelled => None,
    }
}

/// Every running process that has `marker` among its arguments.
fn survivors(marker: &str) -> Vec<String> {
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

async fn wait_for(what: impl Fn() -> bool) -> bool {
    for _ in 0..400 {
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
async fn both_streams_and_the_exit_code_come_back() {
    let outcome = finished(&shell("echo out; echo err >&2; exit 3")).await;

    assert_eq!(outcome.stdout.to_text(), "out\n");
    assert_eq!(outcome.stderr.to_text(), "err\n");
    assert_eq!(code(&outcome), Some(3));
}

#[tokio::test]
async fn a_program_ended_by_a_signal_has_no_exit_code() {
    use std::os::unix::process::ExitStatusExt;

    let outcome = finished(&shell("kill -SEGV $$")).await;

    let End::Exited(status) = outcome.end else {
        panic!("{:?}", outcome.end)
    };
    assert_eq!((status.code(), status.signal()), (None, Some(11)));
}

#[tokio::test]
async fn arguments_reach_the_program_as_they_are() {
    let words = [
        "",
        "a b",
        "$HOME",
        "*",
        "größe",
        "\"q\"",
        "-n",
        "two\nlines",
    ];
    let format = ["%s|"].into_iter().chain(words).collect::<Vec<_>>();

    let outcome = finished(&program("printf", &format)).await;

    assert_eq!(
        outcome.stdout.to_text(),
        words.map(|word| format!("{word}|")).concat()
    );
}

#[tokio::test]
async fn output_that_is_no_text_is_marked() {
    let outcome = finished(&program("printf", &[r"a\377b"])).await;

    assert_eq!(outcome.stdout.to_text(), "a\u{fffd}b");
}

#[tokio::test]
async fn a_program_that_reads_its_input_sees_the_end() {
    let outcome = finished(&program("cat", &[])).await;

    assert_eq!((code(&outcome), outcome.stdout.total()), (Some(0), 0));
}

#[tokio::test]
async fn a_program_runs_in_its_folder() {
    let scratch = Scratch::new().file("here.txt", "found");
    let mut cat = program("cat", &["here.txt"]);
    cat.folder = scratch.path().to_owned();

    assert_eq!(finished(&cat).await.stdout.to_text(), "found");
}

#[tokio::test]
async fn a_relative_path_names_a_program_in_the_folder() {
    let scratch = Scratch::new().file("tool.sh", "#!/bin/sh\necho \"$0\"\n");
    make_executable(&scratch, "tool.sh");
    let mut tool = program("./tool.sh", &[]);
    tool.folder = scratch.path().to_owned();

    assert_eq!(finished(&tool).await.stdout.to_text(), "./tool.sh\n");
}

#[tokio::test]
async fn a_program_sees_the_name_that_it_was_called_by() {
    let outcome = finished(&program("ls", &["/no/such/folder"])).await;

    assert!(outcome.stderr.to_text().starts_with("ls: "), "{outcome:?}");
}

#[tokio::test]
async fn only_the_given_environment_and_the_cookie_are_seen() {
    let mut env = program("env", &[]);
    env.environment = Environment::of(
        [("PATH", "/usr/bin:/bin"), ("API_KEY", "secret")]
            .map(|(name, value)| (name.into(), value.into())),
    )
    .with("ADDED", "yes");

    let text = finished(&env).await.stdout.to_text();

    let mut names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split('=').next())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "ADDED",
            "GIT_PAGER",
            "GIT_TERMINAL_PROMPT",
            "PAGER",
            "PATH",
            "TERM",
            "TOOL_CALL_ID"
        ]
    );
    assert!(!text.contains("secret"));
}

#[tokio::test]
async fn a_program_that_cannot_be_started_says_why() {
    let scratch = Scratch::new()
        .file("data.txt", "no program")
        .file("orphan.sh", "#!/no/such/interpreter\n")
        .file("noise", "\u{7f}")
        .folder("folder");
    make_executable(&scratch, "orphan.sh");
    make_executable(&scratch, "noise");

    for (name, expected) in [
        ("no-such-program-anywhere", ErrorCode::CommandNotFound),
        ("./missing", ErrorCode::CommandNotFound),
        ("./folder", ErrorCode::CommandNotFound),
        ("./data.txt", ErrorCode::PermissionDenied),
        ("./orphan.sh", ErrorCode::CommandNotFound),
        ("./noise", ErrorCode::Failed),
        ("a\0b", ErrorCode::InvalidArguments),
    ] {
        let mut missing = program(name, &[]);
        missing.folder = scratch.path().to_owned();
        let error = run(&missing, PLENTY, &ToolContext::test())
            .await
            .unwrap_err();

        assert_eq!(error.code(), &expected, "{name}: {error}");
        assert_eq!(error.parameter(), Some("command"));
        assert!(
            !error.to_string().contains(scratch.path().to_str().unwrap()),
            "{error}"
        );
    }
}

#[tokio::test]
async fn arguments_beyond_what_the_system_takes_are_refused() {
    let long = "x".repeat(8 * 1024 * 1024);

    let error = run(&program("true", &[&long]), PLENTY, &ToolContext::test())
        .await
        .unwrap_err();

    assert_eq!(error.code(), &ErrorCode::InvalidArguments, "{error}");
}

#[tokio::test]
async fn a_timeout_ends_everything_and_keeps_what_came() {
    for way in 0..leaving("").len() {
        let marker = marker();
        let (name, script) = leaving(&marker).into_iter().nth(way).unwrap();
        let script = format!("echo begun; {script}");
        let budget = Budget {
            timeout: Duration::from_millis(400),
            ..PLENTY
        };
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

#[test]
fn nothing_is_left_when_the_runtime_goes_down_in_mid_call() {
    let marker = marker();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let program = shell(&format!("setsid sleep {marker} & sleep {marker}"));
    runtime.spawn(async move { run(&program, PLENTY, &ToolContext::test()).await });
    while survivors(&marker).len() < 2 {
        std::thread::sleep(Duration::from_millis(5));
    }

    drop(runtime);

    let gone = (0..400).any(|_| {
        std::thread::sleep(Duration::from_millis(5));
        survivors(&marker).is_empty()
    });
    assert!(gone, "{:?}", survivors(&marker));
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
    let budget = Budget {
        timeout: Duration::from_millis(300),
        ..PLENTY
    };
    let script = "trap 'echo tidied; exit 0' TERM; echo ready; while :; do sleep 0.01; done";

    let outcome = run(&shell(script), budget, &ToolContext::test())
        .await
        .unwrap();

    assert_eq!(outcome.end, End::TimedOut);
    assert_eq!(outcome.stdout.to_text(), "ready\ntidied\n");
}

#[tokio::test]
async fn a_flood_is_kept_at_both_ends_in_flat_memory() {
    let before = resident_bytes();
    let script = "echo first; head -c 100000000 /dev/zero; echo; echo last";

    let outcome = finished(&shell(script)).await;

    let text = outcome.stdout.to_text();
    assert!(text.starts_with("first\n") && text.ends_with("\nlast\n"));
    assert_eq!(outcome.stdout.total(), 100_000_000 + 12);
    assert_eq!(outcome.stdout.dropped(), 100_000_012 - 65_536);
    // Other tests run beside this one and use memory too; holding the flood would take ten times as much.
    assert!(resident_bytes().saturating_sub(before) < 10_000_000);
}

#[tokio::test]
async fn a_flood_on_one_stream_does_not_stall_the_other() {
    let script = "head -c 1000000 /dev/zero >&2; echo one; head -c 1000000 /dev/zero >&2; echo two";

    let outcome = finished(&shell(script)).await;

    assert_eq!(outcome.stdout.to_text(), "one\ntwo\n");
    assert_eq!(outcome.stderr.total(), 2_000_000);
}

#[tokio::test]
async fn an_endless_flood_stops_at_the_timeout() {
    let budget = Budget {
        timeout: Duration::from_millis(300),
        ..PLENTY
    };
    let begun = Instant::now();

    let outcome = run(&program("yes", &["more"]), budget, &ToolContext::test())
        .await
        .unwrap();

    assert_eq!(outcome.end, End::TimedOut);
    assert!(outcome.stdout.dropped() > 0);
    assert!(begun.elapsed() < Duration::from_millis(1300));
}

#[tokio::test]
async fn a_program_that_closes_its_pipes_is_waited_for() {
    let outcome = finished(&shell("exec >&- 2>&-; sleep 0.3; exit 5")).await;

    assert_eq!(code(&outcome), Some(5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_beside_each_other_do_not_mix() {
    let runs = (0..16).map(|index| {
        tokio::spawn(async move {
            let outcome = finished(&shell(&format!("echo {index}; exit {index}"))).await;
            (outcome.stdout.to_text(), code(&outcome))
        })
    });

    for (index, run) in runs.enumerate() {
        let expected = (format!("{index}\n"), i32::try_from(index).ok());
        assert_eq!(run.await.unwrap(), expected);
    }
}

#[tokio::test]
async fn ending_one_call_leaves_the_others_alone() {
    let marker = marker();
    let budget = Budget {
        timeout: Duration::from_millis(200),
        ..PLENTY
    };
    let (short, long) = (
        shell(&format!("sleep {marker}")),
        shell("sleep 0.8; echo whole"),
    );
    let cx = ToolContext::test();

    let (short, long) = tokio::join!(run(&short, budget, &cx), run(&long, PLENTY, &cx));

    assert_eq!(short.unwrap().end, End::TimedOut);
    assert_eq!(long.unwrap().stdout.to_text(), "whole\n");
}

#[tokio::test]
async fn progress_tells_the_last_line_now_and_then() {
    #[derive(Default)]
    struct Recorder(Mutex<Vec<Progress>>);

    impl tool_core::ProgressSink for Recorder {
        fn progress(&self, _call_id: &str, _tool_name: &str, progress: &Progress) {
            self.0.lock().unwrap().push(progress.clone());
        }
    }

    let recorder = Arc::new(Recorder::default());
    let cx = ToolContext::test().with_progress(recorder.clone());

    run(
        &shell("for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 0.05; done"),
        PLENTY,
        &cx,
    )
    .await
    .unwrap();

    let reports = recorder.0.lock().unwrap();
    assert!((2..=5).contains(&reports.len()), "{reports:?}");
    assert!(
        reports
            .iter()
            .all(|report| report.message.starts_with("line ") && report.done > 0)
    );
}

fn make_executable(scratch: &Scratch, path: &str) {
    use std::os::unix::fs::PermissionsExt;

    fs::set_permissions(scratch.path().join(path), fs::Permissions::from_mode(0o755)).unwrap();
}

fn resident_bytes() -> usize {
    let statm = fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = statm.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}
