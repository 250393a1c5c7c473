use proptest::prelude::*;
use serde_json::{Value, json};

use super::Plan;
use crate::Arguments;
use crate::schema::validator::Validator;
use crate::schema::{Fit, ignored};

fn surely_fits(schema: &Value, value: &Value) -> Option<bool> {
    let arguments = Arguments::from_value(value.clone());
    Plan::of(schema).map(|plan| plan.fit(arguments.root()).is_some())
}

#[test]
fn accepts_valid_arguments() {
    let plan = json!({
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}, "minItems": 1},
            "limit": {"type": ["integer", "null"], "minimum": 0, "maximum": 4_294_967_295_u32, "default": null},
            "share": {"type": "number"},
            "name": {"type": "string", "minLength": 1, "maxLength": 3},
            "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "shape": {"anyOf": [{"enum": ["round", "flat"], "description": "Shape."}, {"type": "null"}]},
        },
        "required": ["items"],
        "additionalProperties": false,
        "$defs": {"Item": {"type": "object", "properties": {"done": {"type": "boolean"}, "more": {"$ref": "#/$defs/Item"}}}},
    });

    for arguments in [
        json!({"items": [{}]}),
        json!({"items": [{"done": true, "more": {"more": {}}}, {"unknown": 1}]}),
        json!({"items": [{}], "limit": null, "share": 1, "name": "äöü"}),
        json!({"shape": "flat", "limit": 4_294_967_295_u32, "share": 0.5, "items": [{}], "either": null}),
        json!({"shape": null, "either": "x", "items": [{}]}),
    ] {
        assert_eq!(surely_fits(&plan, &arguments), Some(true), "{arguments}");
    }
    for arguments in [
        json!({}),
        json!({"items": []}),
        json!({"items": [{"more": {"done": 1}}]}),
        json!({"items": [{}], "limit": -1}),
        json!({"items": [{}], "limit": 4_294_967_296_u64}),
        json!({"items": [{}], "name": ""}),
        json!({"items": [{}], "name": "four"}),
        json!({"items": [{}], "shape": "square"}),
        json!({"items": [{}], "other": 1}),
    ] {
        assert_eq!(surely_fits(&plan, &arguments), Some(false), "{arguments}");
    }
}

#[test]
fn schema_with_other_keywords_has_no_plan() {
    for schema in [
        json!({"properties": {"a": {"type": "string", "pattern": "^a"}}}),
        json!({"properties": {"a": {"not": {}}}}),
        json!({"properties": {}, "patternProperties": {}}),
        json!({"properties": {}, "additionalProperties": {"type": "string"}}),
        json!({"properties": {"a": {"enum": [1]}}}),
        json!({"properties": {"a": {"minimum": 0.5}}}),
        json!({"properties": {"a": {}}, "required": ["b"]}),
        json!({"required": ["b"]}),
        json!({"properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "string"}]}}}),
        json!({"properties": {"a": {"allOf": [{"type": "integer"}]}}}),
        json!({"properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}}),
        json!({"properties": {"a": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}}),
        json!({"properties": {"a": {"$ref": "#", "type": "object"}}}),
        json!({"properties": {"a": {"$ref": "https://example.com/a"}}}),
        json!({"$schema": "http://json-schema.org/draft-04/schema#", "type": "object"}),
        json!({"properties": {"a": {"$schema": "http://json-schema.org/draft-07/schema#"}}}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"type": "string"}}}),
    ] {
        assert_eq!(surely_fits(&schema, &json!({})), None, "{schema}");
    }
}

#[test]
fn format_has_same_effect_as_in_validator() {
    let schema = json!({"properties": {"to": {"type": "string", "format": "email"}}});
    let arguments = json!({"to": "nobody"});
    let validator = Validator::compile(&schema).unwrap();

    assert_eq!(surely_fits(&schema, &arguments), Some(true));
    let arguments = Arguments::from_value(arguments);
    assert!(validator.is_valid_by_the_whole(arguments.root()));
}

#[test]
fn declines_circular_references() {
    let endless =
        json!({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}});
    let nested = json!({"properties": {"a": {"$ref": "#"}}});

    assert_eq!(surely_fits(&endless, &json!({})), None);
    assert_eq!(surely_fits(&nested, &json!({"a": {"a": {}}})), Some(true));
    assert_eq!(surely_fits(&nested, &json!({"a": {"a": 1}})), Some(true));
}

pub(super) fn any_schema() -> impl Strategy<Value = Value> {
    let names =
        prop::sample::subsequence(vec!["null", "boolean", "integer", "number", "string"], 1..3);
    let leaf = prop_oneof![
        names.prop_map(|names| json!({"type": names})),
        (-3..3, 0..3).prop_map(|(least, more)| json!({"minimum": least, "maximum": least + more})),
        (0..3, 0..3).prop_map(|(least, more)| json!({"minLength": least, "maxLength": least + more, "minItems": least})),
        prop::sample::subsequence(vec!["a", "b", "c"], 0..3).prop_map(|texts| json!({"enum": texts})),
        Just(json!({"enum": ["a", null]})),
        Just(json!({"$ref": "#"})),
        any::<bool>().prop_map(Value::Bool),
    ];
    leaf.prop_recursive(3, 24, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            inner.clone().prop_map(|items| json!({"items": items, "maxItems": 2})),
            list.clone().prop_map(|list| json!({"anyOf": list})),
            list.clone().prop_map(|list| json!({"oneOf": list})),
            list.prop_map(|list| json!({"allOf": list})),
            (inner.clone(), inner, any::<bool>(), 0_usize..3).prop_map(|(a, b, is_open, required)| {
                let required: Vec<&str> = ["b", "a"].into_iter().take(required).collect();
                json!({"type": "object", "properties": {"a": a, "b": b}, "required": required, "additionalProperties": is_open})
            }),
        ]
    })
}

