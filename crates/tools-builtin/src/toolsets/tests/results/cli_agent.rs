//! `{tool?, success, output, files_affected, execution_time_ms, metadata?, error?}`.

use serde_json::{Value, json};

use super::{failed, succeeded};
use crate::toolsets::CliAgentResult;
use tool_core::{ErrorCode, ToolError, ToolResult};

/// Each tool with its printed response.
const PRINTED: [(&str, &str); 10] = [
    (
        "create_file",
        r#"{"success": true, "output": "Created file: hello.py (125 bytes)",
            "files_affected": ["hello.py"], "execution_time_ms": 5}"#,
    ),
    (
        "read_file",
        r#"{"success": true, "output": "Contents of hello.py (lines 1-10):\n...",
            "files_affected": [], "execution_time_ms": 2,
            "metadata": {"total_lines": 50, "lines_returned": 10, "file_size_bytes": 1250}}"#,
    ),
    (
        "replace_string_in_file",
        r#"{"success": true, "output": "Replaced 1 occurrence in hello.py",
            "files_affected": ["hello.py"], "execution_time_ms": 3,
            "metadata": {"occurrences_found": 1, "occurrences_replaced": 1, "lines_changed": [5]}}"#,
    ),
    (
        "list_dir",
        r#"{"success": true, "output": "Contents of ./src:\n  app.py\n  utils.py\n  models/\n",
            "files_affected": [], "execution_time_ms": 2,
            "metadata": {"total_entries": 3, "files": 2, "directories": 1}}"#,
    ),
    (
        "file_search",
        r#"{"success": true, "output": "Found 5 files matching '**/*.go':\n  cmd/main.go\n  internal/agent.go\n  ...",
            "files_affected": [], "execution_time_ms": 15, "metadata": {"matches": 5, "pattern": "**/*.go"}}"#,
    ),
    (
        "grep_search",
        r#"{"success": true, "output": "Found 3 matches for 'TODO':\n  app.py:15: # TODO: implement\n  ...",
            "files_affected": [], "execution_time_ms": 25,
            "metadata": {"total_matches": 3, "files_searched": 10, "pattern": "TODO"}}"#,
    ),
    (
        "run_in_terminal",
        r#"{"success": true, "output": "Command output:\n<stdout content>\n",
            "files_affected": [], "execution_time_ms": 150,
            "metadata": {"exit_code": 0, "stdout_lines": 5, "stderr_lines": 0}}"#,
    ),
    (
        "terminal_last_command",
        r#"{"success": true, "output": "Last command: git status\nOutput: ...",
            "files_affected": [], "execution_time_ms": 1,
            "metadata": {"command": "git status", "exit_code": 0, "executed_at": "2025-11-10T10:05:00Z"}}"#,
    ),
    (
        "create_directory",
        r#"{"success": true, "output": "Created directory: src/models",
            "files_affected": ["src/models"], "execution_time_ms": 3, "metadata": {"created_parents": ["src"]}}"#,
    ),
    (
        "fetch_webpage",
        r#"{"success": true, "output": "Fetched content from https://example.com (5.2 KB)",
            "files_affected": [], "execution_time_ms": 250,
            "metadata": {"url": "https://example.com", "status_code": 200,
                "content_length": 5324, "content_type": "text/html"}}"#,
    ),
];

/// Returns the result for a printed response.
fn result_of(name: &str, printed: &Value) -> ToolResult {
    let text = printed["output"].as_str().unwrap();
    let milliseconds = printed["execution_time_ms"].as_u64().unwrap();
    let mut result = succeeded(name, text, milliseconds);
    result.files_affected = serde_json::from_value(printed["files_affected"].clone()).unwrap();
    result.metadata.extra = printed
        .get("metadata")
        .map(|own| serde_json::from_value(own.clone()).unwrap())
        .unwrap_or_default();
    result
}

#[test]
fn result_matches_printed_responses() {
    for (name, printed) in PRINTED {
        let printed: Value = serde_json::from_str(printed).unwrap();

        let form = json!(CliAgentResult::of(&result_of(name, &printed)));

        assert_eq!(form, printed);
    }
}

#[test]
fn with_tool_adds_tool_name_first() {
    let mut result = succeeded("create_file", "Created file: hello.py (125 bytes)", 5);
    result.files_affected = vec!["hello.py".to_owned()];

    let text = serde_json::to_string_pretty(&CliAgentResult::of(&result).with_tool()).unwrap();

    assert_eq!(
        text,
        r#"{
  "tool": "create_file",
  "success": true,
  "output": "Created file: hello.py (125 bytes)",
  "files_affected": [
    "hello.py"
  ],
  "execution_time_ms": 5
}"#
    );
}

