//! `--contract`: the document sets.

use serde_json::json;
use tool_test::Scratch;

use super::{Run, json_lines, run, run_in};

fn call(scratch: &Scratch, toolset: &str, arguments: &[&str]) -> Run {
    let toolset = ["call", "--contract", toolset];
    run_in(scratch, &[&toolset, arguments].concat(), "")
}

#[test]
fn lists_tools_of_each_set() {
    for (toolset, tools) in [
        (
            "dracode",
            &[
                "list_files",
                "read_file",
                "write_file",
                "search_code",
                "run_command",
            ][..],
        ),
        (
            "repo_explorer",
            &[
                "list_dirs",
                "list_files",
                "read_file",
                "search_code",
                "todo_manager",
                "validate_output",
            ],
        ),
        ("ryan", &["execute_bash", "read_file"]),
        (
            "cli_agent",
            &[
                "create_file",
                "read_file",
                "replace_string_in_file",
                "list_dir",
                "file_search",
                "grep_search",
                "run_in_terminal",
                "terminal_last_command",
                "create_directory",
                "fetch_webpage",
            ],
        ),
        (
            "assistant",
            &[
                "bash",
                "read_file",
                "write_file",
                "append_file",
                "linkedin_jobs",
                "linkedin_job_detail",
                "web_fetch",
            ],
        ),
    ] {
        let listed = run(&["list", "--contract", toolset], "").document();

        let names: Vec<&str> = listed
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        assert_eq!(names, tools, "{toolset}");
    }
}

#[test]
fn call_uses_wording_of_set() {
    let scratch = Scratch::new().file("Program.cs", "using System;\n");
    for (toolset, tool, arguments, text, status) in [
        (
            "dracode",
            "read_file",
            r#"{"file_path": "Program.cs"}"#,
            "using System;\n",
            0,
        ),
        (
            "dracode",
            "read_file",
            r#"{"file_path": "Main.cs"}"#,
            "Error reading file: Could not find file 'Main.cs'",
            1,
        ),
        (
            "repo_explorer",
            "list_files",
            "{}",
            r#"{"files":[{"path":"Program.cs","name":"Program.cs","size":14}],"truncated":false}"#,
            0,
        ),
        (
            "ryan",
            "read_file",
            r#"{"path": "Program.cs", "end_line": 1.0}"#,
            "using System;",
            0,
        ),
        (
            "cli_agent",
            "list_dir",
            "{}",
            "Contents of .:\n  Program.cs\n",
            0,
        ),
        (
            "assistant",
            "read_file",
            r#"{"path": "Program.cs"}"#,
            "using System;\n",
            0,
        ),
    ] {
        let run = call(&scratch, toolset, &[tool, arguments]);

        let result = run.document();
        assert_eq!(result["content"][0]["text"], text, "{toolset}");
        assert_eq!(run.status, Some(status), "{toolset}");
    }
}

#[test]
fn writing_requires_approval_only_in_cli_agent() {
    let create = ["create_file", r#"{"path": "a.txt", "content": "a"}"#];
    let write = ["write_file", r#"{"file_path": "a.txt", "content": "a"}"#];
    for (toolset, arguments, approval, code) in [
        ("cli_agent", create, &[][..], json!("approval_denied")),
        ("cli_agent", create, &["--approve", "all"], json!(null)),
        ("dracode", write, &[], json!(null)),
    ] {
        let run = call(
            &Scratch::new(),
            toolset,
            &[&arguments[..], approval].concat(),
        );

        assert_eq!(
            run.document()["error"]["code"],
            code,
            "{toolset} {approval:?}"
        );
    }
}

#[test]
fn human_output_has_printed_block() {
    let scratch = Scratch::new();
    let content = "x".repeat(125);
    let arguments = json!({"path": "hello.py", "content": content}).to_string();

    let run = call(
        &scratch,
        "cli_agent",
        &["create_file", &arguments, "--approve", "all", "--human"],
    );

    let place = std::path::absolute(scratch.path().join("hello.py")).unwrap();
    let printed = format!(
        "✓ Created file: hello.py (125 bytes)\n  Location: {}\n  Time: ",
        place.display()
    );
    assert!(run.output.starts_with(&printed), "{}", run.output);
    assert!(run.output.ends_with("ms\n"));
}

#[test]
fn human_output_has_error_once() {
    let run = call(
        &Scratch::new(),
        "dracode",
        &["read_file", r#"{"file_path": "a"}"#, "--human"],
    );

    assert!(
        run.output
            .starts_with("✗ Error reading file: Could not find file 'a'\n"),
        "{}",
        run.output
    );
}

#[test]
fn batch_uses_one_registry() {
    let scratch = Scratch::new();
    let lines = json_lines(&[
        json!({"id": 1, "tool": "run_in_terminal", "arguments": {"command": "echo one"}}),
        json!({"id": 2, "tool": "nothing", "arguments": {}}),
    ]);
    let one_by_one = [
        "batch",
        "--contract",
        "cli_agent",
        "--approve",
        "all",
        "--jobs",
        "1",
    ];

    let answers = run_in(&scratch, &one_by_one, &lines).lines();

    assert_eq!(answers[0]["content"][0]["text"], "Command output:\none\n");
    assert_eq!(answers[1]["error"]["code"], "tool_not_found");
}

#[test]
fn validates_arguments_against_set() {
    let lines = json_lines(&[
        json!({"id": 1, "tool": "grep_search", "text": "{pattern: \"TODO\"}"}),
        json!({"id": 2, "tool": "grep_search", "arguments": {"is_regex": true}}),
    ]);

    let answers = run(&["validate", "--contract", "cli_agent"], &lines).lines();

    assert_eq!(
        (&answers[0]["outcome"], &answers[0]["arguments"]),
        (
            &json!("repaired"),
            &json!({"pattern": "TODO", "is_regex": false, "max_results": 100})
        )
    );
    assert_eq!(answers[1]["error"]["issues"][0]["keyword"], "required");
}

#[test]
fn converts_set_as_documented() {
    let read_file = json!({
        "type": "object",
        "properties": {
            "file_path": {"type": "string", "description": "Path to the file relative to workspace root"},
        },
        "required": ["file_path"],
    });
    let described = "Read the contents of a file in the workspace.";
    for (provider, place, printed) in [
        (
            "openai",
            "/tools/1",
            json!({
                "type": "function",
                "function": {"name": "read_file", "description": described, "parameters": read_file},
            }),
        ),
        (
            "anthropic",
            "/tools/1",
            json!({"name": "read_file", "description": described, "input_schema": read_file}),
        ),
        (
            "gemini_openapi",
            "/tools/0/functionDeclarations/1",
            json!({"name": "read_file", "description": described, "parameters": read_file}),
        ),
    ] {
        let arguments = [
            "convert",
            "--provider",
            provider,
            "--contract",
            "dracode",
            "--strict",
            "off",
        ];

        let converted = run(&arguments, "").document();

        assert_eq!(converted.pointer(place), Some(&printed), "{provider}");
        assert_eq!(converted["losses"], json!([]), "{provider}");
    }
}
