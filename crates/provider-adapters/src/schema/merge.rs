//! Merging of two schemas into one that requires both, and of `allOf` into the enclosing schema.

use std::collections::HashSet;

use serde_json::Value;
use tool_core::LossKind;

use super::Losses;
use super::origin::is_origin_key;
use super::refs::{reference, resolve};
use super::subset::is_in;
use super::walk::{has_any, inner_first};
use crate::Object;

/// Adds the rules of `other` to `schema`. If two rules have no common form, the first one is kept,
/// with a loss.
pub(crate) fn merge_into(schema: &mut Object, other: Object, losses: &mut Losses) {
    for keyword in depends_on_siblings(schema, &other) {
        let detail = "the rule depends on sibling keywords, which now come from both schemas";
        losses.add_at(schema, keyword, LossKind::Merged, detail);
    }
    for (keyword, value) in other {
        match schema.shift_remove(&keyword) {
            None => {
                schema.insert(keyword, value);
            }
            Some(own) if own == value || is_origin_key(&keyword) || is_annotation(&keyword) => {
                schema.insert(keyword, own);
            }
            Some(own) => {
                let merged = merged_value(&keyword, own.clone(), value, losses).unwrap_or_else(|| {
                    let detail = "two rules contradict each other or have no common form; the first one is kept";
                    losses.add_at(schema, &keyword, LossKind::Merged, detail);
                    own
                });
                schema.insert(keyword, merged);
            }
        }
    }
}

/// Rules whose meaning depends on sibling keywords.
const SIBLINGS: [(&str, &[&str]); 4] = [
    ("additionalProperties", &["properties", "patternProperties"]),
    ("items", &["prefixItems"]),
    ("if", &["then", "else"]),
    ("contains", &["minContains", "maxContains"]),
];

/// Returns the rules of one schema for which the other schema adds sibling keywords.
fn depends_on_siblings(one: &Object, other: &Object) -> Vec<&'static str> {
    let rules = SIBLINGS.iter().filter(|(rule, siblings)| {
        [(one, other), (other, one)].into_iter().any(|(own, new)| {
            // `true` restricts nothing, so further siblings don't change its meaning.
            let binds = own
                .get(*rule)
                .is_some_and(|value| *value != Value::Bool(true));
            binds && siblings.iter().any(|near| adds_to(own, new, near))
        })
    });
    rules.map(|(rule, _)| *rule).collect()
}

/// Returns `true` if `new` adds to the value that `own` has for a keyword.
fn adds_to(own: &Object, new: &Object, keyword: &str) -> bool {
    match (own.get(keyword), new.get(keyword)) {
        (_, None) => false,
        (Some(Value::Object(own)), Some(Value::Object(new))) => {
            new.keys().any(|name| !own.contains_key(name))
        }
        (None, Some(Value::Object(new))) => !new.is_empty(),
        (own, new) => own != new,
    }
}

fn is_annotation(keyword: &str) -> bool {
    const WORDS: &str =
        "title description default examples deprecated readOnly writeOnly $schema $id $comment";
    is_in(WORDS, keyword)
}

fn merged_value(keyword: &str, own: Value, other: Value, losses: &mut Losses) -> Option<Value> {
    match (keyword, own, other) {
        ("properties" | "$defs", Value::Object(own), Value::Object(other)) => {
            Some(Value::Object(merge_named(own, other, losses)))
        }
        ("required", Value::Array(mut own), Value::Array(other)) => {
            let known: HashSet<Value> = own.iter().cloned().collect();
            own.extend(other.into_iter().filter(|name| !known.contains(name)));
            Some(Value::Array(own))
        }
        ("enum", Value::Array(mut own), Value::Array(other)) => {
            let other: HashSet<Value> = other.into_iter().collect();
            own.retain(|value| other.contains(value));
            // Not an empty array: `enum` should have an element (JSON Schema Validation, 6.1.2).
            (!own.is_empty()).then_some(Value::Array(own))
        }
        ("allOf", Value::Array(mut own), Value::Array(other)) => {
            own.extend(other);
            Some(Value::Array(own))
        }
        ("type", own, other) => common_type(&own, &other),
        ("additionalProperties", Value::Bool(false), _)
        | ("additionalProperties", _, Value::Bool(false)) => Some(Value::Bool(false)),
        ("additionalProperties", Value::Bool(true), schema)
        | ("additionalProperties", schema, Value::Bool(true)) => Some(schema),
        ("items", Value::Object(mut own), Value::Object(other)) => {
            merge_into(&mut own, other, losses);
            Some(Value::Object(own))
        }
        (keyword, own, other) => stricter_bound(keyword, own, other),
    }
}

