mod passes {
    use super::super::*;

    #[test]
    fn keeps_property_named_title() {
        let mut schema =
            json!({"title": "T", "properties": {"title": {"title": "X", "type": "string"}}});

        without_rust_residue(&mut schema);

        assert_eq!(schema, json!({"properties": {"title": {"type": "string"}}}));
    }

    #[test]
    fn keeps_choice_with_content() {
        let choice = json!({"oneOf": [{"const": "a"}, {"type": "object"}]});
        let mut schema = choice.clone();

        fold_described_enums(&mut schema);

        assert_eq!(schema, choice);
    }
}

mod ranges {
    use super::super::*;

    #[test]
    fn type_adds_missing_bounds_only() {
        let given = json!({"type": "integer", "format": "uint32", "minimum": 1});

        assert_eq!(
            without_type_ranges(&given),
            json!({"type": "integer", "minimum": 1})
        );
        assert_eq!(
            with_type_ranges(&given),
            json!({"type": "integer", "minimum": 1, "maximum": u32::MAX})
        );
    }

    #[test]
    fn keeps_bounds_of_other_types() {
        let given = json!({"properties": {
            "share": {"type": "number", "minimum": 0, "maximum": 255},
            "count": {"type": "integer", "minimum": 0, "maximum": 255},
            "when": {"type": "string", "format": "date"},
        }});

        assert_eq!(without_type_ranges(&given), given);
    }
}

mod nulls {
    use serde_json::json;

    use super::super::*;

    #[test]
    fn keeps_null_of_required_parameter() {
        let mut schema = json!({
            "properties": {"a": {"type": ["string", "null"]}, "b": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
            "required": ["a"]
        });

        without_null_where_absent_will_do(&mut schema);

        assert_eq!(
            schema,
            json!({"properties": {"a": {"type": ["string", "null"]}, "b": {"type": "string"}}, "required": ["a"]})
        );
    }

    #[test]
    fn default_omits_null_of_optional_parameter() {
        let inner = json!({
            "properties": {"a": {"type": ["integer", "null"]}, "b": {"type": ["integer", "null"]}},
            "required": ["b"],
        });
        let default = json!({"a": null, "b": null});
        let mut schema = json!({"properties": {
            "one": inner.clone(),
            "all": {"items": inner},
            "free": {"default": {"a": null}},
        }});
        schema["properties"]["one"]["default"] = default.clone();
        schema["properties"]["all"]["default"] = json!([default]);

        without_null_where_absent_will_do(&mut schema);

        let pruned = json!({"b": null});
        assert_eq!(schema["properties"]["one"]["default"], pruned);
        assert_eq!(schema["properties"]["all"]["default"], json!([pruned]));
        assert_eq!(schema["properties"]["free"]["default"], json!({"a": null}));
    }
}
