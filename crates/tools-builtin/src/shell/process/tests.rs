//! Tests of program start and output.

mod ending;
mod exit_barrier;
mod first_wait;
mod progress;
mod ways;

pub(crate) use ending::{descendants, marker, wait_for};

use std::fs;
use std::time::Instant;

use tool_core::ErrorCode;
use tool_test::Scratch;

use super::*;
use crate::shell::environment::Environment;
use crate::shell::program::Invocation;

const PLENTY: Duration = Duration::from_secs(30);
const KEPT: Kept = Kept {
    raw: 64 * 1024,
    printed: None,
};

fn program(name: &str, arguments: &[&str]) -> Program {
    Program {
        invocation: Invocation::Program {
            name: name.to_owned(),
            arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
        },
        directory: std::env::temp_dir(),
        environment: Environment::of_host(),
        memory_limit: None,
        in_background: false,
        is_held: false,
        containment: process_tree::ProcessTrees::prepare(),
    }
}

async fn run(program: &Program, limit: Duration, cx: &ToolContext) -> Result<Outcome, ToolError> {
    Run::start(program, KEPT, cx)?.finish(limit, cx).await
}

fn shell(script: &str) -> Program {
    program("sh", &["-c", script])
}

async fn finished(program: &Program) -> Outcome {
    run(program, PLENTY, &ToolContext::test()).await.unwrap()
}

fn code(outcome: &Outcome) -> Option<i32> {
    outcome.exit_code()
}

#[tokio::test]
async fn returns_streams_and_exit_code() {
    let outcome = finished(&shell("echo out; echo err >&2; exit 3")).await;

    assert_eq!(outcome.stdout.to_text(), "out\n");
    assert_eq!(outcome.stderr.to_text(), "err\n");
    assert_eq!(code(&outcome), Some(3));
}

#[tokio::test]
async fn held_program_runs_when_it_is_released() {
    let cx = ToolContext::test();
    for (in_background, input) in [(false, ""), (true, "two\n")] {
        let scratch = Scratch::new();
        let held = Program {
            is_held: true,
            in_background,
            directory: scratch.path().to_owned(),
            ..program(
                "sh",
                &[
                    "-c",
                    "touch ran; ls -l /proc/self/fd/0; cat; echo $0",
                    "a b",
                ],
            )
        };
        let mut run = Run::start(&held, KEPT, &cx).unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(!scratch.has("ran"));

        run.release(in_background);
        if let Some(mut stdin) = run.stdin.take() {
            use tokio::io::AsyncWriteExt as _;
            stdin.write_all(input.as_bytes()).await.unwrap();
        }

        let outcome = run.finish(PLENTY, &cx).await.unwrap();
        let text = outcome.stdout.to_text();
        assert!(
            scratch.has("ran") && text.ends_with(&format!("{input}a b\n")),
            "{text}"
        );
        assert_eq!(text.contains("/dev/null"), !in_background, "{text}");
    }
}

#[tokio::test]
async fn held_program_never_runs_if_it_is_dropped() {
    let scratch = Scratch::new();
    let held = Program {
        is_held: true,
        directory: scratch.path().to_owned(),
        ..shell("touch ran")
    };

    drop(Run::start(&held, KEPT, &ToolContext::test()).unwrap());

    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!scratch.has("ran"));
}

#[tokio::test]
async fn signal_leaves_exit_code_empty() {
    use std::os::unix::process::ExitStatusExt;

    let outcome = finished(&shell("kill -SEGV $$")).await;

    let RunEnd::Exited(status) = outcome.end else {
        panic!("{:?}", outcome.end)
    };
    assert_eq!((status.code(), status.signal()), (None, Some(11)));
}

