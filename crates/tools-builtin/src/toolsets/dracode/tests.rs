//! Schemas, examples, formats and errors printed in the source document of the toolset.

mod paths;
mod programs;

use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::approval::Policy;
use tool_core::{DynamicTool, Registry, Tool, ToolDefinition, ToolOutput, ToolResult};
use tool_test::Scratch;

use crate::shell::Bash;
use crate::toolsets::ToolsetName::Dracode;
use crate::toolsets::testing;
use crate::{Kit, Workspace};

async fn call(scratch: &Scratch, tool: &str, arguments: Value) -> ToolResult {
    testing::call(Dracode, scratch, tool, arguments).await
}

fn project() -> Scratch {
    Scratch::new()
        .file("file1.txt", "text\n")
        .file("src/program.cs", "using System;\n    var result = 1;\n")
        .file(
            "src/utils/helper.cs",
            "using System.Linq;\nclass MyAgent {}\n",
        )
}

fn name_of(scratch: &Scratch) -> String {
    Workspace::open(scratch.path()).unwrap().display_name()
}

#[test]
fn schemas_match_document() {
    let printed = [
        (
            "list_files",
            r#"{"type": "object", "properties": {
                "directory": {"type": "string", "description": "Optional path relative to workspace root to list files from"},
                "recursive": {"type": "boolean", "description": "List files recursively", "default": false}}}"#,
        ),
        (
            "read_file",
            r#"{"type": "object", "properties": {
                "file_path": {"type": "string", "description": "Path to the file relative to workspace root"}},
                "required": ["file_path"]}"#,
        ),
        (
            "write_file",
            r#"{"type": "object", "properties": {
                "file_path": {"type": "string", "description": "Path to the file relative to workspace root"},
                "content": {"type": "string", "description": "Text content to write to the file"},
                "create_directories": {"type": "boolean", "description": "Create directories if they do not exist",
                    "default": true}},
                "required": ["file_path", "content"]}"#,
        ),
        (
            "search_code",
            r#"{"type": "object", "properties": {
                "query": {"type": "string", "description": "Text or regex to search for"},
                "directory": {"type": "string", "description": "Optional subdirectory relative to workspace root to search in"},
                "pattern": {"type": "string", "description": "Optional file glob pattern (e.g., *.cs)", "default": "*"},
                "recursive": {"type": "boolean", "description": "Search recursively", "default": true},
                "regex": {"type": "boolean", "description": "Treat query as regular expression", "default": false},
                "case_sensitive": {"type": "boolean", "description": "Case sensitive search", "default": false}},
                "required": ["query"]}"#,
        ),
        (
            "run_command",
            r#"{"type": "object", "properties": {
                "command": {"type": "string", "description": "Executable or shell command to run"},
                "arguments": {"type": "string", "description": "Optional arguments string"},
                "timeout_seconds": {"type": "number", "description": "Optional timeout in seconds", "default": 120}},
                "required": ["command"]}"#,
        ),
    ];

    testing::assert_schemas(Dracode, &printed);
}

#[tokio::test]
async fn output_formats_match_document() {
    for (tool, arguments, text) in [
        (
            "list_files",
            json!({"recursive": true}),
            "file1.txt\nsrc/program.cs\nsrc/utils/helper.cs",
        ),
        ("list_files", json!({"directory": "src"}), "src/program.cs"),
        (
            "list_files",
            json!({"directory": "src", "recursive": true}),
            "src/program.cs\nsrc/utils/helper.cs",
        ),
        ("list_files", json!({"directory": "empty"}), ""),
        ("read_file", json!({"file_path": "file1.txt"}), "text\n"),
        (
            "read_file",
            json!({"file_path": "src/../file1.txt"}),
            "text\n",
        ),
        (
            "write_file",
            json!({"file_path": "src/NewClass.cs", "content": "public class NewClass { }", "create_directories": true}),
            "OK",
        ),
        (
            "write_file",
            json!({"file_path": "file1.txt", "content": ""}),
            "OK",
        ),
        (
            "search_code",
            json!({"query": "SYSTEM"}),
            "src/program.cs:1: using System;\nsrc/utils/helper.cs:1: using System.Linq;",
        ),
        (
            "search_code",
            json!({"query": "var result"}),
            "src/program.cs:2:     var result = 1;",
        ),
        (
            "search_code",
            json!({"query": "class.*Agent", "pattern": "*.cs", "regex": true, "recursive": true}),
            "src/utils/helper.cs:2: class MyAgent {}",
        ),
        ("search_code", json!({"query": "nowhere"}), ""),
        (
            "search_code",
            json!({"query": "system", "case_sensitive": true}),
            "",
        ),
        (
            "search_code",
            json!({"query": "using", "directory": "src", "recursive": false}),
            "src/program.cs:1: using System;",
        ),
    ] {
        let scratch = project().folder("empty");

        let result = call(&scratch, tool, arguments.clone()).await;

        assert_eq!(
            (result.text().as_str(), result.success),
            (text, true),
            "{tool} {arguments}"
        );
    }
}

