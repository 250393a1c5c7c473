use std::sync::LazyLock;

use jsonschema::{ValidationError, Validator, options_for};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::parse::tests::any_value;
use crate::tape::Tape;

/// A schema, compiled for both representations.
struct Compared {
    schema: Value,
    by_value: Validator,
    by_tape: Validator<TapeJson>,
}

static COMPARED: LazyLock<Vec<Compared>> = LazyLock::new(|| {
    let compile = |schema: Value| Compared {
        by_value: jsonschema::validator_for(&schema).unwrap(),
        by_tape: options_for::<TapeJson>().build(&schema).unwrap(),
        schema,
    };
    schemas().into_iter().map(compile).collect()
});

impl Compared {
    fn results(&self, value: &Value) -> [(bool, Vec<String>); 2] {
        let tape = Tape::from(value);
        let root = tape.root();
        [
            (
                self.by_value.is_valid(value),
                listed(self.by_value.iter_errors(value)),
            ),
            (
                self.by_tape.is_valid(root),
                listed(self.by_tape.iter_errors(root)),
            ),
        ]
    }
}

pub(super) fn listed<'i>(errors: impl Iterator<Item = ValidationError<'i>>) -> Vec<String> {
    errors
        .map(|error| format!("{} {} {error}", error.instance_path(), error.schema_path()))
        .collect()
}

/// Schemas that together use all methods of the representation.
fn schemas() -> Vec<Value> {
    vec![
        json!({"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "integer"}, "b": {"type": "string", "maxLength": 2}}}),
        json!({"type": "object", "additionalProperties": false, "properties": {"a": true, "c": {"$ref": "#"}}}),
        json!({"type": ["array", "object"], "items": {"type": ["number", "null", "array"]}, "uniqueItems": true, "minItems": 1}),
        json!({"enum": [1, 2.5, "a", null, [1, {"a": 0}], {"b": [true]}, {}]}),
        json!({"const": {"a": 1}}),
        json!({"anyOf": [{"type": "boolean"}, {"type": "number", "minimum": 3, "multipleOf": 2}, {"type": "string", "pattern": "^a"}]}),
        json!({"propertyNames": {"maxLength": 1}, "maxProperties": 2, "patternProperties": {"^b": {"type": "null"}}}),
        json!({"$defs": {"t": {"type": "object", "properties": {"a": {"$ref": "#/$defs/t"}}, "required": ["b"]}}, "$ref": "#/$defs/t"}),
        json!({"if": {"type": "object"}, "then": {"minProperties": 1, "dependentRequired": {"a": ["b"]}}, "else": {"not": {"type": "string"}}}),
        json!({"prefixItems": [{"type": "integer"}], "contains": {"type": "string"}, "unevaluatedItems": false, "unevaluatedProperties": false}),
        json!({"exclusiveMaximum": 9_007_199_254_740_993_u64, "type": "integer"}),
    ]
}

/// Generates values with few keys and scalars, which often match a schema.
fn likely_value() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(2.5),
        json!(4),
        json!(-1),
        json!(1e20),
        json!("a"),
        json!("b"),
        json!("abc"),
        json!("äöü"),
        json!(9_007_199_254_740_992_u64),
    ]);
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Value::from),
            prop::collection::btree_map("[abc]{1,2}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn validators_agree_on_tape_and_value(value in prop_oneof![likely_value(), any_value()]) {
        for compared in COMPARED.iter() {
            let [by_value, by_tape] = compared.results(&value);

            prop_assert_eq!(by_value, by_tape, "{} against {}", value, compared.schema);
        }
    }
}

#[test]
fn compared_schemas_accept_and_reject_values() {
    let examples = [
        (json!({"a": 1, "b": "x"}), json!({"a": "1"})),
        (json!({"c": {"a": 2}}), json!({"c": {"d": 2}})),
        (json!([1, null]), json!([1, 1])),
        (json!([1, {"a": 0}]), json!([1, {"a": 1}])),
        (json!({"a": 1}), json!({"a": 2})),
        (json!(4), json!("b5")),
        (json!({"a": 1, "b": null}), json!({"ab": 1})),
        (json!({"b": 1, "a": {"b": 1}}), json!({"b": 1, "a": {}})),
        (json!({"a": 1, "b": 2}), json!({"a": 1})),
        (json!([1, "x"]), json!([1, 2])),
        (
            json!(9_007_199_254_740_992_u64),
            json!(9_007_199_254_740_993_u64),
        ),
    ];

    for (compared, (accepted, rejected)) in COMPARED.iter().zip(examples) {
        let schema = &compared.schema;

        let [by_value, by_tape] = compared.results(&accepted);
        assert_eq!(
            (by_value.0, by_tape.0),
            (true, true),
            "{accepted} against {schema}"
        );

        let [by_value, by_tape] = compared.results(&rejected);
        assert_eq!(
            (by_value.0, by_tape.0),
            (false, false),
            "{rejected} against {schema}"
        );
    }
}

#[test]
fn identities_are_stable_and_unique() {
    let value = json!({"a": [[], {}]});
    let tape = Tape::from(&value);
    let array = tape.root().get("a").unwrap();
    let items: Vec<_> = array.items().collect();

    let identities: Vec<_> = [tape.root(), array, items[0], items[1]]
        .map(|value| value.identity())
        .into();

    for (index, identity) in identities.iter().enumerate() {
        assert!(!identities[..index].contains(identity));
    }
    assert_eq!(tape.root().get("a").unwrap().identity(), array.identity());
}