#[tokio::test]
async fn passes_arguments_unchanged() {
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
async fn replaces_invalid_utf8() {
    let outcome = finished(&program("printf", &[r"a\377b"])).await;

    assert_eq!(outcome.stdout.to_text(), "a\u{fffd}b");
}

#[tokio::test]
async fn stdin_is_empty() {
    let outcome = finished(&program("cat", &[])).await;

    assert_eq!((code(&outcome), outcome.stdout.total()), (Some(0), 0));
}

#[tokio::test]
async fn runs_in_working_directory() {
    let scratch = Scratch::new().file("here.txt", "found");
    let mut cat = program("cat", &["here.txt"]);
    cat.directory = scratch.path().to_owned();

    assert_eq!(finished(&cat).await.stdout.to_text(), "found");
}

#[tokio::test]
async fn resolves_relative_program_in_working_directory() {
    let scratch = Scratch::new().file("tool.sh", "#!/bin/sh\necho \"$0\"\n");
    make_executable(&scratch, "tool.sh");
    let mut tool = program("./tool.sh", &[]);
    tool.directory = scratch.path().to_owned();

    assert_eq!(finished(&tool).await.stdout.to_text(), "./tool.sh\n");
}

#[tokio::test]
async fn argv0_is_requested_name() {
    let outcome = finished(&program("ls", &["/no/such/folder"])).await;

    assert!(outcome.stderr.to_text().starts_with("ls: "), "{outcome:?}");
}

#[tokio::test]
async fn environment_is_limited_to_given_variables() {
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
            "GIT_CONFIG_COUNT",
            "GIT_CONFIG_KEY_0",
            "GIT_CONFIG_VALUE_0",
            "GIT_EDITOR",
            "GIT_PAGER",
            "GIT_SEQUENCE_EDITOR",
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
async fn start_errors_have_specific_codes() {
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
        missing.directory = scratch.path().to_owned();
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
async fn rejects_too_long_argument_lists() {
    let long = "x".repeat(8 * 1024 * 1024);

    let error = run(&program("true", &[&long]), PLENTY, &ToolContext::test())
        .await
        .unwrap_err();

    assert_eq!(error.code(), &ErrorCode::InvalidArguments, "{error}");
}

#[tokio::test]
async fn keeps_both_ends_of_large_output() {
    let script = "echo first; head -c 100000000 /dev/zero; echo; echo last";

    let outcome = finished(&shell(script)).await;

    let text = outcome.stdout.to_text();
    assert!(text.starts_with("first\n") && text.ends_with("\nlast\n"));
    assert_eq!(outcome.stdout.total(), 100_000_000 + 12);
    assert_eq!(outcome.stdout.dropped(), 100_000_012 - 65_536);
}

#[tokio::test]
async fn large_stderr_does_not_block_stdout() {
    let script = "head -c 1000000 /dev/zero >&2; echo one; head -c 1000000 /dev/zero >&2; echo two";

    let outcome = finished(&shell(script)).await;

    assert_eq!(outcome.stdout.to_text(), "one\ntwo\n");
    assert_eq!(outcome.stderr.total(), 2_000_000);
}

#[tokio::test]
async fn endless_output_stops_at_timeout() {
    // Under load, the program may write little in a short time.
    for budget in [300, 1000, 10_000].map(Duration::from_millis) {
        let begun = Instant::now();

        let outcome = run(&program("yes", &["more"]), budget, &ToolContext::test())
            .await
            .unwrap();

        assert_eq!(outcome.end, RunEnd::TimedOut);
        assert!(begun.elapsed() < budget + PLENTY);
        if outcome.stdout.dropped() > 0 {
            return;
        }
    }
    panic!("the output was not endless");
}

#[tokio::test]
async fn waits_for_program_with_closed_pipes() {
    let outcome = finished(&shell("exec >&- 2>&-; sleep 0.3; exit 5")).await;

    assert_eq!(code(&outcome), Some(5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_runs_are_isolated() {
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

fn make_executable(scratch: &Scratch, path: &str) {
    use std::os::unix::fs::PermissionsExt;

    fs::set_permissions(scratch.path().join(path), fs::Permissions::from_mode(0o755)).unwrap();
}
