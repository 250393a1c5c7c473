use std::sync::LazyLock;

use jsonschema::{ValidationError, Validator, options_for};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::json::parse::tests::any_value;
use crate::json::tape::tests::of_value;

/// One schema, compiled for both representations.
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
    fn verdicts(&self, value: &Value) -> [(bool, Vec<String>); 2] {
        let tape = of_value(value);
        let root = tape.root();
        [
            (
                self.by_value.is_valid(value),
                told(self.by_value.iter_errors(value)),
            ),
            (
                self.by_tape.is_valid(root),
                told(self.by_tape.iter_errors(root)),
            ),
        ]
    }
}

pub(super) fn told<'i>(errors: impl Iterator<Item = ValidationError<'i>>) -> Vec<String> {
    errors
        .map(|error| format!("{} {} {error}", error.instance_path(), error.schema_path()))
        .collect()
}

/// Schemas that between them ask for every method of the representation.
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

/// Values of few keys and few scalars, so that a schema often agrees with one.
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
    fn a_validator_says_the_same_of_tape_and_value(value in prop_oneof![likely_value(), any_value()]) {
        for compared in COMPARED.iter() {
            let [by_value, by_tape] = compared.verdicts(&value);

            prop_assert_eq!(by_value, by_tape, "{} against {}", value, compared.schema);
        }
    }
}

#[test]
fn each_schema_of_the_comparison_takes_and_refuses_something() {
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

    for (compared, (taken, refused)) in COMPARED.iter().zip(examples) {
        let schema = &compared.schema;

        let [by_value, by_tape] = compared.verdicts(&taken);
        assert_eq!(
            (by_value.0, by_tape.0),
            (true, true),
            "{taken} against {schema}"
        );

        let [by_value, by_tape] = compared.verdicts(&refused);
        assert_eq!(
            (by_value.0, by_tape.0),
            (false, false),
            "{refused} against {schema}"
        );
    }
}

#[test]
fn a_node_has_one_identity_and_shares_it_with_no_other() {
    let value = json!({"a": [[], {}]});
    let tape = of_value(&value);
    let array = tape.root().get("a").unwrap();
    let items: Vec<_> = array.items().collect();

    let identities: Vec<_> = [tape.root(), array, items[0], items[1]]
        .map(|node| node.identity())
        .into();

    for (index, identity) in identities.iter().enumerate() {
        assert!(!identities[..index].contains(identity));
    }
    assert_eq!(tape.root().get("a").unwrap().identity(), array.identity());
}
