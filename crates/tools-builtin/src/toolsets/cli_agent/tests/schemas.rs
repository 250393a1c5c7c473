//! Parameter schemas sent to the model.

use super::*;

#[test]
fn schemas_match_document() {
    let printed = [
        (
            "create_file",
            r#"{"type": "object", "properties": {
                "path": {"type": "string", "description": "Relative path to the file to create"},
                "content": {"type": "string", "description": "Content to write to the file"}},
                "required": ["path", "content"]}"#,
        ),
        (
            "read_file",
            r#"{"type": "object", "properties": {
                "path": {"type": "string", "description": "Relative path to the file to read"},
                "start_line": {"type": "integer", "description": "Starting line number (1-indexed, optional)"},
                "end_line": {"type": "integer", "description": "Ending line number (1-indexed, inclusive, optional)"}},
                "required": ["path"]}"#,
        ),
        (
            "replace_string_in_file",
            r#"{"type": "object", "properties": {
                "path": {"type": "string", "description": "Relative path to the file to modify"},
                "old_string": {"type": "string", "description": "Exact string to find and replace"},
                "new_string": {"type": "string", "description": "String to replace with"}},
                "required": ["path", "old_string", "new_string"]}"#,
        ),
        (
            "list_dir",
            r#"{"type": "object", "properties": {
                "path": {"type": "string", "description": "Relative path to directory (default: current directory)",
                    "default": "."}}}"#,
        ),
        (
            "file_search",
            r#"{"type": "object", "properties": {
                "pattern": {"type": "string", "description": "Glob pattern (e.g., '**/*.py', 'src/**/*.go')"},
                "base_path": {"type": "string",
                    "description": "Base directory to search from (default: current directory)", "default": "."}},
                "required": ["pattern"]}"#,
        ),
        (
            "grep_search",
            r#"{"type": "object", "properties": {
                "pattern": {"type": "string", "description": "Text or regex pattern to search for"},
                "is_regex": {"type": "boolean", "description": "Whether pattern is regex (default: false)",
                    "default": false},
                "file_pattern": {"type": "string",
                    "description": "Glob pattern to limit files searched (default: all files)"},
                "max_results": {"type": "integer",
                    "description": "Maximum number of results to return (default: 100)", "default": 100}},
                "required": ["pattern"]}"#,
        ),
        (
            "run_in_terminal",
            r#"{"type": "object", "properties": {
                "command": {"type": "string", "description": "Shell command to execute"},
                "timeout_seconds": {"type": "integer", "description": "Timeout in seconds (default: 30)",
                    "default": 30}},
                "required": ["command"]}"#,
        ),
        (
            "terminal_last_command",
            r#"{"type": "object", "properties": {}}"#,
        ),
        (
            "create_directory",
            r#"{"type": "object", "properties": {
                "path": {"type": "string", "description": "Relative path to directory to create"}},
                "required": ["path"]}"#,
        ),
        #[cfg(feature = "web")]
        (
            "fetch_webpage",
            r#"{"type": "object", "properties": {
                "url": {"type": "string", "description": "URL to fetch (must be http or https)"},
                "timeout_seconds": {"type": "integer", "description": "Request timeout (default: 10)", "default": 10}},
                "required": ["url"]}"#,
        ),
    ];

    testing::assert_schemas(CliAgent, &printed);
}
