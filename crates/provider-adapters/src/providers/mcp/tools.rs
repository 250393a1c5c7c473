//! Conversion of definitions.

use std::borrow::Cow;

use serde_json::{Value, json};
use tool_core::{Hints, LossKind};

use crate::Object;
use crate::schema::{self, Losses};
use crate::wire::{Draft, SourceTool, WireChoice, WireTool, member};

pub(super) fn tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    let mut tool = source.named();
    if let Some(title) = source.definition.title() {
        tool.insert("title".to_owned(), title.into());
    }
    let schema = readable(source.definition.input_schema(), losses);
    let input = of_objects(&schema)
        .map_err(|kind| format!("the schema has type {kind}; arguments must be an object"))?;
    tool.insert("inputSchema".to_owned(), input);
    let output = output(&source, losses);
    tool.extend(output.map(|schema| ("outputSchema".to_owned(), schema)));
    if source.options.tool_type {
        tool.insert("type".to_owned(), "tool".into());
    }
    tool.insert(
        "annotations".to_owned(),
        annotations(source.definition.hints()),
    );
    Ok(WireTool::plain(tool))
}

/// Returns the output schema if it describes an object.
fn output(source: &SourceTool<'_>, losses: &mut Losses) -> Option<Value> {
    let given = source.output_schema(losses)?;
    let mut trial = losses.trial();
    let schema = readable(&given, &mut trial);
    if !trial.is_empty() {
        let detail = "dangling references are removed, so any value is allowed there";
        losses.add("", "outputSchema", LossKind::Widened, detail);
    }
    let described = of_objects(&schema);
    if let Err(kind) = &described {
        let detail = format!("the output has type {kind}; only objects can have a schema");
        losses.add("", "outputSchema", LossKind::Dropped, detail);
    }
    described.ok()
}

/// Returns the schema unchanged unless it has dangling references or keywords of an older draft
/// without `$schema`.
fn readable<'s>(given: &'s Value, losses: &mut Losses) -> Cow<'s, Value> {
    let mut schema = schema::modernized(given);
    let mut trial = losses.trial();
    schema::drop_dangling_local(&mut schema, &mut trial);
    if trial.is_empty() && !is_misspelt(given) {
        return Cow::Borrowed(given);
    }
    losses.extend(trial);
    Cow::Owned(schema::unmark(schema))
}

fn is_misspelt(schema: &Value) -> bool {
    let draft = schema.get("$schema").and_then(Value::as_str);
    // A client that reads `$schema` knows the draft, in which these keywords are valid.
    if draft.is_some_and(|draft| draft.contains("/draft-0")) {
        return false;
    }
    let mut found = false;
    schema::visit_all(schema, &mut |object| {
        let bounds = ["exclusiveMinimum", "exclusiveMaximum"];
        let flag = |keyword: &&str| object.get(*keyword).is_some_and(Value::is_boolean);
        found |= bounds.iter().any(flag) || object.get("items").is_some_and(Value::is_array);
    });
    found
}

/// Returns the schema with `object` as the root type. Returns the actual type as an error if it
/// allows no objects.
fn of_objects(schema: &Value) -> Result<Value, String> {
    let mut root = match schema {
        Value::Object(root) => root.clone(),
        Value::Bool(true) => Object::new(),
        _ => return Err("nothing".to_owned()),
    };
    let kind = root.get("type");
    let takes_objects = match kind {
        None => true,
        Some(Value::Array(kinds)) => kinds.contains(&"object".into()),
        Some(kind) => kind == "object",
    };
    if !takes_objects {
        return Err(kind.unwrap_or(&Value::Null).to_string());
    }
    // MCP requires exactly this type at the root, so neither a missing type nor a list is enough.
    root.insert("type".to_owned(), "object".into());
    Ok(Value::Object(root))
}

/// Sends all four hints, because the protocol's defaults are the most dangerous values.
fn annotations(hints: Hints) -> Value {
    json!({
        "readOnlyHint": hints.read_only,
        "destructiveHint": hints.destructive,
        "idempotentHint": hints.idempotent,
        "openWorldHint": hints.open_world,
    })
}

/// Returns the tool choice of a sampling request, which cannot name tools.
pub(super) fn request(draft: &mut Draft<'_>) -> Object {
    draft.record_parallel_loss();
    draft.keep_chosen();
    let mode = match &draft.choice {
        WireChoice::Auto => "auto",
        WireChoice::None => "none",
        WireChoice::Required | WireChoice::Named(_) => "required",
    };
    member("toolChoice", json!({"mode": mode}))
}

#[cfg(test)]
mod tests {
    use tool_core::{Dialect, RiskLevel, ToolDefinition};

    use crate::{Options, Provider};

    use super::*;

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
        let older = json!({"type": "object", "properties": {"n": {"minimum": 1, "exclusiveMinimum": true}}});
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
}
