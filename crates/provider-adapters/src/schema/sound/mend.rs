//! Repair of schema errors with only one possible meaning.

use std::collections::HashSet;

use serde_json::{Map, Value};
use tool_core::LossKind;

use super::check::{fault_of, is_for_people};
use super::keywords::{Wants, wants};
use crate::schema::Losses;
use crate::schema::place::step;

/// Repairs unambiguous errors, each with a loss. Other errors remain.
pub(super) fn mend(schema: &mut Value, place: &mut String, losses: &mut Losses) {
    let Value::Object(object) = schema else {
        return;
    };
    drop_empty(object, place, losses);
    drop_doubles(object, place, losses);
    lift_required(object, place, losses);
    let length = place.len();
    for (keyword, value) in object.iter_mut() {
        step(place, keyword);
        match (wants(keyword), value) {
            (Some(Wants::Schemas | Wants::SchemaOrList), Value::Array(list)) => {
                for (at, schema) in list.iter_mut().enumerate() {
                    mend_at(schema, &at.to_string(), place, losses);
                }
            }
            (Some(Wants::Schema | Wants::SchemaOrList), schema) => mend(schema, place, losses),
            (Some(Wants::Named | Wants::ByPattern | Wants::Dependencies), Value::Object(named)) => {
                for (name, schema) in named.iter_mut() {
                    mend_at(schema, name, place, losses);
                }
            }
            _ => {}
        }
        place.truncate(length);
    }
}

fn mend_at(schema: &mut Value, part: &str, place: &mut String, losses: &mut Losses) {
    let length = place.len();
    step(place, part);
    mend(schema, place, losses);
    place.truncate(length);
}

/// Removes keywords with empty values and invalid annotations.
fn drop_empty(object: &mut Map<String, Value>, place: &str, losses: &mut Losses) {
    object.retain(|keyword, value| {
        let Some(wanted) = wants(keyword) else {
            return true;
        };
        let detail = if value.is_null() {
            "null is not a valid value, so the keyword is ignored"
        } else if is_for_people(wanted) && fault_of(wanted, value).is_some() {
            "the value of the annotation is invalid"
        } else if rules_nothing(keyword, value) {
            "an empty array is invalid and has no effect"
        } else if keyword == "required" && value.is_boolean() {
            "a boolean `required` applies only to properties"
        } else {
            return true;
        };
        losses.add(
            format!("{place}/{keyword}"),
            keyword,
            LossKind::Dropped,
            detail,
        );
        false
    });
}

fn rules_nothing(keyword: &str, value: &Value) -> bool {
    matches!(keyword, "allOf" | "items" | "prefixItems")
        && value.as_array().is_some_and(Vec::is_empty)
}

/// Removes duplicate names and types.
fn drop_doubles(object: &mut Map<String, Value>, place: &str, losses: &mut Losses) {
    for keyword in ["required", "type"] {
        if let Some(Value::Array(list)) = object.get_mut(keyword)
            && drop_double(list)
        {
            lose_double(format!("{place}/{keyword}"), keyword, losses);
        }
    }
    if let Some(Value::Object(named)) = object.get_mut("dependentRequired") {
        for list in named.values_mut().filter_map(Value::as_array_mut) {
            if drop_double(list) {
                lose_double(
                    format!("{place}/dependentRequired"),
                    "dependentRequired",
                    losses,
                );
            }
        }
    }
}

fn lose_double(pointer: String, keyword: &str, losses: &mut Losses) {
    let detail = "duplicate entries were removed";
    losses.add(pointer, keyword, LossKind::Merged, detail);
}

/// Keeps the first of equal entries. Returns `true` if there were duplicates.
fn drop_double(list: &mut Vec<Value>) -> bool {
    let before = list.len();
    let mut seen = HashSet::with_capacity(before);
    list.retain(|entry| seen.insert(entry.clone()));
    list.len() < before
}

/// Moves the boolean `required` of a property, as in draft 3, to the list of its object.
fn lift_required(object: &mut Map<String, Value>, place: &str, losses: &mut Losses) {
    let mut lifted = Vec::new();
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        for (name, schema) in properties.iter_mut() {
            let Value::Object(schema) = schema else {
                continue;
            };
            if let Some(is_required) = schema.get("required").and_then(Value::as_bool) {
                schema.shift_remove("required");
                let mut pointer = format!("{place}/properties");
                step(&mut pointer, name);
                let detail =
                    "the boolean of the property was moved to the `required` list of the object";
                losses.add(
                    format!("{pointer}/required"),
                    "required",
                    LossKind::Merged,
                    detail,
                );
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
