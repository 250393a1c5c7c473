//! Restriction of a schema to the keywords that a provider supports.

use serde_json::Value;
use tool_core::LossKind;

use super::Losses;
use super::describe::describe;
use super::origin::is_origin_key;
use crate::Object;

/// Annotations and identifiers, which are dropped without a loss.
///
/// Earlier passes have moved all definitions that are in use.
const ANNOTATIONS: &str = "\
    $anchor $comment $defs $id $schema $vocabulary definitions deprecated id readOnly title writeOnly";

/// Keywords that the description can express.
const DESCRIBED: &str = "\
    enum const default format pattern minimum exclusiveMinimum maximum exclusiveMaximum multipleOf \
    minLength maxLength minItems maxItems uniqueItems contains minContains maxContains propertyNames \
    patternProperties minProperties maxProperties";

/// Returns `true` if the description can express the keyword.
pub(super) fn can_be_described(keyword: &str) -> bool {
    is_in(DESCRIBED, keyword)
}

/// Returns `true` if a keyword is one of these words.
pub(super) fn is_in(words: &str, keyword: &str) -> bool {
    words.split(' ').any(|word| word == keyword)
}

/// Rules that contain schemas and cannot be converted.
const CONDITIONS: &str = "\
    contains dependentSchemas else if not propertyNames then unevaluatedItems unevaluatedProperties";

/// Removes conditions before other passes report irrelevant losses inside them.
pub(crate) fn drop_conditions(object: &mut Object, losses: &mut Losses) {
    // Most objects have none, and this runs for each of them.
    if !object.keys().any(|key| is_in(CONDITIONS, key)) {
        return;
    }
    for keyword in CONDITIONS.split(' ') {
        if can_be_described(keyword) {
            describe(object, &[keyword], losses);
        } else if let Some(value) = object.shift_remove(keyword) {
            record_dropped(object, keyword, Some(&value), losses);
        }
    }
}

/// Keeps the keywords in `known`. Other rules are moved to the description if it can express them,
/// and dropped otherwise. Both are losses.
pub(crate) fn keep_only(object: &mut Object, known: &[&str], losses: &mut Losses) {
    let is_known = |key: &String| known.contains(&key.as_str()) || is_origin_key(key);
    if object.keys().all(is_known) {
        return;
    }
    // In this order, so that the sentences of equal schemas are equal and prompt caches stay valid.
    for keyword in DESCRIBED.split(' ') {
        if !known.contains(&keyword) {
            describe(object, &[keyword], losses);
        }
    }
    drop_unknown(object, known, losses);
}

/// Keeps the keywords in `known`. The others are losses unless they have no effect.
fn drop_unknown(object: &mut Object, known: &[&str], losses: &mut Losses) {
    let unknown = |key: &str| !is_origin_key(key) && !known.contains(&key);
    let dropped: Vec<String> = object.keys().filter(|key| unknown(key)).cloned().collect();
    for keyword in dropped {
        let value = object.shift_remove(&keyword);
        record_dropped(object, &keyword, value.as_ref(), losses);
    }
}

fn record_dropped(object: &Object, keyword: &str, value: Option<&Value>, losses: &mut Losses) {
    let has_no_effect = is_in(ANNOTATIONS, keyword)
        || matches!(
            (keyword, value),
            (
                "additionalProperties" | "unevaluatedProperties" | "items" | "unevaluatedItems",
                Some(Value::Bool(true))
            )
        );
    if has_no_effect {
        return;
    }
    let action = match keyword {
        // More values match without it, but the registry still rejects them.
        "additionalProperties" if value == Some(&Value::Bool(false)) => LossKind::Widened,
        _ => LossKind::Dropped,
    };
    let detail = "the provider does not support this keyword";
    losses.add_at(object, keyword, action, detail);
}

/// Removes properties and alternatives that no value matches. Removing the last alternative is a
/// loss.
pub(crate) fn drop_impossible(object: &mut Object, losses: &mut Losses) {
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.retain(|_, schema| !matches_nothing(schema));
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = object.get_mut(keyword) else {
            continue;
        };
        branches.retain(|schema| !matches_nothing(schema));
        if branches.is_empty() {
            object.shift_remove(keyword);
            let detail = "no value matches any alternative, which the provider cannot express";
            losses.add_at(object, keyword, LossKind::Widened, detail);
        }
    }
}

fn matches_nothing(schema: &Value) -> bool {
    let list = |keyword: &str| schema.get(keyword).and_then(Value::as_array);
    *schema == Value::Bool(false)
        || list("enum").is_some_and(Vec::is_empty)
        || ["anyOf", "oneOf"].iter().any(|keyword| {
            list(keyword).is_some_and(|branches| branches.iter().all(matches_nothing))
        })
}

/// Removes names from `required` that are not properties, with a loss, because several providers
/// reject them.
pub(crate) fn require_known(object: &mut Object, losses: &mut Losses) {
    let Some(Value::Array(mut required)) = object.shift_remove("required") else {
        return;
    };
    let before = required.len();
    retain_properties(object, &mut required);
    if required.len() < before {
        let detail = "the provider supports only names of properties in `required`";
        losses.add_at(object, "required", LossKind::Widened, detail);
    }
    if !required.is_empty() || before == 0 {
        object.insert("required".to_owned(), Value::Array(required));
    }
}

/// Removes names from `propertyOrdering` that are not properties, and the keyword if no name
/// remains.
pub(crate) fn order_known(object: &mut Object) {
    let Some(Value::Array(mut order)) = object.shift_remove("propertyOrdering") else {
        return;
    };
    retain_properties(object, &mut order);
    if !order.is_empty() {
        object.insert("propertyOrdering".to_owned(), order.into());
    }
}

/// Removes the names that are not names of properties.
fn retain_properties(object: &Object, names: &mut Vec<Value>) {
    let properties = object.get("properties").and_then(Value::as_object);
    names.retain(|name| {
        let name = name.as_str().unwrap_or_default();
        properties.is_some_and(|properties| properties.contains_key(name))
    });
}

#[cfg(test)]
mod tests;
