//! Conversion of definitions with complete JSON Schemas.

use serde_json::{Value, json};

use crate::schema::{self, Losses};
use crate::wire::{Body, Draft, SourceTool, WireChoice, WireTool, tools_beside};
use crate::{Object, StrictMode};

/// Keywords that `parametersJsonSchema` supports.
const KNOWN: [&str; 18] = [
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "description",
    "enum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "oneOf",
    "prefixItems",
    "properties",
    "propertyOrdering",
    "required",
    "type",
];

pub(crate) fn tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    let schema = json_schema(source.definition.input_schema(), losses)?;
    Ok(declaration(source, "parametersJsonSchema", schema))
}

/// Creates a function declaration. Omits an empty schema, because Gemini rejects it.
pub(super) fn declaration(source: SourceTool<'_>, key: &str, schema: Value) -> WireTool {
    let mut function = Object::new();
    function.insert("name".to_owned(), source.wire.into());
    // Gemini rejects a missing description, but accepts an empty one.
    function.insert(
        "description".to_owned(),
        source.definition.description().into(),
    );
    if !is_empty(&schema) {
        function.insert(key.to_owned(), without_empty_properties(schema));
    }
    WireTool::plain(function)
}

/// Removes empty `properties`, because Gemini rejects them.
fn without_empty_properties(mut schema: Value) -> Value {
    if let (true, Value::Object(root)) = (has_no_properties(&schema), &mut schema) {
        root.shift_remove("properties");
    }
    schema
}

fn is_empty(schema: &Value) -> bool {
    let rest = schema.get("additionalProperties");
    let takes_any = rest.is_some_and(|rest| rest.is_object() || *rest == Value::Bool(true));
    has_no_properties(schema) && !takes_any
}

pub(super) fn has_no_properties(schema: &Value) -> bool {
    schema
        .get("properties")
        .and_then(Value::as_object)
        .is_none_or(Object::is_empty)
}

fn json_schema(given: &Value, losses: &mut Losses) -> Result<Value, String> {
    let mut schema = schema::modernized(given);
    schema::hoist(&mut schema, losses)?;
    schema::root_object(&mut schema, losses)?;
    schema::merge_all_of(&mut schema, losses);
    schema::relax_recursion(&mut schema, losses);
    schema::outer_first(&mut schema, &mut |object| {
        schema::drop_conditions(object, losses);
    });
    schema::inner_first(&mut schema, &mut |object| {
        schema::drop_impossible(object, losses);
        schema::bound_tuple(object);
        schema::describe_values(object, is_sendable, losses);
        schema::const_to_enum(object);
        schema::include_bounds(object);
        schema::keep_only(object, &KNOWN, losses);
        schema::isolate_reference(object, losses);
        schema::null_value_to_branch(object);
        schema::require_known(object, losses);
        schema::order_known(object);
    });
    Ok(schema::unmark(schema))
}

/// Returns `true` if the value may be sent in `enum`. Null becomes a separate alternative.
fn is_sendable(value: &Value) -> bool {
    value.is_string() || value.is_number() || value.is_null()
}

/// Returns the tool choice. There is no switch for parallel calls.
pub(crate) fn request(draft: &mut Draft<'_>) -> Object {
    let calling = match &draft.choice {
        // The `ANY` mode always enforces the schemas.
        WireChoice::Auto if draft.options.strict == StrictMode::On => json!({"mode": "VALIDATED"}),
        WireChoice::Auto => json!({"mode": "AUTO"}),
        WireChoice::None => json!({"mode": "NONE"}),
        WireChoice::Required => json!({"mode": "ANY"}),
        WireChoice::Named(names) => json!({"mode": "ANY", "allowedFunctionNames": names}),
    };
    let calling = json!({"functionCallingConfig": calling});
    draft.record_parallel_loss();
    crate::wire::member("toolConfig", calling)
}

/// Returns the members with all functions in one tool.
pub(super) fn body(functions: Vec<Value>, extra: Object) -> Body {
    let functions = Value::Array(functions);
    tools_beside(
        vec![crate::wire::member("functionDeclarations", functions).into()],
        extra,
    )
}