pub(super) fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5..5).prop_map(Value::from),
        prop::sample::select(vec![0.5, 2.0, -1.5, 1e300]).prop_map(Value::from),
        prop::sample::select(vec!["", "a", "b", "äö", "long text"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..3).prop_map(|members| json!(members)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn accepted_values_are_valid(schema in any_schema(), values in prop::collection::vec(any_value(), 8)) {
        let (Some(plan), Ok(validator)) = (Plan::of(&schema), Validator::compile(&schema)) else {
            return Ok(());
        };
        for value in values {
            let arguments = Arguments::from_value(value.clone());
            let fit = plan.fit(arguments.root());
            if fit.is_some() {
                prop_assert!(validator.is_valid_by_the_whole(arguments.root()), "{} {}", schema, value);
            }
            if fit == Some(Fit::Plain) {
                let reported = ignored(arguments.root(), &schema);
                prop_assert_eq!(reported, Vec::<String>::new(), "{} {}", schema, value);
            }
        }
    }
}

/// One schema of the test suite with its values.
#[derive(serde::Deserialize)]
struct Group {
    description: String,
    schema: Value,
    tests: Vec<Case>,
}

#[derive(serde::Deserialize)]
struct Case {
    description: String,
    data: Value,
    valid: bool,
}

const DRAFT_7: &str = "http://json-schema.org/draft-07/schema#";
const DRAFT_2020_12: &str = "https://json-schema.org/draft/2020-12/schema";

/// Sets or removes `$schema`. Most tools omit it.
fn name_dialect(schema: &mut Value, dialect: Option<&str>) {
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    match dialect {
        Some(dialect) => drop(schema.insert("$schema".to_owned(), json!(dialect))),
        None => drop(schema.remove("$schema")),
    }
}

#[test]
fn schema_of_known_dialect_has_plan() {
    let schema = json!({
        "$schema": DRAFT_2020_12,
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "additionalProperties": false,
    });
    assert_eq!(surely_fits(&schema, &json!({"a": 1})), Some(true));
    assert_eq!(surely_fits(&schema, &json!({"a": "1"})), Some(false));
}

/// Returns the groups of one folder of the JSON Schema test suite.
fn groups(folder: &str) -> Vec<Group> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/json_schema_suite")
        .join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
        .into_iter()
        .flat_map(|file| -> Vec<Group> {
            serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
        })
        .collect()
}

#[test]
fn accepted_values_are_valid_in_json_schema_suite() {
    let (mut planned, mut sure) = (0, 0);
    for (folder, dialect) in [
        ("draft7", None),
        ("draft7", Some(DRAFT_7)),
        ("draft2020-12", None),
        ("draft2020-12", Some(DRAFT_2020_12)),
        ("draft2020-12/optional", None),
    ] {
        for mut group in groups(folder) {
            name_dialect(&mut group.schema, dialect);
            let (Some(plan), Ok(validator)) =
                (Plan::of(&group.schema), Validator::compile(&group.schema))
            else {
                continue;
            };
            planned += 1;
            for case in group.tests {
                let arguments = Arguments::from_value(case.data.clone());
                if plan.fit(arguments.root()).is_some() {
                    sure += 1;
                    let valid = validator.is_valid_by_the_whole(arguments.root());
                    assert!(valid, "{} {}", group.schema, case.data);
                }
            }
        }
    }
    assert!(planned > 100 && sure > 200, "{planned} {sure}");
}

#[test]
fn verdicts_are_those_of_json_schema_suite() {
    let (mut cases, mut wrong, mut rejected) = (0, Vec::new(), Vec::new());
    for (folder, dialect) in [("draft7", DRAFT_7), ("draft2020-12", DRAFT_2020_12)] {
        for mut group in groups(folder) {
            name_dialect(&mut group.schema, Some(dialect));
            let Ok(validator) = Validator::compile(&group.schema) else {
                rejected.push(group.description);
                continue;
            };
            for case in group.tests {
                cases += 1;
                let arguments = Arguments::from_value(case.data);
                let is_valid = validator.is_valid(arguments.root());
                let issues = validator.issues(arguments.root(), &group.schema);
                assert_eq!(is_valid, issues.is_empty(), "{}", case.description);
                if is_valid != case.valid {
                    wrong.push(format!("{}: {}", group.description, case.description));
                }
            }
        }
    }

    assert_eq!(cases, 2103);
    // The meta-schema that disables validation is remote.
    assert_eq!(
        wrong,
        [
            "schema that uses custom metaschema with with no validation vocabulary: \
            no validation: invalid number, but it still validates"
        ]
    );
    // These refer to remote schemas.
    assert_eq!(
        rejected,
        [
            "strict-tree schema, guards against misspelled properties",
            "tests for implementation dynamic anchor and reference link",
            "$ref and $dynamicAnchor are independent of order - $defs first",
            "$ref and $dynamicAnchor are independent of order - $ref first",
            "$ref to $dynamicRef finds detached $dynamicAnchor",
        ]
    );
}
