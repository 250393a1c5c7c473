//! Parameter names accepted by Anthropic.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};

use super::refs::reference;
use super::walk::outer_first;
use crate::Object;
use crate::wire::names::{MAX_LENGTH, shorten};

/// Renames top-level properties that the provider rejects. Returns the original names by wire name.
pub(crate) fn rename_keys(root: &mut Object) -> BTreeMap<String, String> {
    let wire_names = wire_names(root);
    if !wire_names.is_empty() {
        keep_inner_keys(root);
        rename_in(root, &wire_names);
    }
    wire_names
        .into_iter()
        .map(|(own, wire)| (wire, own))
        .collect()
}

/// Returns the wire name of each top-level property that the provider rejects.
fn wire_names(root: &Object) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    let Some(Value::Object(properties)) = root.get("properties") else {
        return names;
    };
    let mut taken: HashSet<String> = properties.keys().cloned().collect();
    let rejected = properties.keys().filter(|key| !is_valid_key(key));
    for (number, own) in rejected.enumerate() {
        let mut wire = valid_key(own);
        if taken.contains(&wire) {
            // Longer than the limit on purpose, so that `shorten` appends a hash of the original name.
            wire = shorten(&format!("{wire}{number:_>64}"), own, MAX_LENGTH);
        }
        if taken.insert(wire.clone()) {
            names.insert(own.clone(), wire);
        }
    }
    names
}

/// Redirects references through the root to a copy of the root, so that nested objects keep their
/// keys.
fn keep_inner_keys(root: &mut Object) {
    // `$ref: "#"` means the root with its original names, which renaming would change for nested objects too.
    let mut name = "root".to_owned();
    while root
        .get("$defs")
        .is_some_and(|named| named.get(&name).is_some())
    {
        name.push('_');
    }
    let mut any = false;
    let mut schema = Value::Object(std::mem::take(root));
    outer_first(&mut schema, &mut |object| {
        let path = reference(object)
            .filter(|target| !target.starts_with("#/$defs/"))
            .and_then(|target| target.strip_prefix('#'));
        if let Some(path) = path.map(str::to_owned) {
            any = true;
            object.insert("$ref".to_owned(), format!("#/$defs/{name}{path}").into());
        }
    });
    if let Value::Object(moved) = schema {
        *root = moved;
    }
    if any {
        let mut copy = root.clone();
        // With an `$id`, references in the copy would be resolved in the copy (JSON Schema Core, 8.2.1).
        copy.retain(|keyword, _| !matches!(keyword.as_str(), "$defs" | "$schema" | "$id"));
        let definitions = root.entry("$defs").or_insert_with(|| json!({}));
        if let Value::Object(definitions) = definitions {
            definitions.insert(name, Value::Object(copy));
        }
    }
}

/// Renames keys in a schema of the arguments and in its conditions.
fn rename_in(schema: &mut Object, wire_names: &BTreeMap<String, String>) {
    for (keyword, value) in schema.iter_mut() {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(named)) => rename_members(named, wire_names),
            ("required", Value::Array(list)) => rename_strings(list, wire_names),
            ("dependentRequired", Value::Object(named)) => {
                rename_members(named, wire_names);
                for list in named.values_mut().filter_map(Value::as_array_mut) {
                    rename_strings(list, wire_names);
                }
            }
            ("dependentSchemas", Value::Object(named)) => {
                rename_members(named, wire_names);
                for schema in named.values_mut().filter_map(Value::as_object_mut) {
                    rename_in(schema, wire_names);
                }
            }
            ("if" | "then" | "else" | "not", Value::Object(schema)) => {
                rename_in(schema, wire_names);
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(list)) => {
                for schema in list.iter_mut().filter_map(Value::as_object_mut) {
                    rename_in(schema, wire_names);
                }
            }
            _ => {}
        }
    }
}

fn rename_members(named: &mut Object, wire_names: &BTreeMap<String, String>) {
    *named = std::mem::take(named)
        .into_iter()
        .map(|(own, value)| (wire_names.get(&own).cloned().unwrap_or(own), value))
        .collect();
}

fn rename_strings(list: &mut [Value], wire_names: &BTreeMap<String, String>) {
    for text in list {
        if let Some(wire) = text.as_str().and_then(|own| wire_names.get(own)) {
            *text = wire.as_str().into();
        }
    }
}

fn is_allowed(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-')
}

fn is_valid_key(key: &str) -> bool {
    (1..=64).contains(&key.len()) && key.chars().all(is_allowed)
}

fn valid_key(key: &str) -> String {
    if key.is_empty() {
        return "_".to_owned();
    }
    let characters: String = key
        .chars()
        .map(|letter| if is_allowed(letter) { letter } else { '_' })
        .collect();
    shorten(&characters, key, MAX_LENGTH)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn renames_invalid_keys_reversibly() {
        let mut schema = json!({
            "properties": {"a b": {"type": "string"}, "a_b": {"type": "integer"}, "$id": {}},
            "required": ["a b", "a_b"],
        });

        let names = rename_keys(schema.as_object_mut().unwrap());

        let wire: Vec<&String> = names.keys().collect();
        assert_eq!(names.len(), 2);
        assert_eq!(names.get("_id"), Some(&"$id".to_owned()));
        assert!(
            wire.iter()
                .all(|name| is_valid_key(name) && schema["properties"][name.as_str()].is_object())
        );
        assert_eq!(schema["properties"]["a_b"], json!({"type": "integer"}));
        assert!(
            !schema["required"]
                .as_array()
                .unwrap()
                .contains(&json!("a b"))
        );
    }

    #[test]
    fn renames_keys_in_conditions() {
        let mut schema = json!({
            "properties": {"card number": {"type": "string"}, "address line": {"type": "string"}},
            "dependentRequired": {"card number": ["address line"]},
            "dependentSchemas": {"card number": {"required": ["address line"]}},
            "if": {"required": ["card number"]},
            "then": {"properties": {"address line": {"minLength": 1}}},
        });

        rename_keys(schema.as_object_mut().unwrap());

        assert_eq!(
            schema,
            json!({
                "properties": {"card_number": {"type": "string"}, "address_line": {"type": "string"}},
                "dependentRequired": {"card_number": ["address_line"]},
                "dependentSchemas": {"card_number": {"required": ["address_line"]}},
                "if": {"required": ["card_number"]},
                "then": {"properties": {"address_line": {"minLength": 1}}},
            })
        );
    }

    #[test]
    fn root_references_keep_nested_keys() {
        let mut schema = json!({"properties": {"a b": {"type": "string"}, "next": {"$ref": "#"}, "c": {"$ref": "#/properties/a b"}}});

        rename_keys(schema.as_object_mut().unwrap());

        let (next, c) = (
            json!({"$ref": "#/$defs/root"}),
            json!({"$ref": "#/$defs/root/properties/a b"}),
        );
        assert_eq!(
            schema,
            json!({
                "properties": {"a_b": {"type": "string"}, "next": next, "c": c},
                "$defs": {"root": {"properties": {"a b": {"type": "string"}, "next": next, "c": c}}},
            })
        );
    }
}
