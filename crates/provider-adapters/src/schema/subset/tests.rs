use serde_json::json;

use super::super::origin::{mark, unmark};
use super::*;

#[test]
fn describes_or_drops_unknown_keywords() {
    let mut schema = mark(&json!({
        "type": "string", "title": "T", "maxLength": 3, "not": {"const": "x"}, "additionalProperties": false,
    }));
    let mut losses = Losses::new("f");

    keep_only(
        schema.as_object_mut().unwrap(),
        &["type", "description"],
        &mut losses,
    );

    assert_eq!(
        unmark(schema),
        json!({"type": "string", "description": "At most 3 characters."})
    );
    let losses: Vec<(String, LossKind)> = losses
        .distinct()
        .into_iter()
        .map(|loss| (loss.keyword, loss.action))
        .collect();
    assert_eq!(
        losses,
        [
            ("maxLength".to_owned(), LossKind::Described),
            ("not".to_owned(), LossKind::Dropped),
            ("additionalProperties".to_owned(), LossKind::Widened),
        ]
    );
}

#[test]
fn reports_condition_as_one_loss() {
    let mut schema = mark(&json!({
        "type": "array",
        "not": {"not": {"required": ["a"]}},
        "contains": {"format": "x"},
        "unevaluatedItems": true,
    }));
    let mut losses = Losses::new("f");

    drop_conditions(schema.as_object_mut().unwrap(), &mut losses);

    assert_eq!(
        unmark(schema),
        json!({"type": "array", "description": "Rule `contains`: {\"format\":\"x\"}."})
    );
    let pointers = losses.distinct().into_iter().map(|loss| loss.pointer);
    assert_eq!(pointers.collect::<Vec<_>>(), ["/contains", "/not"]);
}

#[test]
fn removes_properties_that_match_no_value() {
    for (schema, expected, losses) in [
        (
            json!({"properties": {"a": false, "b": {}, "c": {"enum": []}, "d": {"anyOf": [false]}}}),
            json!({"properties": {"b": {}}}),
            0,
        ),
        (
            json!({"anyOf": [false, {"type": "string"}]}),
            json!({"anyOf": [{"type": "string"}]}),
            0,
        ),
        (json!({"oneOf": [false]}), json!({}), 1),
    ] {
        let mut changed = mark(&schema);
        let mut recorded = Losses::new("f");

        drop_impossible(changed.as_object_mut().unwrap(), &mut recorded);

        assert_eq!(unmark(changed), expected);
        assert_eq!(recorded.distinct().len(), losses, "{schema}");
    }
}

#[test]
fn removes_unknown_required_names_with_loss() {
    for (schema, expected, losses) in [
        (
            json!({"properties": {"b": {}}, "required": ["a", "b"]}),
            json!({"properties": {"b": {}}, "required": ["b"]}),
            1,
        ),
        (json!({"required": ["a"]}), json!({}), 1),
        (
            json!({"properties": {"b": {}}, "required": ["b"]}),
            json!({"properties": {"b": {}}, "required": ["b"]}),
            0,
        ),
    ] {
        let mut changed = mark(&schema);
        let mut recorded = Losses::new("f");

        require_known(changed.as_object_mut().unwrap(), &mut recorded);

        assert_eq!(unmark(changed), expected);
        assert_eq!(recorded.distinct().len(), losses, "{schema}");
    }
}

#[test]
fn drops_unused_definitions_silently() {
    let mut schema = mark(&json!({"definitions": {"A": {}}, "$defs": {}}));
    let mut losses = Losses::new("f");

    keep_only(schema.as_object_mut().unwrap(), &[], &mut losses);

    assert_eq!(unmark(schema), json!({}));
    assert_eq!(losses.distinct(), []);
}

#[test]
fn drops_rules_if_description_is_unsupported() {
    let mut schema = mark(&json!({"description": "D", "minProperties": 1, "title": "T"}));
    let mut losses = Losses::new("f");

    drop_unknown(schema.as_object_mut().unwrap(), &["type"], &mut losses);

    assert_eq!(unmark(schema), json!({}));
    let keywords = losses.distinct().into_iter().map(|loss| loss.keyword);
    assert_eq!(
        keywords.collect::<Vec<_>>(),
        ["description", "minProperties"]
    );
}
