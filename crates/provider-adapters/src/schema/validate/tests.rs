use serde_json::json;
use tool_core::{Dialect, LossKind, ToolDefinition};

use super::*;
use crate::{Options, Provider, StrictMode};

fn repaired(schema: &Value) -> (Result<Value, String>, Vec<(String, LossKind)>) {
    let mut losses = Losses::new("f");
    let outcome = validated(schema, &mut losses).map(Cow::into_owned);
    let losses = losses.distinct().into_iter();
    (
        outcome,
        losses.map(|loss| (loss.pointer, loss.action)).collect(),
    )
}

#[test]
fn reads_empty_arrays_of_php_as_objects_with_loss() {
    for (schema, expected) in [
        (json!({"properties": []}), json!({"properties": {}})),
        (
            json!({"properties": {"a": {"$defs": []}}}),
            json!({"properties": {"a": {"$defs": {}}}}),
        ),
        (
            json!({"properties": {"a": [], "b": {"items": []}}}),
            json!({"properties": {"a": {}, "b": {"items": {}}}}),
        ),
        (
            json!({"additionalProperties": []}),
            json!({"additionalProperties": {}}),
        ),
    ] {
        assert_eq!(
            repaired(&schema),
            (Ok(expected), vec![(String::new(), LossKind::Merged)]),
            "{schema}"
        );
    }
}

#[test]
fn reason_names_location_of_error() {
    for (schema, reason) in [
        (
            json!(7),
            "the root is not a schema; use an object, `true` or `false`",
        ),
        (
            json!({"properties": {"x": "string"}}),
            "`/properties/x` is not a schema; use an object, `true` or `false`",
        ),
        (
            json!({"properties": {"x": null}}),
            "`/properties/x` is not a schema; use an object, `true` or `false`",
        ),
        (
            json!({"properties": ["a"]}),
            "`/properties` is not an object",
        ),
        (
            json!({"items": {"type": "any"}}),
            "`/items/type` is neither a JSON Schema type nor an array of unique types",
        ),
        (
            json!({"anyOf": [{"enum": "a"}]}),
            "`/anyOf/0/enum` is not an array",
        ),
        (
            json!({"required": "x"}),
            "`/required` is not an array of unique names",
        ),
        (
            json!({"properties": {"x": {"required": true}}, "$defs": []}),
            "`/properties/x/required` is not an array of unique names",
        ),
        (
            json!({"required": ["x", "x"]}),
            "`/required` is not an array of unique names",
        ),
        (json!({"minimum": null}), "`/minimum` is not a number"),
        (json!({"description": 5}), "`/description` is not a string"),
        (
            json!({"allOf": []}),
            "`/allOf` is not a non-empty array of schemas",
        ),
        (
            json!({"anyOf": []}),
            "`/anyOf` is not a non-empty array of schemas",
        ),
        (json!({"pattern": "["}), "`/pattern` has an unclosed `[`"),
        (json!({"minimum": "1"}), "`/minimum` is not a number"),
        (
            json!({"multipleOf": 0}),
            "`/multipleOf` is not a number greater than 0",
        ),
        (
            json!({"minLength": -1}),
            "`/minLength` is not a non-negative integer",
        ),
        (
            json!({"minLength": 1.5}),
            "`/minLength` is not a non-negative integer",
        ),
        (
            json!({"uniqueItems": "yes"}),
            "`/uniqueItems` is not a boolean",
        ),
        (json!({"$ref": 5}), "`/$ref` is not a string"),
        (
            json!({"additionalProperties": "no"}),
            "`/additionalProperties` is not a schema; use an object, `true` or `false`",
        ),
    ] {
        let expected = format!("the schema is not valid JSON Schema: {reason}");

        assert_eq!(repaired(&schema), (Err(expected), vec![]), "{schema}");
    }
}

#[test]
fn accepts_older_drafts_and_unknown_keywords() {
    for schema in [
        json!(true),
        json!({"items": [{}, true], "additionalItems": false}),
        json!({"minimum": 1, "exclusiveMinimum": true, "nullable": true}),
        json!({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}}),
        json!({"definitions": {"A": {}}, "$ref": "#/definitions/A"}),
        json!({"enum": [], "default": null, "const": null, "x-own": {"type": "any"}}),
        json!({"minItems": 2.0, "type": ["string", "null"], "examples": [{"type": 5}]}),
    ] {
        assert_eq!(repaired(&schema), (Ok(schema.clone()), vec![]));
    }
}

#[test]
fn never_sends_repaired_schema_strict() {
    let php = json!({"type": "object", "properties": {"x": []}, "required": ["x"]});
    let tools = [
        ToolDefinition::new("bad", "", json!({"properties": {"x": {"type": "any"}}})),
        ToolDefinition::new("mended", "", php),
        ToolDefinition::new("good", "", json!({"type": "object", "properties": {}})),
    ];
    for (mode, strict) in [
        (StrictMode::Auto, vec![false, true]),
        (StrictMode::On, vec![false, true]),
    ] {
        let options = Options::default().with_strict(mode);

        let converted = Provider::OpenAi.with_options(options).convert(&tools);

        let sent = converted.tools.as_array().unwrap().iter();
        let is_strict: Vec<bool> = sent
            .clone()
            .map(|tool| tool["function"]["strict"] == true)
            .collect();
        assert_eq!(is_strict, strict);
        assert_eq!(
            sent.clone().next().unwrap()["function"]["parameters"]["required"],
            json!(["x"])
        );
        assert_eq!(converted.refused.len(), 1);
        let degraded = converted
            .losses
            .iter()
            .filter(|loss| loss.action == LossKind::Degraded);
        assert_eq!(degraded.count(), usize::from(mode == StrictMode::On));
    }
}

#[test]
fn every_provider_rejects_invalid_schema_with_location() {
    let bad = ToolDefinition::new(
        "bad",
        "",
        json!({"type": "object", "properties": {"x": {"enum": "a"}}}),
    );
    for provider in Provider::ALL {
        let converted = provider.convert(std::slice::from_ref(&bad));

        assert_eq!(converted.tools, json!([]), "{provider}");
        assert_eq!(
            converted.refused[0].reason,
            "the schema is not valid JSON Schema: `/properties/x/enum` is not an array"
        );
    }
}

#[test]
fn omits_invalid_output_schema() {
    let tool = ToolDefinition::new("f", "", json!({})).with_output_schema(json!({"properties": 5}));

    let converted = Provider::Mcp.convert(std::slice::from_ref(&tool));

    assert_eq!(converted.tools[0].get("outputSchema"), None);
    assert_eq!(converted.losses[0].action, LossKind::Dropped);
}

#[test]
fn rejects_only_patterns_invalid_in_every_dialect() {
    for pattern in [
        "",
        "^a+$",
        "[[]",
        "[]",
        "[^]]",
        "[]a]",
        "(?:a|b)*",
        "(?<n>a)",
        "(?i)a",
        "a{2,3}?",
        "\\(",
        "[(]",
        "^[^\\]]+?$",
        "\\p{L}",
        "(?=a)",
        "{",
        "a||b",
        "()",
        "^*",
    ] {
        assert_eq!(pattern_error(pattern), None, "{pattern}");
    }
    for pattern in ["[", "(", ")", "a\\", "*a", "(+)", "a|*", "[\\]", "(a))"] {
        assert!(pattern_error(pattern).is_some(), "{pattern}");
    }
}
