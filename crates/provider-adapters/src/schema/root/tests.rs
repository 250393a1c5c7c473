use super::*;
use crate::schema::origin::{mark, unmark};

fn rooted(schema: &Value) -> (Result<Value, String>, Vec<String>) {
    let mut marked = mark(schema);
    let mut losses = Losses::new("f");
    let outcome = root_object(&mut marked, &mut losses);
    let pointers = losses.distinct().into_iter().map(|loss| loss.pointer);
    (outcome.map(|()| unmark(marked)), pointers.collect())
}

#[test]
fn merges_alternatives_and_common_required_properties() {
    let (schema, losses) = rooted(&json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type": "string"}}, "required": ["kind", "x"]},
        {"type": "object", "properties": {"kind": {"const": "b"}, "y": {"type": "string"}}, "required": ["kind"]},
    ]}));

    assert_eq!(
        schema,
        Ok(json!({
            "type": "object",
            "properties": {"kind": {"enum": ["a", "b"]}, "x": {"type": "string"}, "y": {"type": "string"}},
            "required": ["kind"],
        }))
    );
    assert_eq!(losses, ["/oneOf"]);
}

#[test]
fn ignores_alternatives_that_reject_objects() {
    let (schema, _) = rooted(&json!({"anyOf": [
        {"properties": {"a": {}}}, {"const": null}, {"enum": ["x"]}, {"type": "string"},
    ]}));

    assert_eq!(
        schema,
        Ok(json!({"type": "object", "properties": {"a": {}}}))
    );
}

#[test]
fn inlines_root_reference_without_loss() {
    let (schema, losses) = rooted(&json!({
        "$ref": "#/$defs/A",
        "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}},
    }));

    assert_eq!(
        schema,
        Ok(json!({
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/A"}},
            "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}},
        }))
    );
    assert!(losses.is_empty());
}

#[test]
fn references_keep_targets_after_merge() {
    let (schema, losses) = rooted(&json!({
        "properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}, "c": {"$ref": "#/allOf/0/properties/a"}},
        "allOf": [{"properties": {"a": {"maxLength": 1}}}],
    }));

    assert_eq!(
        schema,
        Ok(json!({
            "type": "object",
            "properties": {
                "a": {"type": "string", "maxLength": 1},
                "b": {"$ref": "#/$defs/moved_1"},
                "c": {"$ref": "#/$defs/moved_2"},
            },
            "$defs": {"moved_1": {"type": "string"}, "moved_2": {"maxLength": 1}},
        }))
    );
    assert_eq!(losses, Vec::<String>::new());
}

#[test]
fn rejects_non_object_root() {
    for schema in [
        json!(false),
        json!({"type": "string"}),
        json!({"type": ["array", "null"]}),
    ] {
        assert!(rooted(&schema).0.is_err(), "{schema}");
    }
}

#[test]
fn converts_permissive_root_to_empty_object() {
    for schema in [json!(true), json!({}), json!({"type": ["object", "null"]})] {
        assert_eq!(
            rooted(&schema).0,
            Ok(json!({"type": "object", "properties": {}})),
            "{schema}"
        );
    }
}

#[test]
fn terminates_on_self_referencing_root() {
    let (schema, losses) = rooted(&json!({"$ref": "#"}));

    assert!(schema.is_ok());
    assert_eq!(losses.len(), 1);
}
