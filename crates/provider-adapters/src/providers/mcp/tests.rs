use serde_json::json;
use tool_core::{Dialect, RiskLevel, ToolDefinition};

use super::*;
use crate::{Options, Provider, decode};

#[test]
fn sends_all_supported_members() {
    let output = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    let schema = json!({"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "examples": [{}]});
    let tool = ToolDefinition::new("fs.read", "Reads.", schema)
        .with_title("Read")
        .with_risk(RiskLevel::ReadOnly)
        .with_output_schema(output.clone());

    let converted = Provider::Mcp.convert(&[tool]);

    assert_eq!(
        converted.tools,
        json!([{
            "name": "fs.read",
            "title": "Read",
            "description": "Reads.",
            "inputSchema": {
                "type": "object",
                "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
                "examples": [{}],
            },
            "outputSchema": output,
            "annotations": {
                "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
            },
        }])
    );
    assert_eq!(converted.losses, []);
}

#[test]
fn sends_tool_type_if_enabled() {
    for enabled in [false, true] {
        let options = Options::default().with_tool_type(enabled);

        let converted = Provider::Mcp
            .with_options(options)
            .convert(&[ToolDefinition::new("f", "", json!({}))]);

        let sent = converted.tools[0].get("type").cloned();
        assert_eq!(sent, enabled.then(|| json!("tool")));
    }
}

#[test]
fn changes_only_unreadable_schemas() {
    let kept = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#node"}, "b": true},
        "definitions": {"N": {"$anchor": "node", "type": "string"}},
    });
    let dangling = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/Gone"}}});
    let elsewhere =
        json!({"type": "object", "properties": {"a": {"$ref": "https://e.com/s.json"}}});
    let older =
        json!({"type": "object", "properties": {"n": {"minimum": 1, "exclusiveMinimum": true}}});
    let mut named = older.clone();
    named["$schema"] = json!("http://json-schema.org/draft-04/schema#");
    for (schema, expected, losses) in [
        (kept.clone(), kept, 0),
        (
            dangling,
            json!({"type": "object", "properties": {"a": {}}}),
            1,
        ),
        (
            older,
            json!({"type": "object", "properties": {"n": {"exclusiveMinimum": 1}}}),
            0,
        ),
        (named.clone(), named, 0),
        (elsewhere.clone(), elsewhere, 0),
    ] {
        let converted = Provider::Mcp.convert(&[ToolDefinition::new("f", "", schema)]);

        assert_eq!(converted.tools[0]["inputSchema"], expected);
        assert_eq!(converted.losses.len(), losses);
    }
}

#[test]
fn requires_object_schemas() {
    let text = json!({"type": "string"});
    let tools = [
        ToolDefinition::new("a", "", json!({})).with_output_schema(text.clone()),
        ToolDefinition::new("b", "", text),
    ];

    let converted = Provider::Mcp.convert(&tools);

    assert_eq!(converted.tools[0].get("outputSchema"), None);
    assert_eq!(converted.losses[0].keyword, "outputSchema");
    assert_eq!(
        converted.refused[0].reason,
        "the schema has type \"string\"; arguments must be an object"
    );
}

#[test]
fn request_is_one_call_with_request_id() {
    let params = json!({"name": "f", "arguments": {"k": 1}});
    for (message, id) in [
        (
            json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}),
            "7",
        ),
        (
            json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params}),
            "a",
        ),
        (params.clone(), "local_0"),
    ] {
        let decoded = decode(Provider::Mcp, &message, None).unwrap();

        assert_eq!(decoded.finish, Finish::Calls);
        assert_eq!(decoded.calls[0].id, id);
        assert_eq!(decoded.calls[0].arguments, Some(json!({"k": 1})));
    }
}

#[test]
fn arguments_are_optional() {
    let decoded = decode(Provider::Mcp, &json!({"params": {"name": "f"}}), None).unwrap();

    assert_eq!(decoded.calls[0].arguments, Some(json!({})));
}