#[tokio::test]
async fn errors_match_document() {
    let scratch = project();
    let name = name_of(&scratch);
    for (tool, arguments, text, code) in [
        (
            "list_files",
            json!({"directory": "nowhere"}),
            "Error: Directory not found: nowhere".to_owned(),
            "file_not_found",
        ),
        (
            "list_files",
            json!({"directory": "file1.txt"}),
            "Error: Directory not found: file1.txt".to_owned(),
            "not_a_directory",
        ),
        (
            "list_files",
            json!({"directory": "../x"}),
            format!("Error: Access denied. Directory must be in {name}"),
            "path_outside_workspace",
        ),
        (
            "read_file",
            json!({"file_path": "Program.cs"}),
            "Error reading file: Could not find file 'Program.cs'".to_owned(),
            "file_not_found",
        ),
        (
            "read_file",
            json!({"file_path": "../../../etc/passwd"}),
            format!("Error: Access denied. File must be in {name}"),
            "path_outside_workspace",
        ),
        (
            "read_file",
            json!({"file_path": "/tmp/malicious"}),
            format!("Error: Access denied. File must be in {name}"),
            "path_outside_workspace",
        ),
        (
            "read_file",
            json!({"file_path": r"C:\Windows\System32"}),
            format!("Error: Access denied. File must be in {name}"),
            "path_outside_workspace",
        ),
        (
            "read_file",
            json!({"file_path": "src"}),
            "Error reading file: `file_path` is a directory. Use the path of a file inside it.".to_owned(),
            "not_a_file",
        ),
        (
            "write_file",
            json!({"file_path": "no/such/a.txt", "content": "", "create_directories": false}),
            "Error: Directory does not exist: no/such".to_owned(),
            "file_not_found",
        ),
        (
            "write_file",
            json!({"file_path": "../a.txt", "content": ""}),
            format!("Error: Access denied. File must be in {name}"),
            "path_outside_workspace",
        ),
        (
            "write_file",
            json!({"file_path": "src", "content": ""}),
            "Error writing file: `file_path` is a directory. Use the path of a file inside it.".to_owned(),
            "not_a_file",
        ),
        (
            "search_code",
            json!({"query": "x", "directory": "nowhere"}),
            "Error: Directory not found: nowhere".to_owned(),
            "file_not_found",
        ),
        (
            "search_code",
            json!({"query": "x", "directory": "/"}),
            format!("Error: Access denied. Directory must be in {name}"),
            "path_outside_workspace",
        ),
        (
            "search_code",
            json!({"query": "a(b", "regex": true}),
            r"Error searching code: `query` is not a valid regular expression: unclosed group, at character 2. Use `\(` and `\)` for literal parentheses, or search for plain text instead.".to_owned(),
            "invalid_pattern",
        ),
    ] {
        let result = call(&scratch, tool, arguments.clone()).await;

        let found = result.error.as_ref().map(|error| error.code.as_str());
        assert_eq!((result.text(), found), (text, Some(code)), "{tool} {arguments}");
    }
}

#[tokio::test]
async fn command_errors_match_document() {
    for (arguments, text, code) in [
        (
            json!({"command": "no-such-program"}),
            "Error running command: `command` names a program that was not found: `no-such-program`. Check the spelling, use another program, or pass its path relative to the working directory.",
            "command_not_found",
        ),
        (
            json!({"command": "sleep", "arguments": "9", "timeout_seconds": 0.2}),
            "Error: Process timed out",
            "timeout",
        ),
        (
            json!({"command": "./file1.txt"}),
            "Error: Failed to start process",
            "permission_denied",
        ),
    ] {
        let scratch = project();

        let result = call(&scratch, "run_command", arguments.clone()).await;

        let found = result.error.as_ref().map(|error| error.code.as_str());
        assert_eq!(
            (result.text().as_str(), found),
            (text, Some(code)),
            "{arguments}"
        );
    }
}

#[tokio::test]
async fn error_keeps_suggestion_and_parameter() {
    let result = call(&project(), "read_file", json!({"file_path": "file2.txt"})).await;

    let error = result.error.unwrap();
    assert_eq!(error.parameter.as_deref(), Some("file_path"));
    assert_eq!(
        error.suggestion.as_deref(),
        Some("Did you mean `file1.txt`?")
    );
}

