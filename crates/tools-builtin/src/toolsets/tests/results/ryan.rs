//! `{success, content, data?, error?, metadata}`, and `{name, parameters}`.

use std::time::Duration;

use serde_json::{Value, json};

use super::{failed, succeeded, with_parameters};
use crate::toolsets::{RyanResult, ToolRequest};
use tool_core::{ContentBlock, ErrorCode, Timestamp, ToolCall, ToolError, ToolResult};

fn at_noon(mut result: ToolResult) -> ToolResult {
    let start = Timestamp::parse("2025-11-10T12:00:00Z").unwrap();
    result.metadata.start_time = start;
    result.metadata.end_time = start.after(Duration::from_millis(1500));
    result
}

fn hello() -> ToolResult {
    let result = succeeded("execute_bash", "Hello World\n", 1500);
    at_noon(with_parameters(
        result,
        json!({"command": "echo 'Hello World'"}),
    ))
}

#[test]
fn success_has_printed_member_order() {
    assert_eq!(
        serde_json::to_string(&RyanResult(&hello())).unwrap(),
        r#"{"success":true,"content":"Hello World\n","metadata":{"execution_time":1500000000,"#
            .to_owned()
            + r#""start_time":"2025-11-10T12:00:00.000Z","end_time":"2025-11-10T12:00:01.500Z","#
            + r#""tool_name":"execute_bash","parameters":{"command":"echo 'Hello World'"}}}"#
    );
}

#[test]
fn data_is_included_only_if_non_empty_object() {
    for (data, shown) in [
        (None, None),
        (Some(json!({"exit_code": 0})), Some(json!({"exit_code": 0}))),
        (Some(json!({})), None),
        (Some(json!([1])), None),
        (Some(Value::Null), None),
    ] {
        let mut result = hello();
        result.data = data;

        assert_eq!(json!(RyanResult(&result)).get("data"), shown.as_ref());
    }
}

#[test]
fn failures_match_document() {
    let unknown = ToolError::new(ErrorCode::ToolNotFound, "No tool is named `nonexistent`.");
    let missing = ToolError::failed("x").reworded(
        ErrorCode::InvalidArguments,
        "param1 is required and must be a string",
    );
    let forbidden = ToolError::new(ErrorCode::CommandForbidden, "The command runs as root")
        .suggest("Run it without sudo.");
    for (error, text) in [
        (unknown, "tool not found: No tool is named `nonexistent`."),
        (missing, "param1 is required and must be a string"),
        (forbidden, "The command runs as root. Run it without sudo."),
    ] {
        let form = json!(RyanResult(&at_noon(failed("custom_tool", error))));

        assert_eq!(
            form,
            json!({
                "success": false,
                "content": "",
                "error": text,
                "metadata": {
                    "execution_time": 0,
                    "start_time": "2025-11-10T12:00:00.000Z",
                    "end_time": "2025-11-10T12:00:01.500Z",
                    "tool_name": "custom_tool",
                    "parameters": null,
                },
            })
        );
    }
}

#[test]
fn failure_has_partial_output_as_content() {
    let mut result = failed("f", ToolError::failed("The disk is full."));
    for text in ["one", "two"] {
        result.content.push(ContentBlock::text(text));
    }

    assert_eq!(json!(RyanResult(&result))["content"], "one\ntwo");
}

#[test]
fn execution_time_is_limited_to_signed_64_bits() {
    let mut result = hello();
    result.metadata.execution_time = Duration::MAX;

    let form = json!(RyanResult(&result));

    assert_eq!(form["metadata"]["execution_time"], i64::MAX);
}

#[test]
fn printed_requests_convert_to_calls() {
    for (request, name, arguments) in [
        (
            r#"{"name": "execute_bash", "parameters": {"command": "echo 'Hello World'"}}"#,
            "execute_bash",
            json!({"command": "echo 'Hello World'"}),
        ),
        (
            r#"{"name": "read_file", "parameters": {"path": "/path/to/file.txt", "start_line": 1, "end_line": 10}}"#,
            "read_file",
            json!({"path": "/path/to/file.txt", "start_line": 1, "end_line": 10}),
        ),
        (r#"{"name": "nonexistent"}"#, "nonexistent", json!({})),
        (
            r#"{"name": "execute_bash", "parameters": null}"#,
            "execute_bash",
            json!({}),
        ),
    ] {
        let call = ToolCall::from(serde_json::from_str::<ToolRequest>(request).unwrap());

        assert_eq!(
            (call.name.as_str(), call.arguments),
            (name, arguments.into())
        );
    }
}

#[test]
fn request_round_trips_and_rejects_non_objects() {
    let request = json!({"name": "f", "parameters": {"a": 1}});

    let read: ToolRequest = serde_json::from_value(request.clone()).unwrap();

    assert_eq!(json!(read), request);
    assert!(
        serde_json::from_value::<ToolRequest>(json!({"name": "f", "parameters": [1]})).is_err()
    );
}
