//! `{name, input, output?, error?}`.

use serde_json::{Value, json};

use super::{failed, succeeded, with_parameters};
use crate::toolsets::RepoExplorerResult;
use tool_core::{ErrorCode, ToolError, ToolOutput};

/// Each tool with its printed input and output.
const PRINTED: [(&str, &str, &str); 6] = [
    (
        "list_dirs",
        r#"{"path": "apps/webapp/src", "depth": 2, "limit": 50}"#,
        r#"{"dirs": [
            {"path": "apps/webapp/src/domains", "depth": 1},
            {"path": "apps/webapp/src/routes", "depth": 1}
        ], "truncated": false}"#,
    ),
    (
        "list_files",
        r#"{"path": "apps/webapp/src", "pattern": "*.tsx", "limit": 50}"#,
        r#"{"files": [{"path": "apps/webapp/src/main.tsx", "name": "main.tsx", "size": 1020}], "truncated": false}"#,
    ),
    (
        "read_file",
        r#"{"path": "src/components/button.tsx"}"#,
        r#"{"path": "src/components/button.tsx", "content": "export function Button() { ... }", "size": 2048}"#,
    ),
    (
        "search_code",
        r#"{"query": "auth", "filePattern": "*.ts", "limit": 20}"#,
        r#"[{"path": "src/auth/login.tsx", "snippet": "export function LoginForm() {"}]"#,
    ),
    (
        "todo_manager",
        r#"{"items": [
            {"content": "Gather context", "activeForm": "Gathering context", "status": "pending"},
            {"content": "Map domains", "activeForm": "Mapping domains", "status": "pending"}
        ]}"#,
        r#"{"items": [
            {"id": "step-1", "content": "Gather context", "activeForm": "Gathering context", "status": "in_progress"},
            {"id": "step-2", "content": "Map domains", "activeForm": "Mapping domains", "status": "pending"}
        ], "maxItems": 15, "currentItem":
            {"id": "step-1", "content": "Gather context", "activeForm": "Gathering context", "status": "in_progress"}
        }"#,
    ),
    (
        "validate_output",
        r#"{"outputType": "domain_map", "data": {"domains": [], "layout": {}, "summary": {}}}"#,
        r#"{"valid": false, "errors": ["Missing 'domains' array"], "warnings": []}"#,
    ),
];

#[test]
fn result_matches_printed_inputs_and_outputs() {
    for (name, input, output) in PRINTED {
        let input: Value = serde_json::from_str(input).unwrap();
        let output: Value = serde_json::from_str(output).unwrap();
        let mut result = with_parameters(succeeded(name, "text for the model", 1), input.clone());
        result.data = Some(output.clone());

        let form = json!(RepoExplorerResult(&result));

        assert_eq!(
            form,
            json!({"name": name, "input": input, "output": output})
        );
    }
}

#[test]
fn members_have_printed_order() {
    let result = with_parameters(succeeded("f", "x", 1), json!({"a": 1}));

    let text = serde_json::to_string(&RepoExplorerResult(&result)).unwrap();

    assert_eq!(text, r#"{"name":"f","input":{"a":1},"output":"x"}"#);
}

#[test]
fn unconnected_repository_and_unknown_tool_have_no_output() {
    let unconnected = ToolError::failed("x")
        .reworded(ErrorCode::Unavailable, "No active GitHub connection found");
    let unknown = ToolError::new(ErrorCode::ToolNotFound, "No tool is named `read_file`")
        .suggest("Use `list_files`.");

    for (error, printed) in [
        (unconnected, "No active GitHub connection found"),
        (unknown, "No tool is named `read_file`. Use `list_files`."),
    ] {
        let result = with_parameters(failed("read_file", error), json!({"path": "a"}));

        assert_eq!(
            json!(RepoExplorerResult(&result)),
            json!({"name": "read_file", "input": {"path": "a"}, "error": printed})
        );
    }
}

#[test]
fn failure_has_partial_data_as_output() {
    let mut result = failed("f", ToolError::failed("The disk is full."));
    result.data = ToolOutput::json(json!([1])).data;

    assert_eq!(
        json!(RepoExplorerResult(&result)),
        json!({"name": "f", "input": null, "output": [1], "error": "The disk is full."})
    );
}

#[test]
fn output_is_rendered_json_except_file_content() {
    let file = json!({"path": "a.json", "content": "{\"a\": 1}\n"});
    for (text, data, output) in [
        (
            r#"[{"path": "a"}]"#,
            json!({"matches": []}),
            json!([{"path": "a"}]),
        ),
        (r#"{"a": 1}"#, file.clone(), file.clone()),
        ("{a", json!([1]), json!([1])),
        ("3 files", json!({"files": 3}), json!({"files": 3})),
    ] {
        let mut result = succeeded("f", text, 1);
        result.data = Some(data);

        assert_eq!(
            json!(RepoExplorerResult(&result))["output"],
            output,
            "{text}"
        );
    }
}