fn merge_named(mut own: Object, other: Object, losses: &mut Losses) -> Object {
    for (name, value) in other {
        match (own.get_mut(&name), value) {
            (Some(Value::Object(mine)), Value::Object(theirs)) => merge_into(mine, theirs, losses),
            (Some(_), _) => {}
            (None, value) => {
                own.insert(name, value);
            }
        }
    }
    own
}

pub(crate) fn common_type(own: &Value, other: &Value) -> Option<Value> {
    let other = as_list(other);
    let common: Vec<Value> = as_list(own)
        .into_iter()
        .filter_map(|name| match &name {
            _ if other.contains(&name) => Some(name),
            // Every integer is also a `number`, so the common type is the narrower one.
            Value::String(own) if own == "integer" && other.contains(&"number".into()) => {
                Some(name)
            }
            Value::String(own) if own == "number" && other.contains(&"integer".into()) => {
                Some("integer".into())
            }
            _ => None,
        })
        .collect();
    (!common.is_empty()).then(|| one_or_list(common))
}

/// Returns `true` if `types` includes the type `name`.
pub(crate) fn includes_type(types: &Value, name: &str) -> bool {
    match types {
        Value::Array(types) => types.iter().any(|one| one == name),
        one => one == name,
    }
}

/// Returns `true` if the type of the object is or includes `name`.
pub(crate) fn has_type(object: &Object, name: &str) -> bool {
    let types = object.get("type");
    types.is_some_and(|types| includes_type(types, name))
}

/// Returns one or several types as a list.
pub(crate) fn as_list(types: &Value) -> Vec<Value> {
    match types {
        Value::Array(types) => types.clone(),
        one => vec![one.clone()],
    }
}

/// Returns a single value unchanged, and several as an array.
pub(crate) fn one_or_list(values: Vec<Value>) -> Value {
    match <[Value; 1]>::try_from(values) {
        Ok([only]) => only,
        Err(values) => Value::Array(values),
    }
}

fn stricter_bound(keyword: &str, own: Value, other: Value) -> Option<Value> {
    let (left, right) = (own.as_f64()?, other.as_f64()?);
    let larger = match keyword {
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => true,
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => false,
        _ => return None,
    };
    Some(if (left > right) == larger { own } else { other })
}

/// Maximum number of parts that are merged. Definitions that refer to the next one twice would otherwise take exponential
/// time.
pub(super) const MAX_PARTS: usize = 256;

/// Merges every `allOf`. If two rules have no common form, the first one is kept, with a loss.
pub(crate) fn merge_all_of(schema: &mut Value, losses: &mut Losses) {
    if !has_any(schema, &["allOf"]) {
        return;
    }
    let given = schema.clone();
    let mut parts = MAX_PARTS;
    inner_first(schema, &mut |object| {
        // Again, because the target of a reference may itself contain `allOf`.
        while let Some(Value::Array(members)) = object.shift_remove("allOf") {
            let alone = members.len() == 1 && is_plain(object);
            for member in members {
                let Value::Object(mut member) = member else {
                    continue;
                };
                if !alone {
                    follow(&mut member, &given, &mut parts, losses);
                }
                merge_into(object, member, losses);
            }
        }
    });
}

/// Returns `true` if the schema contains only annotations, so that a reference can be next to them.
fn is_plain(object: &Object) -> bool {
    object.keys().all(|key| {
        is_origin_key(key)
            || matches!(
                key.as_str(),
                "title" | "description" | "default" | "examples"
            )
    })
}

