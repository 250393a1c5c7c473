//! Checks of a schema at registration that need no validator.

use serde_json::Value;

use super::resolve;
use crate::text;

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

/// Rejects a schema that requires a member it does not allow.
///
/// # Errors
/// Returns a message with the member and the most similar property.
pub(crate) fn check_required(schema: &Value) -> Result<(), String> {
    let object = resolve(schema, schema);
    let is_closed = object.get("additionalProperties") == Some(&Value::Bool(false));
    if !is_closed || object.get("patternProperties").is_some() {
        return Ok(());
    }
    let properties = object.get("properties").and_then(Value::as_object);
    let is_known = |name: &&str| properties.is_some_and(|known| known.contains_key(*name));
    let required = object.get("required").and_then(Value::as_array);
    let missing = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .find(|name| !is_known(name));
    let Some(name) = missing else { return Ok(()) };
    let known = properties
        .into_iter()
        .flatten()
        .map(|(known, _)| known.as_str());
    let hint = text::nearest(name, known)
        .map(|nearest| format!(" (did you mean `{nearest}`?)"))
        .unwrap_or_default();
    Err(format!(
        "`{}` is required, but it is not a property and no others are allowed{hint}",
        text::short(name, 64)
    ))
}

#[cfg(test)]
mod tests;