#[tokio::test]
async fn timeout_has_no_upper_limit() {
    for seconds in [601.0, 86_400.0, 1e12, 1e300] {
        let arguments = json!({"command": "echo", "arguments": "done", "timeout_seconds": seconds});

        let result = call(&Scratch::new(), "run_command", arguments).await;

        assert_eq!(result.text(), "done\n", "{seconds}");
    }
}

#[tokio::test]
async fn host_limit_of_timeout_applies() {
    let scratch = Scratch::new();
    let mut kit = Kit::new(Workspace::open(scratch.path()).unwrap());
    let limited = Bash::clone(&kit.shell.bash).with_timeout_seconds(1..=5);
    kit.shell.bash = Arc::new(limited);
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .toolset(&super::dracode(&kit).unwrap())
        .unwrap()
        .build();
    let arguments = json!({"command": "true", "timeout_seconds": 6});

    let result = registry.execute("run_command", arguments).await;

    assert_eq!(result.error.unwrap().code.as_str(), "invalid_arguments");
}

#[tokio::test]
async fn missing_required_parameter_is_error_despite_default() {
    let schema = json!({
        "type": "object",
        "properties": {
            "string_param": {"type": "string", "description": "A string parameter", "default": "default_value"},
            "number_param": {"type": "number", "description": "A numeric parameter", "default": 100},
            "boolean_param": {"type": "boolean", "description": "A boolean parameter", "default": false},
            "optional_param": {"type": "string", "description": "An optional parameter"},
        },
        "required": ["string_param", "number_param"],
    });
    let definition = ToolDefinition::new("my_custom_tool", "Does something.", schema.clone());
    let custom = DynamicTool::new(definition, |_, arguments| async {
        Ok(ToolOutput::json(arguments))
    });
    let scratch = Scratch::new();
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
    let toolset = super::dracode(&kit).unwrap().with_tool(custom).unwrap();
    let registry = Registry::builder().toolset(&toolset).unwrap().build();

    let missing = registry
        .execute("my_custom_tool", json!({"string_param": "a"}))
        .await;
    let complete = json!({"string_param": "a", "number_param": 1});
    let complete = registry.execute("my_custom_tool", complete).await;

    let error = missing.error.unwrap();
    assert_eq!(error.code.as_str(), "invalid_arguments");
    assert!(
        error.message.contains("`number_param` is missing"),
        "{}",
        error.message
    );
    let filled = json!({"string_param": "a", "number_param": 1, "boolean_param": false});
    assert_eq!(complete.data, Some(filled));
    let shown = registry.get("my_custom_tool").unwrap();
    assert_eq!(shown.definition().input_schema(), &schema);
}

#[tokio::test]
async fn returns_both_streams_and_ignores_exit_code() {
    for (script, text) in [
        ("printf out; printf err >&2; exit 3", "out\nerr"),
        ("echo out; echo err >&2", "out\nerr\n"),
        ("echo err >&2", "err\n"),
        ("true", ""),
    ] {
        let arguments = json!({"command": "sh", "arguments": format!("-c '{script}'")});

        let result = call(&Scratch::new(), "run_command", arguments).await;

        assert_eq!(
            (result.text().as_str(), result.success),
            (text, true),
            "{script}"
        );
    }
}

#[tokio::test]
async fn timeout_keeps_partial_output() {
    let arguments =
        json!({"command": "sh", "arguments": "-c 'echo begun; sleep 9'", "timeout_seconds": 1});

    let result = call(&Scratch::new(), "run_command", arguments).await;

    assert_eq!(result.text(), "Error: Process timed out\nbegun");
}

#[tokio::test]
async fn ignores_unknown_parameters_with_warning() {
    let result = call(
        &project(),
        "read_file",
        json!({"file_path": "file1.txt", "limit": 3}),
    )
    .await;

    assert!(result.success);
    assert_eq!(result.warnings.len(), 1);
}

#[tokio::test]
async fn truncation_marker_is_last_line() {
    let scratch = (0..1001).fold(Scratch::new(), |scratch, number| {
        scratch.file(&format!("{number:04}"), "match\n")
    });

    let listed = call(&scratch, "list_files", json!({})).await;
    let below = call(&scratch, "list_files", json!({"recursive": true})).await;
    let found = call(&scratch, "search_code", json!({"query": "match"})).await;

    assert!(
        listed.text().ends_with(
            "0998\n0999\n[… more files in this directory; only the first by name are listed]"
        ),
        "{listed}"
    );
    assert!(
        below
            .text()
            .ends_with("0999\n[… more files; list a subdirectory]"),
        "{below}"
    );
    let reported = "0999:1: match\n[… stopped after 1000 matches; there may be more: narrow `directory` or `pattern`]";
    assert!(found.text().ends_with(reported), "{found}");
}
