mod unvalidated {
    use serde_json::json;

    use super::super::*;

    #[test]
    fn finds_constraints_besides_object_type() {
        for (schema, pointer) in [
            (json!(true), None),
            (json!({}), None),
            (json!({"type": "object", "title": "F"}), None),
            (
                json!({"type": "object", "properties": {"a": true, "b": {"description": "B."}}, "additionalProperties": true}),
                None,
            ),
            (
                json!({"properties": {"a/b": {"type": "string"}}}),
                Some("/properties/a~1b/type"),
            ),
            (json!({"properties": {"a": false}}), Some("/properties/a")),
            (json!({"required": ["a"]}), Some("/required")),
            (
                json!({"additionalProperties": false}),
                Some("/additionalProperties"),
            ),
            (
                json!({"properties": {"a": {"properties": {"b": {"minimum": 1}}}}}),
                Some("/properties/a/properties/b/minimum"),
            ),
        ] {
            assert_eq!(first_constraint(&schema).as_deref(), pointer, "{schema}");
        }
    }
}

mod required {
    use serde_json::json;

    use super::super::*;

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
}
