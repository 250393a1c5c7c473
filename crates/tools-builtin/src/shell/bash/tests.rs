mod output;

use serde_json::{Value, json};
use tool_core::{ErrorCode, Timestamp, ToolOutput};
use tool_test::Scratch;

use super::*;
use crate::shell::{Environment, TerminalHistory};

async fn call(command: &str) -> CommandOutput {
    run(json!({"command": command})).await.unwrap()
}

async fn run(input: Value) -> Result<CommandOutput, ToolError> {
    let scratch = Scratch::new().file("sub/here.txt", "found\n");
    run_with(&tool(&scratch), &ToolContext::test(), input).await
}

fn tool(scratch: &Scratch) -> Bash {
    Bash::new(Workspace::open(scratch.path()).unwrap())
}

async fn run_with(tool: &Bash, cx: &ToolContext, input: Value) -> Result<CommandOutput, ToolError> {
    let input = serde_json::from_value(input).unwrap();
    drop(tool.plan(&ToolContext::test(), &input)?);
    tool.run(cx, input).await
}

fn success(stdout: &str) -> CommandOutput {
    CommandOutput {
        stdout: stdout.to_owned(),
        exit_code: Some(0),
        output: stdout.to_owned(),
        ..CommandOutput::default()
    }
}

fn report(cx: &ToolContext) -> ToolOutput {
    let mut output = ToolOutput::default();
    cx.move_additions_to(&mut output);
    output
}

#[tokio::test]
async fn runs_bash_syntax() {
    for (command, stdout) in [
        ("echo one; echo two", "one\ntwo\n"),
        ("echo one\necho two", "one\ntwo\n"),
        ("printf 'b\\na\\n' | sort", "a\nb\n"),
        ("cat sub/*.txt", "found\n"),
        ("cd sub && cat here.txt", "found\n"),
        ("x='a  b'; echo \"$x\"", "a  b\n"),
        ("echo $(echo inner)", "inner\n"),
        ("cat <<END\nlines\nEND", "lines\n"),
        (
            "[[ ab == a* ]] && echo $BASH_VERSINFO >/dev/null; echo ok",
            "ok\n",
        ),
        ("echo \"$0\"", "bash\n"),
        ("# only a comment", ""),
        ("echo größe", "größe\n"),
    ] {
        assert_eq!(call(command).await, success(stdout), "{command}");
    }
}

#[tokio::test]
async fn leading_hyphen_is_not_option() {
    for command in ["-i", "-l -c id", "--version", "-"] {
        let output = call(command).await;

        assert_eq!(output.exit_code, Some(127), "{command}: {output}");
        assert!(output.stderr.contains("command not found"), "{output}");
    }
}

#[tokio::test]
async fn resolves_working_directory_in_workspace() {
    let input = json!({"command": "cat here.txt", "working_directory": "sub"});
    assert_eq!(run(input).await.unwrap(), success("found\n"));

    for (folder, code) in [
        ("..", ErrorCode::PathOutsideWorkspace),
        ("/etc", ErrorCode::PathOutsideWorkspace),
        ("missing", ErrorCode::FileNotFound),
        ("sub/here.txt", ErrorCode::NotADirectory),
    ] {
        let input = json!({"command": "touch made", "working_directory": folder});

        let error = run(input).await.unwrap_err();

        assert_eq!(error.code(), &code, "{folder}");
        assert_eq!(error.parameter(), Some("working_directory"), "{folder}");
    }
}

