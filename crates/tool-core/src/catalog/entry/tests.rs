use serde_json::json;

use super::*;

#[test]
fn rejects_closed_object_requiring_unknown_member() {
    let schema =
        json!({"properties": {"path": {}}, "required": ["pth"], "additionalProperties": false});

    assert_eq!(
        check_required(&schema).unwrap_err(),
        "`pth` is required, but it is not a property and no others are allowed (did you mean `path`?)"
    );
}

#[test]
fn accepts_satisfiable_requirements() {
    for schema in [
        json!({"properties": {"a": {}}, "required": ["a"], "additionalProperties": false}),
        json!({"required": ["a"]}),
        json!({"required": ["a"], "additionalProperties": {"type": "string"}}),
        json!({"required": ["a"], "patternProperties": {"^a": {}}, "additionalProperties": false}),
        json!({"required": 7, "additionalProperties": false}),
        json!({"additionalProperties": false}),
        json!(true),
    ] {
        assert_eq!(check_required(&schema), Ok(()), "{schema}");
    }
}