#[cfg(test)]
mod tests {
    use tool_core::{Dialect, ToolDefinition};

    use crate::{Options, Provider, ToolChoice};

    use super::*;

    #[test]
    fn strict_request_validates_calls() {
        let tool = ToolDefinition::new("f", "F", json!({}));
        for (provider, strict, choice, mode) in [
            (
                Provider::Gemini,
                StrictMode::On,
                ToolChoice::Auto,
                "VALIDATED",
            ),
            (
                Provider::GeminiOpenApi,
                StrictMode::On,
                ToolChoice::Auto,
                "VALIDATED",
            ),
            (Provider::Gemini, StrictMode::Auto, ToolChoice::Auto, "AUTO"),
            (
                Provider::Gemini,
                StrictMode::On,
                ToolChoice::Required,
                "ANY",
            ),
            (Provider::Gemini, StrictMode::On, ToolChoice::None, "NONE"),
        ] {
            let options = Options::default().with_strict(strict).with_choice(choice);

            let converted = provider
                .with_options(options)
                .convert(std::slice::from_ref(&tool));

            let actual = &converted.request["toolConfig"]["functionCallingConfig"]["mode"];
            assert_eq!(*actual, mode);
            assert_eq!(converted.losses, []);
        }
    }

    #[test]
    fn keeps_open_object_if_supported() {
        let open = json!({"type": "object", "additionalProperties": true});
        let tool = [ToolDefinition::new("f", "F", open.clone())];

        let whole = Provider::Gemini.convert(&tool);
        let reduced = Provider::GeminiOpenApi.convert(&tool);

        let sent = &whole.tools[0]["functionDeclarations"][0]["parametersJsonSchema"];
        assert_eq!(*sent, open);
        assert_eq!(whole.losses, []);
        assert_eq!(
            reduced.tools[0]["functionDeclarations"][0],
            json!({"name": "f", "description": "F"})
        );
        assert_eq!(reduced.losses[0].pointer, "/additionalProperties");
    }

    #[test]
    fn keeps_property_ordering() {
        let schema = json!({
            "type": "object",
            "properties": {"b": {"type": "string"}, "a": {"type": "string"}, "never": false},
            "propertyOrdering": ["b", "never", "a"],
        });
        let tool = [ToolDefinition::new("f", "F", schema)];
        for (provider, key) in [
            (Provider::Gemini, "parametersJsonSchema"),
            (Provider::GeminiOpenApi, "parameters"),
        ] {
            let converted = provider.convert(&tool);

            let sent = &converted.tools[0]["functionDeclarations"][0][key];
            assert_eq!(sent["propertyOrdering"], json!(["b", "a"]), "{provider}");
            assert_eq!(converted.losses, []);
        }
    }

    #[test]
    fn converts_keywords_in_alternatives() {
        let given = json!({"type": "object", "properties": {
            "a": {"type": ["string", "null"], "enum": ["x", null], "default": "x"},
        }});

        let schema = json_schema(&given, &mut Losses::new("f")).unwrap();

        assert_eq!(
            schema["properties"]["a"],
            json!({"description": "Default: \"x\".", "anyOf": [{"type": "string", "enum": ["x"]}, {"type": "null"}]})
        );
    }

    #[test]
    fn schema_keeps_supported_keywords() {
        let given = json!({
            "type": "object",
            "title": "T",
            "properties": {
                "kind": {"const": "a"},
                "n": {"type": "integer", "exclusiveMinimum": 0, "default": 1},
                "map": {"type": "object", "additionalProperties": {"type": "string"}},
                "self": {"$ref": "#", "description": "again"},
            },
            "required": ["kind"],
            "additionalProperties": false,
        });
        let mut losses = Losses::new("f");

        let schema = json_schema(&given, &mut losses).unwrap();

        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "kind": {"enum": ["a"]},
                    "n": {"type": "integer", "minimum": 1, "description": "Default: 1."},
                    "map": {"type": "object", "additionalProperties": {"type": "string"}},
                    "self": {"anyOf": [{"$ref": "#"}], "description": "again"},
                },
                "required": ["kind"],
                "additionalProperties": false,
            })
        );
        assert!(losses.only_described());
    }
}
