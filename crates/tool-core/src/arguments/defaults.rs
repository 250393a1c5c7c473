//! Defaults of a schema, filled in at any depth.

use std::collections::HashMap;

use serde_json::Value;

use super::Node;
use super::tape::{Added, Addition, Tape};
use crate::schema::resolve;

/// Defaults filled into one call; a schema whose defaults need themselves ends here.
const MAX_FILLED: usize = 10_000;
const MAX_DEPTH: usize = 128;
/// Objects up to this many members are searched for each property.
const MOST_SEARCHED: usize = 16;

/// Whether `schema` has a default anywhere, so that calls need not look.
pub(crate) fn has_defaults(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.contains_key("default") || members.values().any(has_defaults)
        }
        Value::Array(items) => items.iter().any(has_defaults),
        _ => false,
    }
}

/// What is absent from a tape and has a default. Branches of `anyOf` and `oneOf` are not entered.
pub(super) fn fill_defaults<'t>(tape: &Tape<'_>, schema: &'t Value) -> Vec<Addition<'t>> {
    let mut filling = Filling {
        tape,
        root: schema,
        left: MAX_FILLED,
        additions: Vec::new(),
    };
    filling.at(tape.root(), schema, MAX_DEPTH);
    filling.additions
}

struct Filling<'f, 't> {
    tape: &'f Tape<'f>,
    root: &'t Value,
    left: usize,
    additions: Vec<Addition<'t>>,
}

impl<'t> Filling<'_, 't> {
    fn at(&mut self, node: Node<'_>, schema: &'t Value, depth: usize) {
        if depth == 0 {
            return;
        }
        let schema = resolve(schema, self.root);
        if node.is_object() {
            self.members(node, schema, depth);
        } else if let Some(of_items) = schema.get("items") {
            for item in node.items() {
                self.at(item, of_items, depth - 1);
            }
        }
    }

    fn members(&mut self, node: Node<'_>, schema: &'t Value, depth: usize) {
        let lookup = Lookup::of(node);
        for (name, property) in properties(schema) {
            if let Some(member) = lookup.get(name) {
                self.at(member, property, depth - 1);
            } else if let Some(default) = default_of(property, self.root)
                && self.left > 0
            {
                self.left -= 1;
                let value = self.filled(default, property, depth - 1);
                let object = self.tape.place_of(node);
                self.additions.push(Addition {
                    object,
                    key: name,
                    value,
                });
            }
        }
    }

    /// A default, with the defaults inside it.
    fn filled(&mut self, default: &'t Value, property: &'t Value, depth: usize) -> Added<'t> {
        let is_container = default.is_object() || default.is_array();
        if !is_container || !may_have_defaults(resolve(property, self.root)) {
            return Added::Lent(default);
        }
        let mut value = default.clone();
        fill(&mut value, property, self.root, depth, &mut self.left);
        Added::Made(Tape::of_owned_value(&value))
    }
}

/// Whether defaults are found inside a value of `schema`, as far as can be seen without following references.
fn may_have_defaults(schema: &Value) -> bool {
    ["properties", "items"]
        .iter()
        .any(|keyword| schema.get(keyword).is_some())
}

/// The members of an object by name; in a table where there are too many to search.
enum Lookup<'n> {
    Few(Node<'n>),
    Many(HashMap<&'n str, Node<'n>>),
}

impl<'n> Lookup<'n> {
    fn of(node: Node<'n>) -> Self {
        if node.members().nth(MOST_SEARCHED).is_some() {
            Self::Many(node.members().collect())
        } else {
            Self::Few(node)
        }
    }

    fn get(&self, name: &str) -> Option<Node<'n>> {
        match self {
            Self::Few(node) => node.get(name),
            Self::Many(members) => members.get(name).copied(),
        }
    }
}

/// The same for a value, for defaults inside a default.
fn fill(value: &mut Value, schema: &Value, root: &Value, depth: usize, left: &mut usize) {
    if depth == 0 {
        return;
    }
    let schema = resolve(schema, root);
    match value {
        Value::Object(members) => {
            for (name, property) in properties(schema) {
                if let Some(default) =
                    default_of(property, root).filter(|_| *left > 0 && !members.contains_key(name))
                {
                    *left -= 1;
                    members.insert(name.clone(), default.clone());
                }
                if let Some(member) = members.get_mut(name) {
                    fill(member, property, root, depth - 1, left);
                }
            }
        }
        Value::Array(items) => {
            if let Some(of_items) = schema.get("items") {
                for item in items {
                    fill(item, of_items, root, depth - 1, left);
                }
            }
        }
        _ => {}
    }
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten()
}

