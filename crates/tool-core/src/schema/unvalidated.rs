//! Detects constraints that only a validator can check.

use serde_json::Value;

use super::resolve;

/// Keywords that describe values without constraining them, and definitions that other keywords refer to.
const ANNOTATIONS: [&str; 14] = [
    "$anchor",
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "example",
    "examples",
    "readOnly",
    "title",
    "writeOnly",
];

/// Maximum depth of nested properties.
const MAX_DEPTH: usize = 64;

/// Returns the pointer of the first constraint besides the type of the arguments, which is always checked.
pub(crate) fn first_constraint(schema: &Value) -> Option<String> {
    let resolved = resolve(schema, schema);
    let members = resolved.as_object().into_iter().flatten();
    let is_checked = |key: &str, value: &Value| key == "type" && value == "object";
    members
        .filter(|(key, value)| !is_checked(key, value))
        .find_map(|(key, value)| constraint_of(key, value, MAX_DEPTH))
}

fn constraint_of(key: &str, value: &Value, depth: usize) -> Option<String> {
    if ANNOTATIONS.contains(&key) {
        return None;
    }
    match (key, value, depth.checked_sub(1)) {
        ("additionalProperties", Value::Bool(true), _) => None,
        ("properties", Value::Object(properties), Some(depth)) => {
            properties.iter().find_map(|(name, property)| {
                let name = name.replace('~', "~0").replace('/', "~1");
                let inside = constraint_in(property, depth)?;
                Some(format!("/properties/{name}{inside}"))
            })
        }
        _ => Some(format!("/{key}")),
    }
}

fn constraint_in(schema: &Value, depth: usize) -> Option<String> {
    match schema {
        Value::Bool(true) => None,
        Value::Object(members) => members
            .iter()
            .find_map(|(key, value)| constraint_of(key, value, depth)),
        _ => Some(String::new()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
