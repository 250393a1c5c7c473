//! Tests of the schema builder.

use serde_json::json;

use super::*;

fn command() -> Schema<Object> {
    Schema::object().required(
        "command",
        Schema::string().describe("The bash command to execute"),
    )
}

#[test]
fn builds_printed_document_schemas() {
    let create_file = Schema::object()
        .required(
            "path",
            Schema::string().describe("Relative path to the file to create"),
        )
        .required(
            "content",
            Schema::string().describe("Content to write to the file"),
        );
    let custom = Schema::object().required("param1", Schema::string().describe("First parameter"));

    for (schema, printed) in [
        (
            command(),
            r#"{"type": "object", "properties": {"command": {
                "type": "string", "description": "The bash command to execute"
            }}, "required": ["command"]}"#,
        ),
        (
            create_file,
            r#"{"type": "object", "properties": {
                "path": {"type": "string", "description": "Relative path to the file to create"},
                "content": {"type": "string", "description": "Content to write to the file"}
            }, "required": ["path", "content"]}"#,
        ),
        (
            custom,
            r#"{"type": "object", "properties": {"param1": {
                "type": "string", "description": "First parameter"
            }}, "required": ["param1"]}"#,
        ),
    ] {
        let printed: Value = serde_json::from_str(printed).unwrap();

        assert_eq!(Value::from(schema), printed);
    }
}

#[test]
fn each_method_sets_one_keyword() {
    for (schema, expected) in [
        (Schema::any().into(), json!({})),
        (
            Value::from(Schema::object()),
            json!({"type": "object", "properties": {}}),
        ),
        (
            Schema::object().others(Schema::integer()).into(),
            json!({"type": "object", "properties": {}, "additionalProperties": {"type": "integer"}}),
        ),
        (
            Schema::array(Schema::any())
                .min_items(1)
                .max_items(3)
                .unique_items()
                .into(),
            json!({"type": "array", "items": {}, "minItems": 1, "maxItems": 3, "uniqueItems": true}),
        ),
        (
            Schema::string()
                .min_length(1)
                .max_length(9)
                .pattern("^a")
                .format("uri")
                .into(),
            json!({"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a", "format": "uri"}),
        ),
        (
            Schema::integer().minimum(i64::MIN).maximum(u64::MAX).into(),
            json!({"type": "integer", "minimum": i64::MIN, "maximum": u64::MAX}),
        ),
        (
            Schema::number().minimum(0).maximum(1.5).into(),
            json!({"type": "number", "minimum": 0.0, "maximum": 1.5}),
        ),
        (
            Schema::number().above(0).below(1).into(),
            json!({"type": "number", "exclusiveMinimum": 0.0, "exclusiveMaximum": 1.0}),
        ),
        (
            Schema::boolean().default(true).into(),
            json!({"type": "boolean", "default": true}),
        ),
        (
            Schema::array(Schema::string()).default([json!("a")]).into(),
            json!({"type": "array", "items": {"type": "string"}, "default": ["a"]}),
        ),
    ] {
        assert_eq!(schema, expected);
    }
}

#[test]
fn nullable_adds_null_to_allowed_values() {
    let either = || Schema::string().or(Schema::integer());

    for (schema, expected) in [
        (
            Schema::string().nullable().into(),
            json!({"type": ["string", "null"]}),
        ),
        (
            Schema::string().nullable().nullable().into(),
            json!({"type": ["string", "null"]}),
        ),
        (
            Schema::one_of(["a"]).nullable().into(),
            json!({"type": ["string", "null"], "enum": ["a", null]}),
        ),
        (Schema::any().nullable().into(), json!({})),
        (
            either().nullable().into(),
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
        ),
        (
            Value::from(either().describe("D.").or(Schema::boolean())),
            json!({"anyOf": [
                {"anyOf": [{"type": "string"}, {"type": "integer"}], "description": "D."},
                {"type": "boolean"},
            ]}),
        ),
    ] {
        assert_eq!(schema, expected);
    }
}

#[test]
fn later_member_replaces_earlier_member() {
    let schema = command()
        .required("command", Schema::any())
        .required("other", Schema::any())
        .optional("command", Schema::boolean());

    assert_eq!(
        Value::from(schema),
        json!({
            "type": "object",
            "properties": {"command": {"type": "boolean"}, "other": {}},
            "required": ["other"],
        })
    );
}

#[test]
fn omits_values_that_json_cannot_represent() {
    let schema = Schema::number()
        .minimum(f64::NEG_INFINITY)
        .maximum(f64::INFINITY)
        .default(f64::NAN);

    assert_eq!(Value::from(schema), json!({"type": "number"}));
}

#[test]
#[cfg(feature = "validate")]
fn schema_with_every_keyword_registers_and_validates() {
    use crate::{Arguments, schema::Validator};

    let schema = Value::from(
        Schema::object()
            .required(
                "text",
                Schema::string()
                    .min_length(1)
                    .pattern("^[a-z]+$")
                    .default("a"),
            )
            .optional("count", Schema::integer().minimum(1).maximum(9).nullable())
            .optional("ratio", Schema::number().above(0).below(1))
            .optional("kind", Schema::one_of(["x", "y"]).nullable())
            .optional("tags", Schema::array(command()).min_items(1).unique_items())
            .optional("either", Schema::string().or(Schema::boolean()).nullable())
            .optional("nothing", Schema::one_of(Vec::<String>::new()))
            .others(Schema::array(Schema::any())),
    );
    let validator = Validator::compile(&schema).unwrap();

    for (arguments, valid) in [
        (
            json!({"text": "a", "count": 9, "ratio": 0.5, "kind": "x", "either": true, "more": []}),
            true,
        ),
        (
            json!({"text": "a", "count": null, "kind": null, "either": null, "tags": [{"command": "ls"}]}),
            true,
        ),
        (json!({}), false),
        (json!({"text": ""}), false),
        (json!({"text": "A"}), false),
        (json!({"text": "a", "count": 10}), false),
        (json!({"text": "a", "ratio": 0}), false),
        (json!({"text": "a", "ratio": 1}), false),
        (json!({"text": "a", "kind": "z"}), false),
        (json!({"text": "a", "tags": []}), false),
        (json!({"text": "a", "tags": [{}]}), false),
        (json!({"text": "a", "either": 1}), false),
        (json!({"text": "a", "nothing": "x"}), false),
        (json!({"text": "a", "more": 1}), false),
    ] {
        let read = Arguments::from_value(arguments.clone());

        assert_eq!(validator.is_valid(read.root()), valid, "{arguments}");
    }
}
