//! The keywords that a provider knows, and what becomes of the others.

use serde_json::{Map, Value};
use tool_core::LossKind;

use super::Losses;
use super::describe::describe;
use super::place::{is_mark, place_of};

/// What only people and tools read; it goes without a word.
///
/// Passes before have moved the definitions that anything refers to.
const ANNOTATIONS: [&str; 12] = [
    "$anchor",
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "$vocabulary",
    "definitions",
    "deprecated",
    "id",
    "readOnly",
    "title",
    "writeOnly",
];

/// What can be said in the description.
const DESCRIBED: [&str; 22] = [
    "enum",
    "const",
    "default",
    "format",
    "pattern",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "propertyNames",
    "patternProperties",
    "minProperties",
    "maxProperties",
];

/// Whether the description can say this keyword.
pub(super) fn can_be_described(keyword: &str) -> bool {
    DESCRIBED.contains(&keyword)
}

/// Rules that hold schemas and have no other form.
const CONDITIONS: [&str; 9] = [
    "contains",
    "dependentSchemas",
    "else",
    "if",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Takes out conditions before anything looks at the schemas inside, whose own losses mean nothing.
pub(crate) fn drop_conditions(object: &mut Map<String, Value>, losses: &mut Losses) {
    if !object.keys().any(|key| CONDITIONS.contains(&key.as_str())) {
        return;
    }
    for keyword in CONDITIONS {
        if DESCRIBED.contains(&keyword) {
            describe(object, &[keyword], losses);
        } else if let Some(value) = object.shift_remove(keyword) {
            report_dropped(object, keyword, Some(&value), losses);
        }
    }
}

/// Keeps the keywords in `known`. Rules go into the description where words can say them, else they are
/// dropped; both are losses.
pub(crate) fn keep_only(object: &mut Map<String, Value>, known: &[&str], losses: &mut Losses) {
    let is_known = |key: &String| known.contains(&key.as_str()) || is_mark(key);
    if object.keys().all(is_known) {
        return;
    }
    for keyword in DESCRIBED {
        if !known.contains(&keyword) {
            describe(object, &[keyword], losses);
        }
    }
    drop_unknown(object, known, losses);
}

/// Keeps the keywords in `known`; the others are losses unless they say nothing.
fn drop_unknown(object: &mut Map<String, Value>, known: &[&str], losses: &mut Losses) {
    let unknown = |key: &str| !is_mark(key) && !known.contains(&key);
    let dropped: Vec<String> = object.keys().filter(|key| unknown(key)).cloned().collect();
    for keyword in dropped {
        let value = object.shift_remove(&keyword);
        report_dropped(object, &keyword, value.as_ref(), losses);
    }
}

fn report_dropped(
    object: &Map<String, Value>,
    keyword: &str,
    value: Option<&Value>,
    losses: &mut Losses,
) {
    let says_nothing = ANNOTATIONS.contains(&keyword)
        || matches!(
            (keyword, value),
            (
                "additionalProperties" | "unevaluatedProperties" | "items" | "unevaluatedItems",
                Some(Value::Bool(true))
            )
        );
    if says_nothing {
        return;
    }
    let action = match keyword {
        "additionalProperties" if value == Some(&Value::Bool(false)) => LossKind::Widened,
        _ => LossKind::Dropped,
    };
    losses.add(
        place_of(object, keyword),
        keyword,
        action,
        "the provider has no such keyword",
    );
}

/// Takes out properties that no value fits, and such alternatives; without any other that is a loss.
pub(crate) fn drop_impossible(object: &mut Map<String, Value>, losses: &mut Losses) {
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.retain(|_, schema| !fits_nothing(schema));
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = object.get_mut(keyword) else {
            continue;
        };
        branches.retain(|schema| !fits_nothing(schema));
        if branches.is_empty() {
            object.shift_remove(keyword);
            losses.add(
                place_of(object, keyword),
                keyword,
                LossKind::Widened,
                "no value fits any of the alternatives, which the provider has no form for",
            );
        }
    }
}

fn fits_nothing(schema: &Value) -> bool {
    let list = |keyword: &str| schema.get(keyword).and_then(Value::as_array);
    *schema == Value::Bool(false)
        || list("enum").is_some_and(Vec::is_empty)
        || ["anyOf", "oneOf"]
            .iter()
            .any(|keyword| list(keyword).is_some_and(|branches| branches.iter().all(fits_nothing)))
}

/// Takes names out of `required` that are no properties, with a loss: several providers refuse these.
pub(crate) fn require_known(object: &mut Map<String, Value>, losses: &mut Losses) {
    let Some(Value::Array(mut required)) = object.shift_remove("required") else {
        return;
    };
    let properties = object.get("properties").and_then(Value::as_object);
    let before = required.len();
    required.retain(|name| {
        let name = name.as_str().unwrap_or_default();
        properties.is_some_and(|properties| properties.contains_key(name))
    });
    if required.len() < before {
        losses.add(
            place_of(object, "required"),
            "required",
            LossKind::Widened,
            "only names of properties can be required for this provider",
        );
    }
    if !required.is_empty() || before == 0 {
        object.insert("required".to_owned(), Value::Array(required));
    }
}

/// Takes names out of `propertyOrdering` that are no properties; without any it goes.
pub(crate) fn order_known(object: &mut Map<String, Value>) {
    let Some(Value::Array(mut order)) = object.shift_remove("propertyOrdering") else {
        return;
    };
    let properties = object.get("properties").and_then(Value::as_object);
    order.retain(|name| {
        let name = name.as_str().unwrap_or_default();
        properties.is_some_and(|properties| properties.contains_key(name))
    });
    if !order.is_empty() {
        object.insert("propertyOrdering".to_owned(), order.into());
    }
}

#[cfg(test)]
mod tests;
