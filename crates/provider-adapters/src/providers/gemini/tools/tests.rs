use serde_json::json;
use tool_core::{Dialect, ToolDefinition};

use super::*;
use crate::{Options, Provider, ToolChoice};

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

#[test]
fn describes_enum_values_of_other_types() {
    let given = json!({"type": "object", "properties": {"a": {"type": "integer", "enum": ["x"]}}});
    let mut losses = Losses::new("f");

    let schema = openapi_schema(&given, &mut losses).unwrap();

    assert_eq!(
        schema["properties"]["a"],
        json!({"type": "integer", "description": "One of \"x\"."})
    );
    assert!(losses.only_described() && losses.distinct().len() == 1);
}

#[test]
fn nested_objects_have_no_empty_properties() {
    let empty = json!({"type": "object", "properties": {}});
    let given = json!({
        "type": "object",
        "properties": {"a": empty, "b": {"type": "array", "items": empty}, "properties": empty},
    });
    let mut losses = Losses::new("f");

    let schema = openapi_schema(&given, &mut losses).unwrap();

    let object = json!({"type": "object"});
    assert_eq!(
        schema["properties"],
        json!({"a": object, "b": {"type": "array", "items": object}, "properties": object})
    );
    let places: Vec<String> = losses
        .distinct()
        .into_iter()
        .map(|loss| loss.pointer)
        .collect();
    let expected = ["/a", "/b/items", "/properties"];
    assert_eq!(
        places,
        expected.map(|place| format!("/properties{place}/properties"))
    );
}

#[test]
fn alternatives_beside_null_keep_their_objects() {
    let object = |key: &str| json!({"type": "object", "properties": {key: {"type": "string"}}});
    let objects = json!([object("a"), object("b")]);
    for choice in ["oneOf", "anyOf"] {
        let beside_null = json!({choice: objects});
        for given in [
            json!({"anyOf": [beside_null, {"type": "null"}]}),
            json!({"oneOf": [beside_null, {"type": "null"}]}),
            json!({"anyOf": [{"anyOf": [beside_null, {"type": "null"}]}, {"type": "null"}]}),
            json!({"anyOf": [{"type": "object", choice: objects}, {"type": "null"}]}),
            json!({"type": ["object", "null"], "anyOf": [beside_null, {"type": "null"}]}),
        ] {
            let root = json!({"type": "object", "properties": {"x": given}});

            let schema = openapi_schema(&root, &mut Losses::new("f")).unwrap();

            let expected = json!({"anyOf": objects, "nullable": true});
            assert_eq!(schema["properties"]["x"], expected, "{given}");
        }
    }
}

#[test]
fn schema_has_only_openapi_keywords() {
    let given = json!({
        "type": "object",
        "properties": {
            "unit": {"$ref": "#/$defs/Unit"},
            "at": {"type": ["string", "null"], "format": "date"},
            "level": {"type": "integer", "enum": [1, 2]},
            "value": {"type": ["string", "integer"]},
        },
        "required": ["unit"],
        "$defs": {"Unit": {"oneOf": [{"const": "C", "description": "Celsius"}, {"const": "F"}]}},
    });
    let mut losses = Losses::new("f");

    let schema = openapi_schema(&given, &mut losses).unwrap();

    assert_eq!(
        schema,
        json!({
            "type": "object",
            "properties": {
                "unit": {"anyOf": [
                    {"type": "string", "enum": ["C"], "description": "Celsius"},
                    {"type": "string", "enum": ["F"]},
                ]},
                "at": {"type": "string", "nullable": true, "description": "Format: date."},
                "level": {"type": "integer", "description": "One of 1, 2."},
                "value": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            },
            "required": ["unit"],
        })
    );
    let keywords: Vec<String> = losses
        .distinct()
        .into_iter()
        .map(|loss| loss.keyword)
        .collect();
    assert_eq!(keywords, ["oneOf", "enum", "format"]);
}
