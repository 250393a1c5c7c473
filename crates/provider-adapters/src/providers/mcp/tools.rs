//! Definitions out.

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use tool_core::{Hints, LossKind};

use crate::schema::{self, Losses};
use crate::wire::{Asked, Draft, Spoken, WireChoice, member};

pub(super) fn tool(asked: Asked<'_>, losses: &mut Losses) -> Result<Spoken, String> {
    let mut tool = asked.named();
    if let Some(title) = asked.definition.title() {
        tool.insert("title".to_owned(), title.into());
    }
    let schema = readable(asked.definition.input_schema(), losses);
    let input = of_objects(&schema)
        .map_err(|kind| format!("its schema is of type {kind}, and arguments are an object"))?;
    tool.insert("inputSchema".to_owned(), input);
    let output = output(&asked, losses);
    tool.extend(output.map(|schema| ("outputSchema".to_owned(), schema)));
    let name = asked.definition.name();
    if let Some(icons) = asked
        .options
        .icons
        .get(name)
        .filter(|icons| !icons.is_empty())
    {
        tool.insert("icons".to_owned(), json!(icons));
    }
    if let Some(support) = asked.options.task_support.get(name) {
        tool.insert("execution".to_owned(), json!({"taskSupport": support}));
    }
    if asked.options.tool_type {
        tool.insert("type".to_owned(), "tool".into());
    }
    tool.insert(
        "annotations".to_owned(),
        annotations(asked.definition.hints()),
    );
    Ok(Spoken {
        tool: Value::Object(tool),
        ..Spoken::default()
    })
}

/// The schema of the data, where that is an object.
fn output(asked: &Asked<'_>, losses: &mut Losses) -> Option<Value> {
    let given = asked.output_schema(losses)?;
    let mut trial = losses.trial();
    let schema = readable(&given, &mut trial);
    if !trial.is_empty() {
        let detail =
            "references that lead to nothing are left out, so that anything is allowed there";
        losses.add("", "outputSchema", LossKind::Widened, detail);
    }
    let described = of_objects(&schema);
    if let Err(kind) = &described {
        let detail = format!("data of type {kind} cannot be described; only objects can");
        losses.add("", "outputSchema", LossKind::Dropped, detail);
    }
    described.ok()
}

/// The schema as it is, unless no client could read it: a reference leads nowhere in it, or a keyword is spelt as in an
/// older draft that the schema does not name.
fn readable<'s>(given: &'s Value, losses: &mut Losses) -> Cow<'s, Value> {
    let mut schema = schema::mark(given);
    schema::modernise(&mut schema);
    let mut trial = losses.trial();
    schema::forget_unknown_here(&mut schema, &mut trial);
    if trial.is_empty() && !is_misspelt(given) {
        return Cow::Borrowed(given);
    }
    losses.extend(trial);
    Cow::Owned(schema::unmark(schema))
}

fn is_misspelt(schema: &Value) -> bool {
    let draft = schema.get("$schema").and_then(Value::as_str);
    if draft.is_some_and(|draft| draft.contains("/draft-0")) {
        return false;
    }
    let mut found = false;
    schema::look(schema, &mut |object| {
        let bounds = ["exclusiveMinimum", "exclusiveMaximum"];
        let flag = |keyword: &&str| object.get(*keyword).is_some_and(Value::is_boolean);
        found |= bounds.iter().any(flag) || object.get("items").is_some_and(Value::is_array);
    });
    found
}

/// The schema as it is, but that the root says that it is one of objects; else what it is of.
fn of_objects(schema: &Value) -> Result<Value, String> {
    let mut root = match schema {
        Value::Object(root) => root.clone(),
        Value::Bool(true) => Map::new(),
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
    root.insert("type".to_owned(), "object".into());
    Ok(Value::Object(root))
}

/// All four are said, because what is left out counts as the worst.
fn annotations(hints: Hints) -> Value {
    json!({
        "readOnlyHint": hints.read_only,
        "destructiveHint": hints.destructive,
        "idempotentHint": hints.idempotent,
        "openWorldHint": hints.open_world,
    })
}

/// The choice of a sampling request, which names no tools.
pub(super) fn request(draft: &mut Draft) -> Map<String, Value> {
    draft.lose_parallel();
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
    fn a_tool_says_all_that_the_protocol_has_words_for() {
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
    fn a_tool_says_its_type_only_when_that_is_asked_for() {
        for asked in [false, true] {
            let options = Options::default().with_tool_type(asked);

            let converted = Provider::Mcp
                .with_options(options)
                .convert(&[ToolDefinition::new("f", "", json!({}))]);

            let told = converted.tools[0].get("type").cloned();
            assert_eq!(told, asked.then(|| json!("tool")));
        }
    }

    #[test]
    fn only_what_no_client_could_read_changes_a_schema() {
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
        for (schema, told, losses) in [
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

            assert_eq!(converted.tools[0]["inputSchema"], told);
            assert_eq!(converted.losses.len(), losses);
        }
    }

    #[test]
    fn data_that_is_no_object_is_not_described_and_arguments_that_are_none_are_refused() {
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
            "its schema is of type \"string\", and arguments are an object"
        );
    }
}
