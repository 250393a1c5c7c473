//! Invariants of coercions for any schema and value.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// Nested schemas of every type.
fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec![
        json!({"type": "integer"}),
        json!({"type": "number"}),
        json!({"type": "string"}),
        json!({"type": "boolean"}),
        json!({"type": ["integer", "null"]}),
        json!({"enum": ["a", 1, true]}),
        json!({"const": "5"}),
        json!({}),
        json!({"$ref": "#/$defs/list"}),
    ]);
    let schema = leaf.prop_recursive(3, 16, 3, |inner| {
        let members = prop::collection::btree_map("[ab]", inner.clone(), 0..3);
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            members.prop_map(|all| json!({"type": "object", "properties": all, "required": ["a"]})),
            inner
                .clone()
                .prop_map(|items| json!({"type": "array", "items": items})),
            inner.clone().prop_map(
                |additional| json!({"type": "object", "additionalProperties": additional})
            ),
            pair.clone()
                .prop_map(|(left, right)| json!({"anyOf": [left, right]})),
            pair.prop_map(|(left, right)| json!({"oneOf": [left, right]})),
            // Use one part: contradicting parts match no value, and opposite changes would cancel
            // out.
            inner
                .clone()
                .prop_map(|first| json!({"prefixItems": [first]})),
            inner.prop_map(|part| json!({"allOf": [part]})),
        ]
    });
    schema.prop_map(|mut schema| {
        schema["$defs"] = json!({"list": {"type": "array", "items": {"type": "integer"}}});
        schema
    })
}

fn any_value() -> impl Strategy<Value = Value> {
    let texts = [
        "",
        "a",
        "5",
        "5.0",
        "-1.5",
        "01",
        "TRUE",
        "false",
        "null",
        "[1,\"2\"]",
        "{\"a\":\"1\"}",
        "[",
        "['a',]",
        "\"5\"",
        "1e3",
        "99999999999999999999",
        "0.1000000000000000055",
    ];
    let leaf = prop_oneof![
        prop::sample::select(texts.to_vec()).prop_map(Value::from),
        prop::sample::select(vec![
            json!(null),
            json!(true),
            json!(1),
            json!(2.5),
            json!(u64::MAX)
        ]),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Returns `true` if the original value can be restored from the converted value.
fn is_lossless(change: &ArgumentChange) -> bool {
    let (from, to) = (&change.from, &change.to);
    match change.kind {
        ChangeKind::TextToNumber => {
            let text = from.as_str().unwrap();
            text.parse::<f64>().ok() == to.as_f64()
                && text.trim_end_matches(".0").len() <= to.to_string().len()
        }
        ChangeKind::TextToBoolean => {
            from.as_str().unwrap().to_lowercase().parse().ok() == to.as_bool()
        }
        ChangeKind::ScalarToText => {
            serde_json::from_str::<Value>(to.as_str().unwrap())
                .ok()
                .as_ref()
                == Some(from)
        }
        ChangeKind::TextToJson => {
            let (tape, _) = tool_json::repair(from.as_str().unwrap()).unwrap();
            tape.to_value() == *to
        }
        ChangeKind::JsonToText => to.as_str().unwrap().parse().ok().as_ref() == Some(from),
        ChangeKind::ItemToArray => *to == json!([from]),
        ChangeKind::NullToAbsent => from.is_null() || from == "",
        kind => kind.is_repair(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn coercion_is_lossless(schema in any_schema(), mut value in any_value()) {
        for change in coerce(&mut value, &schema) {
            prop_assert!(is_lossless(&change), "{:?}", change);
        }
    }

    #[test]
    fn coercion_is_idempotent(schema in any_schema(), mut value in any_value()) {
        coerce(&mut value, &schema);
        let once = value.clone();

        let again = coerce(&mut value, &schema);

        prop_assert_eq!((again, value), (Vec::new(), once));
    }

    #[test]
    fn lists_changes_if_value_changed(schema in any_schema(), mut value in any_value()) {
        let before = value.clone();

        let changes = coerce(&mut value, &schema);

        prop_assert_eq!(changes.is_empty(), value == before, "{} {}", before, value);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, max_global_rejects: 50_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn valid_values_are_not_changed(schema in any_schema(), mut value in any_value()) {
        let validator = jsonschema::validator_for(&schema).unwrap();
        prop_assume!(validator.is_valid(&value));

        prop_assert_eq!(coerce(&mut value, &schema), Vec::new());
    }
}
