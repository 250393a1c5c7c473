//! Invalid usage, help, and unreadable input.

use tool_test::Scratch;

use super::{run, run_in};

const COMMANDS: [&str; 12] = [
    "list", "call", "batch", "convert", "decode", "encode", "ledger", "validate", "serve", "mcp",
    "pending", "text",
];

#[test]
fn help_of_every_command_has_example() {
    for command in COMMANDS {
        let run = run(&[command, "--help"], "");

        assert_eq!(run.status, Some(0), "{command}");
        let example = run.output.split("Example").nth(1).unwrap_or_default();
        let shown = format!("toolbox {command}");
        assert!(example.contains(&shown), "{command}: {}", run.output);
    }
}

#[test]
fn wrong_usage_exits_with_2() {
    for (arguments, reason) in [
        (&[][..], "Usage:"),
        (&["fly"], "unrecognized subcommand"),
        (&["call"], "<NAME>"),
        (
            &["call", "read", "--timeout", "0"],
            "a number of seconds above 0",
        ),
        (&["call", "read", "--approve", "some"], "all, ask, none"),
        (&["list", "--contract", "mine"], "standard"),
        (&["batch", "--jobs", "0"], "--jobs"),
        (&["convert"], "--provider"),
        (
            &["convert", "--provider", "openai", "--strict", "yes"],
            "auto, on, off",
        ),
        (
            &["convert", "--provider", "openai", "--choice", "a,,b"],
            "a name is empty",
        ),
        (
            &[
                "convert",
                "--provider",
                "openai",
                "--tools",
                "x",
                "--contract",
                "standard",
            ],
            "cannot be used with",
        ),
        (&["validate"], "--tools"),
        (
            &["validate", "--tools", "x", "--coerce", "maybe"],
            "on, off",
        ),
    ] {
        let run = run(arguments, "");

        assert_eq!(
            (run.status, run.output.as_str()),
            (Some(2), ""),
            "{arguments:?}"
        );
        assert!(run.errors.contains(reason), "{arguments:?}: {}", run.errors);
    }
}

#[test]
fn unknown_provider_lists_known_ones() {
    for command in ["convert", "decode", "encode"] {
        let run = run(&[command, "--provider", "open_ai"], "");

        assert_eq!(run.status, Some(2), "{command}");
        let known = "use one of openai, openai_responses, openai_flat, azure, copilot, groq, deepseek, xai, openrouter, \
                     mistral, cohere, anthropic, bedrock, gemini, gemini_openapi, ollama, mcp";
        assert!(run.errors.contains(known), "{command}: {}", run.errors);
    }
}

#[test]
fn unusable_workspace_prints_one_line() {
    let scratch = Scratch::new().file("file.txt", "text");
    for folder in ["missing", "file.txt"] {
        for command in [&["list"][..], &["call", "list"], &["batch"]] {
            let arguments = [command, &["--workspace", folder]].concat();

            let run = run_in(&scratch, &arguments, "");

            assert_eq!(
                (run.status, run.output.as_str()),
                (Some(2), ""),
                "{arguments:?}"
            );
            assert_eq!(run.errors.lines().count(), 1, "{}", run.errors);
            assert!(run.errors.contains(folder), "{}", run.errors);
        }
    }
}

#[test]
fn unreadable_definitions_print_one_line() {
    let scratch = Scratch::new()
        .file("text.json", "not json")
        .file("nameless.json", r#"[{"description": "no name"}]"#);
    for file in ["missing.json", "text.json", "nameless.json"] {
        for command in [
            &["validate"][..],
            &["convert", "--provider", "openai"],
            &["decode", "--provider", "openai"],
        ] {
            let arguments = [command, &["--tools", file]].concat();

            let run = run_in(&scratch, &arguments, "");

            assert_eq!(
                (run.status, run.output.as_str()),
                (Some(2), ""),
                "{arguments:?}"
            );
            assert_eq!(run.errors.lines().count(), 1, "{}", run.errors);
            assert!(run.errors.contains(file), "{}", run.errors);
        }
    }
}

#[cfg(unix)]
#[test]
fn closed_pipe_is_not_error() {
    use std::process::{Command, Stdio};

    let mut child = Command::new(super::PROGRAM.as_path())
        .args(["convert", "--provider", "openai"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());

    let output = child.wait_with_output().unwrap();

    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}
