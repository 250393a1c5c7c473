//! Repair of schema errors with only one possible meaning.

use std::collections::HashSet;

use serde_json::Value;
use tool_core::LossKind;

use super::{ValueKind, is_annotation, value_error, value_kind};
use crate::Object;
use crate::schema::Losses;
use crate::schema::origin::push_segment;

/// Repairs unambiguous errors, each with a loss. Other errors remain.
pub(super) fn repair(schema: &mut Value, pointer: &mut String, losses: &mut Losses) {
    list_to_object(schema, pointer, losses);
    let Value::Object(object) = schema else {
        return;
    };
    drop_empty(object, pointer, losses);
    drop_duplicates(object, pointer, losses);
    // Before the children: `drop_empty` removes every boolean `required` that was not lifted.
    lift_required(object, pointer, losses);
    let length = pointer.len();
    for (keyword, value) in object.iter_mut() {
        push_segment(pointer, keyword);
        match (value_kind(keyword), value) {
            (Some(ValueKind::Schemas | ValueKind::SchemaOrList), Value::Array(list)) => {
                for (at, schema) in list.iter_mut().enumerate() {
                    repair_at(schema, &at.to_string(), pointer, losses);
                }
            }
            (Some(ValueKind::Schema | ValueKind::SchemaOrList), schema) => {
                repair(schema, pointer, losses);
            }
            (
                Some(
                    kind @ (ValueKind::SchemasByName
                    | ValueKind::SchemasByPattern
                    | ValueKind::NamesByName
                    | ValueKind::Dependencies),
                ),
                named,
            ) => {
                list_to_object(named, pointer, losses);
                let has_schemas = kind != ValueKind::NamesByName;
                for (name, schema) in named.as_object_mut().into_iter().flatten() {
                    if has_schemas && schema.as_array().is_none_or(Vec::is_empty) {
                        repair_at(schema, name, pointer, losses);
                    }
                }
            }
            _ => {}
        }
        pointer.truncate(length);
    }
}

/// Replaces an empty array with an empty object: PHP does not distinguish them.
fn list_to_object(value: &mut Value, pointer: &str, losses: &mut Losses) {
    if value.as_array().is_some_and(Vec::is_empty) {
        *value = Value::Object(Object::new());
        let keyword = pointer.rsplit('/').next().unwrap_or_default();
        let detail = "an empty array replaces an object, so an empty object is sent";
        losses.add(pointer, keyword, LossKind::Merged, detail);
    }
}

fn repair_at(schema: &mut Value, part: &str, pointer: &mut String, losses: &mut Losses) {
    let length = pointer.len();
    push_segment(pointer, part);
    repair(schema, pointer, losses);
    pointer.truncate(length);
}

/// Removes keywords with empty values and invalid annotations.
fn drop_empty(object: &mut Object, pointer: &str, losses: &mut Losses) {
    object.retain(|keyword, value| {
        let Some(kind) = value_kind(keyword) else {
            return true;
        };
        let detail = if value.is_null() {
            "null is not a valid value, so the keyword is ignored"
        } else if is_annotation(kind) && value_error(kind, value).is_some() {
            "the value of the annotation is invalid"
        } else if has_no_effect(keyword, value) {
            "an empty array is invalid and has no effect"
        } else if keyword == "required" && value.is_boolean() {
            "a boolean `required` applies only to properties"
        } else {
            return true;
        };
        let pointer = format!("{pointer}/{keyword}");
        losses.add(pointer, keyword, LossKind::Dropped, detail);
        false
    });
}

fn has_no_effect(keyword: &str, value: &Value) -> bool {
    matches!(keyword, "allOf" | "items" | "prefixItems")
        && value.as_array().is_some_and(Vec::is_empty)
}

/// Removes duplicate names and types.
fn drop_duplicates(object: &mut Object, pointer: &str, losses: &mut Losses) {
    for keyword in ["required", "type"] {
        if let Some(Value::Array(list)) = object.get_mut(keyword)
            && dedup(list)
        {
            record_duplicates(format!("{pointer}/{keyword}"), keyword, losses);
        }
    }
    if let Some(Value::Object(named)) = object.get_mut("dependentRequired") {
        for list in named.values_mut().filter_map(Value::as_array_mut) {
            if dedup(list) {
                let keyword = "dependentRequired";
                record_duplicates(format!("{pointer}/{keyword}"), keyword, losses);
            }
        }
    }
}

fn record_duplicates(pointer: String, keyword: &str, losses: &mut Losses) {
    let detail = "duplicate entries were removed";
    losses.add(pointer, keyword, LossKind::Merged, detail);
}

/// Keeps the first of equal entries. Returns `true` if there were duplicates.
fn dedup(list: &mut Vec<Value>) -> bool {
    let before = list.len();
    let mut seen = HashSet::with_capacity(before);
    list.retain(|entry| seen.insert(entry.clone()));
    list.len() < before
}

/// Moves the boolean `required` of a property, as in draft 3, to the list of its object.
fn lift_required(object: &mut Object, pointer: &str, losses: &mut Losses) {
    let mut lifted = Vec::new();
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        for (name, schema) in properties.iter_mut() {
            let Value::Object(schema) = schema else {
                continue;
            };
            if let Some(is_required) = schema.get("required").and_then(Value::as_bool) {
                schema.shift_remove("required");
                let mut pointer = format!("{pointer}/properties");
                push_segment(&mut pointer, name);
                let detail =
                    "the boolean of the property was moved to the `required` list of the object";
                pointer.push_str("/required");
                losses.add(pointer, "required", LossKind::Merged, detail);
                lifted.extend(is_required.then(|| Value::from(name.as_str())));
            }
        }
    }
    if lifted.is_empty() {
        return;
    }
    let required = object
        .entry("required")
        .or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(names) = required {
        let known: HashSet<Value> = names.iter().cloned().collect();
        names.extend(lifted.into_iter().filter(|name| !known.contains(name)));
    }
}
