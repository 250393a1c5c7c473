//! Conversion of definitions.

use serde_json::Value;
use tool_core::LossKind;

use crate::Object;
use crate::schema::{self, Losses};
use crate::wire::{Draft, SourceTool, WireChoice, WireTool};

/// Keywords that the server keeps. It drops others silently.
const KNOWN: [&str; 7] = [
    "anyOf",
    "description",
    "enum",
    "items",
    "properties",
    "required",
    "type",
];

/// Keywords that the server keeps at the root, and the description, which is sent separately.
const ROOT: [&str; 4] = ["description", "properties", "required", "type"];

pub(crate) fn tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    let schema = source.definition.input_schema();
    let (parameters, rules) = reduced_schema(schema, losses)?;
    let mut function = Object::new();
    function.insert("name".to_owned(), source.wire.into());
    let description = source.definition.description().into();
    function.insert("description".to_owned(), description);
    if !rules.is_empty() {
        schema::append(&mut function, &rules);
    }
    function.insert("parameters".to_owned(), parameters);
    let mut tool = crate::wire::member("function", function.into());
    tool.insert("type".to_owned(), "function".into());
    Ok(WireTool::plain(tool))
}

/// Returns the schema, and text about its root for the description of the tool.
fn reduced_schema(given: &Value, losses: &mut Losses) -> Result<(Value, String), String> {
    let mut schema = schema::modernized(given);
    schema::inline(&mut schema, losses)?;
    schema::root_object(&mut schema, losses)?;
    schema::merge_all_of(&mut schema, losses);
    // Convert the root first, so that no text is added to a description that is not sent.
    let rules = match &mut schema {
        Value::Object(root) => root_rules(root, losses),
        _ => String::new(),
    };
    schema::outer_first(&mut schema, &mut |object| schema::simplify(object, losses));
    schema::inner_first(&mut schema, &mut |object| {
        schema::const_to_enum(object);
        describe_map(object, losses);
        schema::keep_only(object, &KNOWN, losses);
        schema::require_known(object, losses);
    });
    Ok((schema::unmark(schema), rules))
}

/// Removes keywords from the root that the server drops. Returns text for those that a description
/// can express.
fn root_rules(root: &mut Object, losses: &mut Losses) -> String {
    if root.shift_remove("description").is_some() {
        let detail = "the provider does not support this keyword";
        losses.add_at(root, "description", LossKind::Dropped, detail);
    }
    describe_map(root, losses);
    schema::keep_only(root, &ROOT, losses);
    match root.shift_remove("description") {
        Some(Value::String(rules)) => rules,
        _ => String::new(),
    }
}

/// Moves the schema of the values of a map to the description.
fn describe_map(object: &mut Object, losses: &mut Losses) {
    let values = object.get("additionalProperties");
    if values.is_some_and(Value::is_object) {
        schema::describe(object, &["additionalProperties"], losses);
    }
}

/// Reduces the tools to express the choice. There is no tool choice and no switch for parallel
/// calls.
pub(crate) fn request(draft: &mut Draft<'_>) -> Object {
    match draft.choice.clone() {
        WireChoice::Auto => {}
        WireChoice::None => draft.tools.clear(),
        WireChoice::Required => {
            let detail = "the provider does not support a required tool call";
            draft.degrade("tool_choice", detail);
        }
        WireChoice::Named(names) => {
            draft.keep_only(&names);
            let detail = "only the chosen tools are sent, and the model may call none";
            draft.degrade("tool_choice", detail);
        }
    }
    draft.record_parallel_loss();
    Object::new()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::{Dialect, ToolDefinition};

    use crate::Provider;

    use super::*;

    #[test]
    fn describes_keywords_that_server_drops() {
        let given = json!({
            "type": "object",
            "properties": {
                "n": {"type": "integer", "description": "Number of items", "minimum": 1, "default": 5},
                "kind": {"const": "a"},
                "map": {"type": "object", "additionalProperties": {"type": "integer"}},
            },
        });
        let mut losses = Losses::new("f");

        let (schema, _) = reduced_schema(&given, &mut losses).unwrap();

        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "n": {"type": "integer", "description": "Number of items. Default: 5. At least 1."},
                    "kind": {"enum": ["a"]},
                    "map": {
                        "type": "object",
                        "description": "Any key; each value matches the schema {\"type\":\"integer\"}.",
                    },
                },
            })
        );
        assert!(losses.only_described());
    }

    #[test]
    fn describes_root_keywords_in_tool_description() {
        let given =
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "minProperties": 1});
        let tool = ToolDefinition::new("f", "Does it", given);

        let converted = Provider::Ollama.convert(&[tool]);

        let function = &converted.tools[0]["function"];
        assert_eq!(function["description"], "Does it. At least 1 keys.");
        assert_eq!(converted.losses[0].action, LossKind::Described);
    }
}