#[tokio::test]
async fn reports_exit_code_as_success() {
    let cx = ToolContext::test();
    let input = json!({"command": "echo out; echo err >&2; exit 7"});

    let output = run_with(&tool(&Scratch::new()), &cx, input).await.unwrap();

    assert_eq!(Bash::render(&output), "out\nstderr:\nerr\nexit code 7");
    let mut metadata = report(&cx).metadata;
    let mechanism = metadata.remove("process_tree");
    let mechanisms =
        ["cgroup", "subreaper", "cookie", "process_group"].map(|name| Some(json!(name)));
    assert!(mechanisms.contains(&mechanism), "{mechanism:?}");
    assert_eq!(
        metadata,
        [
            ("exit_code", json!(7)),
            ("sandbox", json!({"enforced": false})),
            ("stdout_lines", json!(1)),
            ("stderr_lines", json!(1)),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    );
}

#[tokio::test]
async fn reports_signal_number_and_name() {
    let cx = ToolContext::test();

    let output = run_with(
        &tool(&Scratch::new()),
        &cx,
        json!({"command": "kill -TERM $$"}),
    )
    .await
    .unwrap();

    assert_eq!((output.exit_code, output.signal), (None, Some(15)));
    assert_eq!(Bash::render(&output), "killed by signal 15 (SIGTERM)");
    assert_eq!(report(&cx).metadata["signal"], 15);
}

#[tokio::test]
async fn rejects_invalid_input_before_running() {
    let long = "x".repeat(128 * 1024);
    for (input, parameter) in [
        (json!({"command": ""}), "command"),
        (json!({"command": " \n\t"}), "command"),
        (json!({"command": "echo a\u{0}b"}), "command"),
        (json!({"command": long}), "command"),
        (
            json!({"command": "true", "timeout_seconds": 0}),
            "timeout_seconds",
        ),
        (
            json!({"command": "true", "timeout_seconds": 301}),
            "timeout_seconds",
        ),
        (json!({"command": "true", "background": true}), "background"),
    ] {
        let error = run(input).await.unwrap_err();

        assert_eq!(error.code(), &ErrorCode::InvalidArguments, "{error}");
        assert_eq!(error.parameter(), Some(parameter), "{error}");
        assert!(error.to_string().len() < 200, "{error}");
    }
}

#[tokio::test]
async fn runs_command_of_maximum_length() {
    let line = format!("echo {}", "x".repeat(MAX_COMMAND_BYTES - 5));
    let scratch = Scratch::new();
    let unfiltered = tool(&scratch).without_filter();

    let input = json!({"command": line});
    let output = run_with(&unfiltered, &ToolContext::test(), input.clone()).await;
    let input = serde_json::from_value(input).unwrap();
    let plan = tool(&scratch).plan(&ToolContext::test(), &input);

    assert_eq!(output.unwrap().stdout.len(), 65_600);
    assert!(plan.unwrap().findings.reason().is_some());
}

#[tokio::test]
async fn host_sets_timeout_range() {
    let tool = tool(&Scratch::new()).with_timeout_seconds(2..=900);

    for (seconds, taken) in [(1, false), (2, true), (900, true), (901, false)] {
        let input = json!({"command": "true", "timeout_seconds": seconds});
        let input = serde_json::from_value(input).unwrap();
        assert_eq!(
            tool.plan(&ToolContext::test(), &input).is_ok(),
            taken,
            "{seconds}"
        );
    }
    assert_eq!(tool.timeout(), Some(Duration::from_secs(930)));
}

#[tokio::test]
async fn timeout_error_contains_partial_output() {
    let input = json!({"command": "echo begun; sleep 30; echo over", "timeout_seconds": 1});

    let error = run(input).await.unwrap_err();

    assert_eq!(error.code(), &ErrorCode::Timeout);
    assert_eq!(
        error.output().unwrap().data,
        Some(json!({"stdout": "begun\n", "stderr": "", "exit_code": null, "timed_out": true}))
    );
}

#[tokio::test]
async fn reads_no_startup_files() {
    let scratch = Scratch::new()
        .file("evil.sh", "echo evil\n")
        .file(".bashrc", "echo evil\n")
        .file(".profile", "echo evil\n");
    let evil = scratch.path().join("evil.sh");
    let environment = Environment::of_host()
        .with("HOME", scratch.path())
        .with("BASH_ENV", &evil)
        .with("ENV", &evil)
        .with("SSH_CLIENT", "203.0.113.1 1 22")
        .with("SHELL", "/bin/false");
    let tool = tool(&scratch).with_environment(environment);
    let command = "echo ${BASH_ENV-none} ${ENV-none}; shopt -q login_shell || echo no login";

    let output = run_with(&tool, &ToolContext::test(), json!({"command": command}))
        .await
        .unwrap();

    assert_eq!(output, success("none none\nno login\n"));
}

#[tokio::test]
async fn failed_command_names_removed_variable() {
    let host = [("PATH", "/usr/bin:/bin"), ("GITHUB_TOKEN", "hunter2")];
    let environment = Environment::of(host.map(|(name, value)| (name.into(), value.into())));
    let scratch = Scratch::new();
    let tool = tool(&scratch).with_environment(environment);
    for (command, is_named) in [
        ("set -u; echo $GITHUB_TOKEN", true),
        ("echo GITHUB_TOKEN", false),
    ] {
        let cx = ToolContext::test();

        run_with(&tool, &cx, json!({"command": command}))
            .await
            .unwrap();

        let warnings = report(&cx).warnings;
        let is_warning =
            |text: &String| text.contains("`GITHUB_TOKEN`") && !text.contains("hunter2");
        assert_eq!(warnings.iter().any(is_warning), is_named, "{warnings:?}");
    }
}

#[tokio::test]
async fn falls_back_to_sh_without_bash() {
    let scratch = Scratch::new().folder("bin");
    std::os::unix::fs::symlink("/bin/sh", scratch.path().join("bin/sh")).unwrap();
    let path = scratch.path().join("bin");
    let with_sh = Environment::of([]).with("PATH", &path);
    let with_none = Environment::of([]).with("PATH", scratch.path());
    let (cx, input) = (ToolContext::test(), json!({"command": "echo \"$0\""}));

    let [found, missing] =
        [with_sh, with_none].map(|environment| tool(&scratch).with_environment(environment));

    let found = run_with(&found, &cx, input.clone()).await.unwrap();
    let missing = run_with(&missing, &cx, input).await.unwrap_err();

    assert_eq!(found.stdout, "sh\n");
    assert_eq!(missing.code(), &ErrorCode::CommandNotFound);
}

#[tokio::test]
async fn keeps_no_state_between_calls() {
    let scratch = Scratch::new().folder("sub");
    let (tool, cx) = (tool(&scratch), ToolContext::test());

    run_with(&tool, &cx, json!({"command": "cd sub; x=1; export x"}))
        .await
        .unwrap();
    let output = run_with(&tool, &cx, json!({"command": "echo ${x-unset} ${PWD##*/}"}))
        .await
        .unwrap();

    let folder = scratch.path().canonicalize().unwrap();
    let name = folder.file_name().unwrap().to_str().unwrap();
    assert_eq!(output.stdout, format!("unset {name}\n"));
}

#[tokio::test]
async fn memory_limit_applies_to_child_processes() {
    let tool = tool(&Scratch::new()).with_memory_limit(256 * 1024 * 1024);
    let cx = ToolContext::test();
    let greedy = "head -c 400000000 /dev/zero | tail -c 400000000 | wc -c; ulimit -v";

    let output = run_with(&tool, &cx, json!({"command": greedy}))
        .await
        .unwrap();

    assert_eq!(output.stdout, "0\n262144\n", "{output}");
    assert!(!output.stderr.is_empty());
    assert_eq!(
        report(&cx).metadata["memory_limit_bytes"],
        256 * 1024 * 1024
    );
}

#[tokio::test]
async fn memory_limit_keeps_name_and_arguments_of_program() {
    use std::os::unix::fs::PermissionsExt;

    let scratch = Scratch::new().file("tool.sh", "#!/bin/sh\nulimit -v; echo \"$0|$1|$2\"\n");
    let script = scratch.path().join("tool.sh");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let tool = tool(&scratch).with_memory_limit(100_000_000);
    let cx = ToolContext::test();
    let run = async |words: &[&str]| {
        let input = BashInput {
            program: Some(Argv {
                words: words.iter().map(|word| (*word).to_owned()).collect(),
                has_arguments: true,
            }),
            ..BashInput::of(String::new())
        };
        tool.run(&cx, input).await
    };

    let script = run(&["./tool.sh", "a b", "$HOME"]).await;
    let missing = run(&["no-such-program"]).await;

    assert_eq!(script.unwrap(), success("97656\n./tool.sh|a b|$HOME\n"));
    assert_eq!(missing.unwrap_err().code(), &ErrorCode::CommandNotFound);
    assert_eq!(report(&cx).metadata["memory_limit_bytes"], 97_656 * 1024);
}

#[tokio::test]
async fn records_commands_in_history() {
    let noon = Timestamp::parse("2025-11-10T12:00:00Z").unwrap();
    let history = TerminalHistory::default().with_clock(move || noon);
    let scratch = Scratch::new();
    let tool = tool(&scratch).with_history(history.clone());
    let cx = ToolContext::test();
    let executed = |command: &str, exit_code, output: &str| {
        Some(crate::shell::terminal::ExecutedCommand {
            command: command.to_owned(),
            exit_code,
            executed_at: noon,
            output: output.to_owned(),
        })
    };

    assert_eq!(history.last(), None);
    for (input, expected) in [
        (
            json!({"command": "echo a; exit 2"}),
            executed("echo a; exit 2", Some(2), "a\n"),
        ),
        (
            json!({"command": "echo b; sleep 9", "timeout_seconds": 1}),
            executed("echo b; sleep 9", None, "b\n"),
        ),
        (
            json!({"command": "true", "working_directory": "missing"}),
            executed("echo b; sleep 9", None, "b\n"),
        ),
    ] {
        let _ = run_with(&tool, &cx, input.clone()).await;

        assert_eq!(history.last(), expected, "{input}");
    }
}

#[test]
fn schema_has_defaults_and_ranges() {
    let schema = tool_core::schema_of::<BashInput>();

    assert_eq!(schema["required"], json!(["command"]));
    let timeout = &schema["properties"]["timeout_seconds"];
    assert_eq!(
        [
            &timeout["default"],
            &timeout["minimum"],
            &timeout["maximum"]
        ],
        [30, 1, 300]
    );
    assert_eq!(schema["properties"]["working_directory"]["default"], ".");
    assert_eq!(schema["properties"]["background"]["default"], false);
}

#[cfg(unix)]
#[tokio::test]
async fn git_ignores_bare_repositories_that_are_not_named() {
    let scratch = Scratch::new();
    let tool = tool(&scratch).without_filter();
    let run = async |command: &str| {
        let input = json!({"command": command});
        run_with(&tool, &ToolContext::test(), input).await.unwrap()
    };
    let made = "git init -q --bare made && git --git-dir=made config alias.run '!echo it ran'";
    assert_eq!(run(made).await.exit_code, Some(0));

    let found = run("cd made && git run").await;
    let named = run("cd made && git --git-dir=. run").await;

    assert_ne!(found.exit_code, Some(0));
    assert!(!found.stdout.contains("it ran"), "{found}");
    assert_eq!(named.stdout, "it ran\n");
}

#[tokio::test]
async fn processes_left_behind_are_terminated_and_reported() {
    let one = "1 process was still running and was terminated when the command exited.";
    let two = "2 processes were still running and were terminated when the command exited.";
    for (command, reported) in [
        ("sleep 4090.5 & echo done", one),
        ("nohup sleep 4090.5 >/dev/null 2>&1 & echo done", one),
        ("(setsid sleep 4090.5 &) ; sleep 4090.5 & echo done", two),
        ("sleep 0.01 & wait; echo done", ""),
        ("echo done | cat", ""),
    ] {
        let scratch = Scratch::new();
        let bash = tool(&scratch);
        let with_background = bash.clone().with_background(BackgroundCommands::default());
        let (cx, other) = (ToolContext::test(), ToolContext::test());

        let output = run_with(&bash, &cx, json!({"command": command})).await;
        run_with(&with_background, &other, json!({"command": command}))
            .await
            .unwrap();

        assert_eq!(output.unwrap().stdout, "done\n", "{command}");
        let (warnings, others) = (report(&cx).warnings, report(&other).warnings);
        assert_eq!(warnings.is_empty(), reported.is_empty(), "{warnings:?}");
        assert!(warnings.iter().all(|warning| warning.starts_with(reported)));
        assert!(
            others
                .iter()
                .all(|warning| warning.contains("`background`"))
        );
    }
}

#[tokio::test]
async fn git_never_opens_an_editor() {
    let script = "git init -q . && git config user.name a && git config user.email a@b \
        && git commit -q --allow-empty -m one && git commit -q --allow-empty -m two \
        && git commit -q --allow-empty --amend && git rebase -q -i HEAD~1 && git log --format=%s && echo \"[$EDITOR$VISUAL]\"";

    let output = call(script).await;

    assert_eq!(output.stdout, "two\none\n[]\n", "{output:?}");
}