/// Merges the target of the reference, and of the references that follow, into the object.
pub(super) fn follow(object: &mut Object, given: &Value, parts: &mut usize, losses: &mut Losses) {
    while let Some(found) = reference(object).and_then(|target| resolve(given, target)) {
        let mut found = found.clone();
        object.shift_remove("$ref");
        if spend_part(parts, object, losses) {
            found.shift_remove("$defs");
            merge_into(object, found, losses);
        }
    }
}

/// Returns whether one more part may be merged.
pub(super) fn spend_part(parts: &mut usize, object: &Object, losses: &mut Losses) -> bool {
    if *parts == 0 {
        let detail = "the object has too many parts to merge";
        losses.add_at(object, "$ref", LossKind::Dropped, detail);
        return false;
    }
    *parts -= 1;
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::origin::{mark, unmark};

    fn merged(first: &Value, second: &Value) -> (Value, usize) {
        let mut schema = mark(first);
        let Value::Object(other) = mark(second) else {
            panic!("expected an object schema")
        };
        let mut losses = Losses::new("f");
        merge_into(schema.as_object_mut().unwrap(), other, &mut losses);
        (unmark(schema), losses.distinct().len())
    }

    #[test]
    fn combines_rules_with_common_form() {
        let first = json!({"type": ["string", "null"], "minLength": 1, "required": ["a"], "properties": {"a": {"maximum": 5}}});
        let second = json!({"type": "string", "minLength": 3, "required": ["b"], "properties": {"a": {"maximum": 4}, "b": {}}});

        assert_eq!(
            merged(&first, &second),
            (
                json!({"type": "string", "minLength": 3, "required": ["a", "b"], "properties": {"a": {"maximum": 4}, "b": {}}}),
                0
            )
        );
    }

    #[test]
    fn reports_rules_with_changed_siblings() {
        let closed = json!({"properties": {"a": {}}, "additionalProperties": false});
        let tuple = json!({"prefixItems": [{"type": "integer"}]});
        for (first, second, losses) in [
            (&closed, json!({"properties": {"b": {}}}), 1),
            (&closed, json!({"properties": {"a": {}}}), 0),
            (&json!({"properties": {"b": {}}}), closed.clone(), 1),
            (&tuple, json!({"items": {"type": "string"}}), 1),
            (&tuple, json!({"items": true}), 0),
        ] {
            assert_eq!(merged(first, &second).1, losses, "{first} {second}");
        }
    }

    #[test]
    fn keeps_first_of_contradicting_rules_with_loss() {
        assert_eq!(
            merged(&json!({"type": "string"}), &json!({"type": "object"})),
            (json!({"type": "string"}), 1)
        );
    }

    fn without_all_of(schema: &Value) -> (Value, usize) {
        let mut marked = mark(schema);
        let mut losses = Losses::new("f");
        merge_all_of(&mut marked, &mut losses);
        (unmark(marked), losses.distinct().len())
    }

    #[test]
    fn merges_members_into_one_object() {
        let schema = json!({
            "$defs": {"A": {"properties": {"a": {"type": "string"}}, "required": ["a"]}},
            "properties": {"x": {"allOf": [{"$ref": "#/$defs/A"}, {"properties": {"b": {}}}]}},
        });

        let (schema, losses) = without_all_of(&schema);

        assert_eq!(
            schema["properties"]["x"],
            json!({"properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]})
        );
        assert_eq!(losses, 0);
    }

    #[test]
    fn keeps_single_reference_with_description() {
        let schema = json!({"description": "D", "allOf": [{"$ref": "#/$defs/A"}]});

        assert_eq!(
            without_all_of(&schema),
            (json!({"description": "D", "$ref": "#/$defs/A"}), 0)
        );
    }

    #[test]
    fn terminates_on_recursive_all_of() {
        let schema =
            json!({"$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}, {"type": "object"}]}}});

        let (schema, _) = without_all_of(&schema);

        assert_eq!(schema["$defs"]["A"]["type"], json!("object"));
    }
}
