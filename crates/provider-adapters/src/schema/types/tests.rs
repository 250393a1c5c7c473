use super::*;
use crate::schema::origin::{mark, unmark};

#[test]
fn converts_null_to_nullable_and_types_to_any_of() {
    for (schema, expected) in [
        (
            json!({"type": ["string", "null"], "enum": ["a", null]}),
            json!({"type": "string", "nullable": true, "enum": ["a"]}),
        ),
        (
            json!({"type": "string", "enum": ["a", null]}),
            json!({"type": "string", "enum": ["a"]}),
        ),
        (
            json!({"type": ["integer", "string"], "enum": ["a"]}),
            json!({"type": "string", "enum": ["a"]}),
        ),
        (
            json!({"description": "D", "anyOf": [{"type": "string", "description": "E"}, {"type": "null"}]}),
            json!({"description": "D", "type": "string", "nullable": true}),
        ),
        (
            json!({"type": ["string", "integer"], "minLength": 1, "minimum": 2}),
            json!({"anyOf": [{"type": "string", "minLength": 1}, {"type": "integer", "minimum": 2}]}),
        ),
    ] {
        let mut single = mark(&schema);
        let object = single.as_object_mut().unwrap();
        let mut losses = Losses::new("f");

        null_branch_to_nullable(object, &mut losses);
        single_type(object);

        assert_eq!(unmark(single), expected, "{schema}");
        assert_eq!(losses.distinct(), []);
    }
}

#[test]
fn omits_nullable_if_values_exclude_null() {
    for (schema, expected) in [
        (
            json!({"type": ["string", "null"], "enum": ["a"]}),
            json!({"type": "string", "enum": ["a"]}),
        ),
        (
            json!({"enum": ["a"], "anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!({"type": "string", "enum": ["a"]}),
        ),
    ] {
        let mut single = mark(&schema);
        let object = single.as_object_mut().unwrap();

        null_branch_to_nullable(object, &mut Losses::new("f"));
        single_type(object);

        assert_eq!(unmark(single), expected, "{schema}");
    }
}

#[test]
fn moves_type_into_alternatives() {
    for (schema, expected) in [
        (
            json!({"type": "integer", "anyOf": [{"type": ["integer", "null"]}, {"minimum": 1}, {"type": "string"}]}),
            json!({"anyOf": [{"type": "integer"}, {"minimum": 1, "type": "integer"}]}),
        ),
        (
            json!({"type": ["string", "null"], "anyOf": [{"minLength": 1}]}),
            json!({"anyOf": [{"minLength": 1, "type": ["string", "null"]}]}),
        ),
        (
            json!({"type": "integer", "anyOf": [{"type": "string"}]}),
            json!({"type": "integer", "anyOf": [{"type": "string"}]}),
        ),
    ] {
        let mut typed = mark(&schema);

        type_into_branches(typed.as_object_mut().unwrap());

        assert_eq!(unmark(typed), expected, "{schema}");
    }
}

#[test]
fn describes_keywords_next_to_alternatives() {
    let mut schema = mark(
        &json!({"anyOf": [{"type": "string"}], "minimum": 1, "default": "a", "required": ["x"]}),
    );
    let mut losses = Losses::new("f");

    clear_beside_any_of(schema.as_object_mut().unwrap(), &mut losses);

    assert_eq!(
        unmark(schema),
        json!({"anyOf": [{"type": "string"}], "description": "At least 1. Default: \"a\"."})
    );
    let actions: Vec<LossKind> = losses.distinct().iter().map(|loss| loss.action).collect();
    assert_eq!(
        actions,
        [LossKind::Described, LossKind::Described, LossKind::Dropped]
    );
}

#[test]
fn converts_null_schema_to_described_nullable_string() {
    for schema in [
        json!({"type": "null"}),
        json!({"type": ["null"]}),
        json!({"const": null}),
        json!({"enum": [null]}),
        json!({"anyOf": [{"type": "null"}, {"const": null}]}),
    ] {
        let mut changed = mark(&schema);
        let object = changed.as_object_mut().unwrap();
        let mut losses = Losses::new("f");

        null_branch_to_nullable(object, &mut losses);
        null_to_nullable(object, &mut losses);

        assert_eq!(
            unmark(changed),
            json!({"type": "string", "nullable": true, "description": "Always null."}),
            "{schema}"
        );
        assert!(losses.only_described() && losses.distinct().len() == 1);
    }
}

#[test]
fn merges_single_alternative_into_schema() {
    let mut schema = mark(&json!({
        "properties": {"a": {"type": "string"}},
        "anyOf": [{"properties": {"b": {"type": "string"}}}, {"type": "null"}],
    }));

    null_branch_to_nullable(schema.as_object_mut().unwrap(), &mut Losses::new("f"));

    assert_eq!(
        unmark(schema),
        json!({"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "nullable": true})
    );
}

#[test]
fn infers_missing_type() {
    for (schema, kind, losses) in [
        (json!({"properties": {}}), json!("object"), 1),
        (json!({"minimum": 1}), json!("number"), 1),
        (json!({}), Value::Null, 1),
    ] {
        let mut typed = mark(&schema);
        let mut recorded = Losses::new("f");

        infer_type(typed.as_object_mut().unwrap(), &mut recorded);

        assert_eq!(typed["type"], kind, "{schema}");
        assert_eq!(recorded.distinct().len(), losses, "{schema}");
    }
}
