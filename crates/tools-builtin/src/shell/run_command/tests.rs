use serde_json::{Value, json};
use tool_core::{ErrorCode, ToolOutput};
use tool_test::Scratch;

use super::*;

async fn call(input: Value) -> Result<CommandOutput, ToolError> {
    let scratch = Scratch::new().file("sub/here.txt", "found\n");
    run_in(&scratch, &ToolContext::test(), input).await
}

async fn run_in(
    scratch: &Scratch,
    cx: &ToolContext,
    input: Value,
) -> Result<CommandOutput, ToolError> {
    let tool = RunCommand::new(Workspace::open(scratch.path()).unwrap());
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

#[tokio::test]
async fn splits_command_lines_and_argument_strings() {
    for (input, stdout) in [
        (json!({"command": "echo"}), "\n"),
        (json!({"command": "echo a  b"}), "a b\n"),
        (json!({"command": "echo 'a  b'"}), "a  b\n"),
        (
            json!({"command": "echo", "arguments": "a  'b  c'"}),
            "a b  c\n",
        ),
        (
            json!({"command": "echo", "arguments": ["a  b", "'c'"]}),
            "a  b 'c'\n",
        ),
        (json!({"command": "echo a", "arguments": ""}), "a\n"),
        (json!({"command": "echo a", "arguments": []}), "a\n"),
        (json!({"command": " echo ", "arguments": ["a"]}), "a\n"),
        (json!({"command": "echo $HOME *"}), "$HOME *\n"),
        (
            json!({"command": "cat here.txt", "working_directory": "sub"}),
            "found\n",
        ),
    ] {
        assert_eq!(
            call(input.clone()).await.unwrap(),
            success(stdout),
            "{input}"
        );
    }
}

#[tokio::test]
async fn rejects_invalid_arguments_before_running() {
    for (input, parameter) in [
        (json!({"command": ""}), "command"),
        (json!({"command": "  "}), "command"),
        (json!({"command": "''"}), "command"),
        (json!({"command": " ", "arguments": ["a"]}), "command"),
        (json!({"command": "echo it's"}), "command"),
        (
            json!({"command": "echo", "arguments": "\"open"}),
            "arguments",
        ),
        (
            json!({"command": "echo", "arguments": "end\\"}),
            "arguments",
        ),
        (
            json!({"command": "echo", "timeout_seconds": 0}),
            "timeout_seconds",
        ),
        (
            json!({"command": "echo", "timeout_seconds": 601}),
            "timeout_seconds",
        ),
    ] {
        let error = call(input.clone()).await.unwrap_err();

        assert_eq!(error.code(), &ErrorCode::InvalidArguments, "{input}");
        assert_eq!(error.parameter(), Some(parameter), "{input}");
    }
}

#[tokio::test]
async fn any_exit_code_is_success() {
    let cx = ToolContext::test();
    let input = json!({"command": "sh", "arguments": ["-c", "echo out; echo err >&2; exit 7"]});

    let output = run_in(&Scratch::new(), &cx, input).await.unwrap();

    assert_eq!(output.exit_code, Some(7));
    assert_eq!(
        RunCommand::render(&output),
        "out\nstderr:\nerr\nexit code 7"
    );
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
async fn host_sets_timeout_range() {
    let scratch = Scratch::new();
    let tool =
        RunCommand::new(Workspace::open(scratch.path()).unwrap()).with_timeout_seconds(2..=900);

    for (seconds, is_taken) in [(1, false), (2, true), (900, true), (901, false)] {
        let input = json!({"command": "true", "timeout_seconds": seconds});
        let input = serde_json::from_value(input).unwrap();
        assert_eq!(
            tool.plan(&ToolContext::test(), &input).is_ok(),
            is_taken,
            "{seconds}"
        );
    }
    assert_eq!(tool.timeout(), Some(Duration::from_secs(930)));
}

#[tokio::test]
async fn rejects_directory_outside_workspace() {
    for (folder, code) in [
        ("..", ErrorCode::PathOutsideWorkspace),
        ("/etc", ErrorCode::PathOutsideWorkspace),
        ("missing", ErrorCode::FileNotFound),
        ("sub/here.txt", ErrorCode::NotADirectory),
    ] {
        let input = json!({"command": "touch made", "working_directory": folder});

        let error = call(input).await.unwrap_err();

        assert_eq!(error.code(), &code, "{folder}");
        assert_eq!(error.parameter(), Some("working_directory"), "{folder}");
    }
}

#[tokio::test]
async fn runs_workspace_script_by_relative_path() {
    use std::os::unix::fs::PermissionsExt;

    let scratch = Scratch::new().file("sub/tool.sh", "#!/bin/sh\necho \"$0\"; pwd\n");
    let script = scratch.path().join("sub/tool.sh");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let input = json!({"command": "./tool.sh", "working_directory": "sub"});

    let output = run_in(&scratch, &ToolContext::test(), input).await.unwrap();

    let folder = script.parent().unwrap().canonicalize().unwrap();
    assert_eq!(output.stdout, format!("./tool.sh\n{}\n", folder.display()));
}

#[tokio::test]
async fn reports_signal() {
    let cx = ToolContext::test();
    let input = json!({"command": "sh", "arguments": ["-c", "kill -KILL $$"]});

    let output = run_in(&Scratch::new(), &cx, input).await.unwrap();

    assert_eq!(output.exit_code, None);
    assert_eq!(report(&cx).metadata["signal"], 9);
    assert_eq!(RunCommand::render(&output), "killed by signal 9 (SIGKILL)");
}

#[tokio::test]
async fn timeout_error_contains_partial_output() {
    let input =
        json!({"command": "sh", "arguments": ["-c", "echo begun; sleep 30"], "timeout_seconds": 1});

    let error = call(input).await.unwrap_err();

    assert_eq!(error.code(), &ErrorCode::Timeout);
    let output = error.output().unwrap();
    assert_eq!(
        output.data,
        Some(json!({"stdout": "begun\n", "stderr": "", "exit_code": null, "timed_out": true}))
    );
    assert_eq!(output.content, ToolOutput::text("begun").content);
}

#[tokio::test]
async fn call_cancelled_before_start_runs_nothing() {
    let scratch = Scratch::new();
    let cx = ToolContext::test();
    cx.cancellation().cancel();

    let error = run_in(&scratch, &cx, json!({"command": "touch made"})).await;

    assert_eq!(error.unwrap_err().code(), &ErrorCode::Cancelled);
    assert!(!scratch.has("made"));
}

#[tokio::test]
async fn warns_about_shell_operators() {
    let cx = ToolContext::test();
    let input = json!({"command": "echo a | wc"});

    let output = run_in(&Scratch::new(), &cx, input).await.unwrap();

    assert_eq!(output.stdout, "a | wc\n");
    assert_eq!(
        report(&cx).warnings,
        ["Commands run without a shell: `|` was passed to the program unchanged."]
    );
}

#[tokio::test]
async fn shell_builtin_suggests_alternative() {
    let error = call(json!({"command": "cd sub"})).await.unwrap_err();

    assert_eq!(error.code(), &ErrorCode::CommandNotFound);
    assert_eq!(
        error.to_string(),
        "`command` names a program that was not found: `cd`. Each command starts in the same directory, so pass paths relative to it. Set `working_directory` to start in another one."
    );
}

#[tokio::test]
async fn keeps_both_ends_of_long_output() {
    let cx = ToolContext::test();
    let input = json!({"command": "seq 1 100"});

    let scratch = Scratch::new();
    let mut tool = RunCommand::new(Workspace::open(scratch.path()).unwrap());
    tool.launcher.output.max_bytes = 20;

    let output = tool
        .run(&cx, serde_json::from_value(input).unwrap())
        .await
        .unwrap();

    assert_eq!(
        output.stdout,
        "1\n2\n3\n4\n5\n[… 272 bytes in 92 lines omitted of 292 bytes in total]\n98\n99\n100\n"
    );
    assert_eq!(report(&cx).metadata["stdout_bytes_left_out"], 272);
}

#[test]
fn schema_has_both_argument_forms() {
    let schema = tool_core::schema_of::<RunCommandInput>();

    assert_eq!(schema["required"], json!(["command"]));
    assert_eq!(schema["properties"]["timeout_seconds"]["default"], 120);
    assert_eq!(schema["properties"]["timeout_seconds"]["maximum"], 600);
    assert_eq!(schema["properties"]["working_directory"]["default"], ".");
    assert_eq!(
        schema["properties"]["arguments"]["anyOf"],
        json!([
            {
                "description": "Arguments that are passed unchanged.",
                "items": {"type": "string"},
                "type": "array",
            },
            {
                "description": "String that is split at spaces outside quotes.",
                "type": "string",
            },
        ])
    );
}

fn report(cx: &ToolContext) -> ToolOutput {
    let mut output = ToolOutput::default();
    cx.move_additions_to(&mut output);
    output
}

#[tokio::test]
async fn misplaced_arguments_suggest_correct_form() {
    for (input, suggestion) in [
        (
            json!({"command": "git status", "arguments": ["-s"]}),
            "Pass only the program as the command, and the rest as arguments.",
        ),
        (
            json!({"command": "FOO=1 env"}),
            "Run `env` with the variables and the program as its arguments. Commands run without a shell.",
        ),
    ] {
        let error = call(input).await.unwrap_err();

        assert_eq!(
            (error.code(), error.suggestion()),
            (&ErrorCode::CommandNotFound, Some(suggestion))
        );
    }
}

#[tokio::test]
async fn warns_about_shell_syntax() {
    for (input, word) in [
        (json!({"command": "echo a >b"}), Some(">b")),
        (
            json!({"command": "echo a 2>/dev/null"}),
            Some("2>/dev/null"),
        ),
        (json!({"command": "echo a; echo b"}), Some("a;")),
        (json!({"command": "echo $HOME"}), Some("$HOME")),
        (
            json!({"command": "echo", "arguments": "a $(id)"}),
            Some("$(id)"),
        ),
        (json!({"command": "echo '$1' a;b -> x"}), None),
        (
            json!({"command": "echo", "arguments": ["$HOME", ">b", "a;"]}),
            None,
        ),
    ] {
        let cx = ToolContext::test();

        run_in(&Scratch::new(), &cx, input.clone()).await.unwrap();

        let expected = word.map(|word| {
            format!("Commands run without a shell: `{word}` was passed to the program unchanged.")
        });
        assert_eq!(report(&cx).warnings, Vec::from_iter(expected), "{input}");
    }
}

#[tokio::test]
async fn memory_limit_keeps_name_and_arguments() {
    use std::os::unix::fs::PermissionsExt;

    let scratch = Scratch::new().file("tool.sh", "#!/bin/sh\nulimit -v; echo \"$0|$1|$2\"\n");
    let script = scratch.path().join("tool.sh");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let workspace = Workspace::open(scratch.path()).unwrap();
    let tool = RunCommand::new(workspace).with_memory_limit(100_000_000);
    let cx = ToolContext::test();
    let run = async |input| {
        let input = serde_json::from_value(input).unwrap();
        tool.run(&cx, input).await
    };

    let tool = run(json!({"command": "./tool.sh", "arguments": ["a b", "$HOME"]})).await;
    let missing = run(json!({"command": "no-such-program"})).await;

    assert_eq!(tool.unwrap(), success("97656\n./tool.sh|a b|$HOME\n"));
    assert_eq!(missing.unwrap_err().code(), &ErrorCode::CommandNotFound);
    assert_eq!(report(&cx).metadata["memory_limit_bytes"], 97_656 * 1024);
}