#[test]
fn output_matches_printed_errors() {
    for (code, message) in [
        (
            "path_outside_working_dir",
            "Path '../etc/passwd' is outside working directory",
        ),
        (
            "already_exists",
            "File 'test.txt' already exists. Use replace_string_in_file to modify",
        ),
        (
            "permission_denied",
            "Cannot create file 'protected.txt' - permission denied",
        ),
        ("file_not_found", "File 'missing.txt' not found"),
        (
            "invalid_arguments",
            "Line range invalid - file has 20 lines, requested 30-40",
        ),
        ("invalid_arguments", "String 'old_text' not found in file"),
        ("not_a_directory", "Path 'file.txt' is not a directory"),
        (
            "permission_denied",
            "Cannot list directory - permission denied",
        ),
        ("invalid_pattern", "Invalid glob pattern '**/*[.go'"),
        ("invalid_pattern", "Invalid regex pattern: unclosed group"),
        ("command_not_found", "Command 'invalid_cmd' not found"),
        ("timeout", "Command timed out after 30 seconds"),
        (
            "command_failed",
            "Command failed with exit code 1:\n<stderr>",
        ),
        ("no_history", "No previous command in this session"),
        (
            "already_exists",
            "Path 'test.txt' exists as a file, cannot create directory",
        ),
        (
            "permission_denied",
            "Cannot create directory - permission denied",
        ),
        ("invalid_url", "Invalid URL format"),
        ("unavailable", "Failed to fetch - connection refused"),
        ("timeout", "Request timed out after 10 seconds"),
    ] {
        let error = ToolError::failed("x").reworded(ErrorCode::from(code), message);

        let form = json!(CliAgentResult::of(&failed("f", error)));

        assert_eq!(
            form,
            json!({
                "success": false,
                "output": format!("Error: {message}"),
                "files_affected": [],
                "execution_time_ms": 0,
                "error": {"code": code, "message": message, "suggestion": null},
            })
        );
    }
}

#[test]
fn error_has_separate_suggestion() {
    let error = ToolError::failed("x")
        .reworded(
            ErrorCode::FileNotFound,
            "File 'missing.txt' not found in working directory.",
        )
        .suggest("Check the file name and try again, or use file_search to find it");

    let form = json!(CliAgentResult::of(&failed("read_file", error)));

    assert_eq!(
        form["error"],
        json!({
            "code": "file_not_found",
            "message": "File 'missing.txt' not found in working directory.",
            "suggestion": "Check the file name and try again, or use file_search to find it",
        })
    );
}

#[test]
fn output_ends_with_printed_warning() {
    for (text, warning, output) in [
        (
            "Replaced 1 occurrence in a.py",
            "Found 3 occurrences, replaced only the first at line 5",
            "Replaced 1 occurrence in a.py\nWarning: Found 3 occurrences, replaced only the first at line 5",
        ),
        (
            "Found 1000 files:\n",
            "Found 2000 matches, showing first 1000",
            "Found 1000 files:\nWarning: Found 2000 matches, showing first 1000",
        ),
        (
            "00 01",
            "Warning: File appears to be binary, displaying first 1KB as hex",
            "00 01\nWarning: File appears to be binary, displaying first 1KB as hex",
        ),
        (
            "",
            "Search timed out after 30s, returning partial results",
            "Warning: Search timed out after 30s, returning partial results",
        ),
        (
            "page",
            "Error: Response too large (>1MB), truncating",
            "page\nError: Response too large (>1MB), truncating",
        ),
    ] {
        let mut result = succeeded("f", text, 1);
        result.warnings = vec![warning.to_owned()];

        let form = json!(CliAgentResult::of(&result));

        assert_eq!(
            (&form["success"], &form["output"]),
            (&json!(true), &json!(output))
        );
    }
}

#[test]
fn each_warning_is_on_separate_line() {
    let mut result = succeeded("f", "x", 1);
    result.warnings = vec!["one".to_owned(), "two".to_owned()];

    let form = json!(CliAgentResult::of(&result));

    assert_eq!(form["output"], "x\nWarning: one\nWarning: two");
}

#[test]
fn metadata_omits_file_digests() {
    let mut result = succeeded("create_file", "Created file: a (1 bytes)", 1);
    result
        .metadata
        .extra
        .insert("file_digests".to_owned(), json!({"a": {"after": "00"}}));

    let form = json!(CliAgentResult::of(&result));

    assert_eq!(form.get("metadata"), None);
}
