use serde_json::json;
use tool_core::{Dialect, LossKind, ToolDefinition};

use super::*;
use crate::{Options, Provider, StrictMode};

fn mended(schema: &Value) -> (Result<Value, String>, Vec<(String, LossKind)>) {
    let mut losses = Losses::new("f");
    let outcome = sound(schema, &mut losses).map(Cow::into_owned);
    let losses = losses.distinct().into_iter();
    (
        outcome,
        losses.map(|loss| (loss.pointer, loss.action)).collect(),
    )
}

#[test]
fn what_has_one_meaning_is_mended_with_a_loss() {
    for (schema, expected, pointer, action) in [
        (
            json!({"required": ["x", "x"]}),
            json!({"required": ["x"]}),
            "/required",
            LossKind::Merged,
        ),
        (
            json!({"type": ["null", "null"]}),
            json!({"type": ["null"]}),
            "/type",
            LossKind::Merged,
        ),
        (
            json!({"properties": {"a/b": {"required": true}, "c": {}}, "required": ["c"]}),
            json!({"properties": {"a/b": {}, "c": {}}, "required": ["c", "a/b"]}),
            "/properties/a~1b/required",
            LossKind::Merged,
        ),
        (
            json!({"properties": {"x": {"required": false}}}),
            json!({"properties": {"x": {}}}),
            "/properties/x/required",
            LossKind::Merged,
        ),
        (
            json!({"items": {"required": true}}),
            json!({"items": {}}),
            "/items/required",
            LossKind::Dropped,
        ),
        (
            json!({"minimum": null}),
            json!({}),
            "/minimum",
            LossKind::Dropped,
        ),
        (
            json!({"description": 5}),
            json!({}),
            "/description",
            LossKind::Dropped,
        ),
        (json!({"allOf": []}), json!({}), "/allOf", LossKind::Dropped),
        (
            json!({"dependentRequired": {"a": ["b", "b"]}}),
            json!({"dependentRequired": {"a": ["b"]}}),
            "/dependentRequired",
            LossKind::Merged,
        ),
    ] {
        assert_eq!(
            mended(&schema),
            (Ok(expected), vec![(pointer.to_owned(), action)]),
            "{schema}"
        );
    }
}

#[test]
fn what_would_have_to_be_guessed_is_named_by_its_place() {
    for (schema, reason) in [
        (
            json!(7),
            "its root is no schema; a schema is an object, or true or false",
        ),
        (
            json!({"properties": {"x": "string"}}),
            "`/properties/x` is no schema; a schema is an object, or true or false",
        ),
        (
            json!({"properties": {"x": null}}),
            "`/properties/x` is no schema; a schema is an object, or true or false",
        ),
        (json!({"properties": []}), "`/properties` is no object"),
        (
            json!({"items": {"type": "any"}}),
            "`/items/type` is neither a type of JSON Schema nor a list of different ones",
        ),
        (
            json!({"anyOf": [{"enum": "a"}]}),
            "`/anyOf/0/enum` is no list",
        ),
        (
            json!({"required": "x"}),
            "`/required` is no list of different names",
        ),
        (
            json!({"anyOf": []}),
            "`/anyOf` is no list of one or more schemas",
        ),
        (
            json!({"pattern": "["}),
            "`/pattern` has a `[` without its `]`",
        ),
        (
            json!({"patternProperties": {"(": {}}}),
            "`/patternProperties/(` has a `(` without its `)`",
        ),
        (json!({"minimum": "1"}), "`/minimum` is no number"),
        (
            json!({"multipleOf": 0}),
            "`/multipleOf` is no number above 0",
        ),
        (
            json!({"minLength": -1}),
            "`/minLength` is no whole number from 0 up",
        ),
        (
            json!({"minLength": 1.5}),
            "`/minLength` is no whole number from 0 up",
        ),
        (
            json!({"uniqueItems": "yes"}),
            "`/uniqueItems` is neither true nor false",
        ),
        (json!({"$ref": 5}), "`/$ref` is no text"),
        (
            json!({"additionalProperties": "no"}),
            "`/additionalProperties` is no schema; a schema is an object, or true or false",
        ),
    ] {
        let expected = format!("its schema is no JSON Schema: {reason}");

        assert_eq!(mended(&schema), (Err(expected), vec![]), "{schema}");
    }
}

#[test]
fn drafts_and_foreign_keywords_are_schemas_as_they_are() {
    for schema in [
        json!(true),
        json!({"items": [{}, true], "additionalItems": false}),
        json!({"minimum": 1, "exclusiveMinimum": true, "nullable": true}),
        json!({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}}),
        json!({"definitions": {"A": {}}, "$ref": "#/definitions/A"}),
        json!({"enum": [], "default": null, "const": null, "x-own": {"type": "any"}}),
        json!({"minItems": 2.0, "type": ["string", "null"], "examples": [{"type": 5}]}),
    ] {
        assert_eq!(mended(&schema), (Ok(schema.clone()), vec![]));
    }
}

#[test]
fn a_tool_with_a_mended_schema_is_never_strict_and_its_neighbour_is_as_ever() {
    let draft3 =
        json!({"type": "object", "properties": {"x": {"type": "string", "required": true}}});
    let tools = [
        ToolDefinition::new("bad", "", json!({"properties": {"x": {"type": "any"}}})),
        ToolDefinition::new("mended", "", draft3),
        ToolDefinition::new("good", "", json!({"type": "object", "properties": {}})),
    ];
    for (mode, strict) in [
        (StrictMode::Auto, vec![false, true]),
        (StrictMode::On, vec![false, true]),
    ] {
        let options = Options::default().with_strict(mode);

        let converted = Provider::OpenAi.with_options(options).convert(&tools);

        let sent = converted.tools.as_array().unwrap().iter();
        let told: Vec<bool> = sent
            .clone()
            .map(|tool| tool["function"]["strict"] == true)
            .collect();
        assert_eq!(told, strict);
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
fn every_provider_refuses_what_is_no_schema_and_says_where() {
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
            "its schema is no JSON Schema: `/properties/x/enum` is no list"
        );
    }
}

#[test]
fn what_a_tool_answers_is_left_out_when_it_is_no_schema() {
    let tool = ToolDefinition::new("f", "", json!({})).with_output_schema(json!({"properties": 5}));
    let options = Options::default().with_output_schemas(true);
    for provider in [Provider::Mcp, Provider::OpenAiResponses, Provider::Gemini] {
        let converted = provider
            .with_options(options.clone())
            .convert(std::slice::from_ref(&tool));

        assert!(
            !converted.tools.to_string().contains("properties\":5"),
            "{provider}"
        );
        assert_eq!(converted.losses[0].action, LossKind::Dropped, "{provider}");
    }
}