fn default_of<'s>(property: &'s Value, root: &'s Value) -> Option<&'s Value> {
    property
        .get("default")
        .or_else(|| resolve(property, root).get("default"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::arguments::parse::ParseLimits;

    /// Fills the tape and the value, which must come out the same.
    fn filled(value: &Value, schema: &Value) -> Value {
        let tape = Tape::of_value(value, &ParseLimits::default()).unwrap();
        let additions = fill_defaults(&tape, schema);
        let by_tape = tape.with_members(additions).root().to_value();
        let mut by_value = value.clone();
        fill(&mut by_value, schema, schema, MAX_DEPTH, &mut {
            MAX_FILLED
        });
        assert_eq!(by_tape, by_value, "{value} against {schema}");
        by_tape
    }

    #[test]
    fn defaults_are_filled_at_any_depth_and_overwrite_nothing() {
        let schema = json!({
            "properties": {
                "limit": {"default": 10},
                "path": {"default": "."},
                "options": {"properties": {"deep": {"default": true}}},
                "items": {"items": {"$ref": "#/$defs/item"}},
            },
            "$defs": {"item": {"properties": {"status": {"default": "pending"}}}},
        });
        let value = json!({"limit": 3, "options": {}, "items": [{}, {"status": "done"}]});

        assert_eq!(
            filled(&value, &schema),
            json!({"limit": 3, "path": ".", "options": {"deep": true},
                   "items": [{"status": "pending"}, {"status": "done"}]})
        );
    }

    #[test]
    fn the_default_of_an_object_gets_the_defaults_inside_it() {
        let schema =
            json!({"properties": {"o": {"default": {}, "properties": {"x": {"default": 1}}}}});
        assert_eq!(filled(&json!({}), &schema), json!({"o": {"x": 1}}));
    }

    #[test]
    fn a_schema_that_refers_to_itself_is_filled_as_deep_as_the_value() {
        let schema = json!({"properties": {
            "left": {"$ref": "#"}, "right": {"$ref": "#"}, "n": {"default": 1}}});
        assert_eq!(
            filled(&json!({"left": {"right": {}}}), &schema),
            json!({"n": 1, "left": {"n": 1, "right": {"n": 1}}})
        );
    }

    #[test]
    fn defaults_that_need_themselves_end() {
        let schema = json!({"properties": {
            "a": {"$ref": "#", "default": {}}, "b": {"$ref": "#", "default": {}}}});
        let value = filled(&json!({}), &schema);

        assert!(value.to_string().len() < 200_000);
    }

    #[test]
    fn an_object_of_many_members_gets_its_defaults() {
        let schema = json!({"properties": {"k7": {"default": 0}, "new": {"default": ["x"]}}});
        let members: serde_json::Map<String, Value> =
            (0..100).map(|n| (format!("k{n}"), json!(n))).collect();
        let mut expected = members.clone();
        expected.insert("new".to_owned(), json!(["x"]));

        assert_eq!(filled(&members.into(), &schema), Value::Object(expected));
    }

    fn any_schema() -> impl Strategy<Value = Value> {
        let leaf = prop::sample::select(vec![
            json!({}),
            json!({"default": 1}),
            json!({"default": {"a": 2}}),
            json!({"$ref": "#/properties/a"}),
            json!({"$ref": "#", "default": {}}),
        ]);
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::btree_map("[abc]", inner.clone(), 0..3)
                    .prop_map(|properties| json!({"properties": properties})),
                prop::collection::btree_map("[abc]", inner.clone(), 0..3)
                    .prop_map(|properties| json!({"properties": properties, "default": {"b": {}}})),
                inner
                    .clone()
                    .prop_map(|items| json!({"items": items, "default": [{}, 1]})),
                inner.prop_map(|items| json!({"items": items})),
            ]
        })
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop::sample::select(vec![json!(0), json!({}), json!([])]);
        leaf.prop_recursive(3, 16, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map("[abc]", inner, 0..3)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_tape_gets_the_defaults_that_a_value_gets(schema in any_schema(), value in any_value()) {
            filled(&value, &schema);
        }
    }

    #[test]
    fn a_schema_without_defaults_is_known_as_such() {
        assert!(!has_defaults(
            &json!({"properties": {"a": {"type": "string"}}})
        ));
        assert!(has_defaults(
            &json!({"$defs": {"a": {"items": [{"default": 1}]}}})
        ));
    }
}
