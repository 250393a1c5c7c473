//! Types for a provider that supports one type per schema, and null only as `nullable`.

use serde_json::{Value, json};
use tool_core::LossKind;

use super::Losses;
use super::describe::{append, describe};
use super::merge::{as_list, common_type, merge_into};
use super::origin::{empty_with_origin, is_origin_key, origin};
use super::subset::can_be_described;
use super::walk::contains_any;
use crate::Object;

/// Returns the types that a keyword applies to, if it does not apply to all.
fn kind_of_keyword(keyword: &str) -> Option<&'static [&'static str]> {
    match keyword {
        "minLength" | "maxLength" | "pattern" | "enum" => Some(&["string"]),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            Some(&["number", "integer"])
        }
        "items" | "minItems" | "maxItems" | "prefixItems" | "uniqueItems" => Some(&["array"]),
        "properties" | "required" | "minProperties" | "maxProperties" | "additionalProperties" => {
            Some(&["object"])
        }
        _ => None,
    }
}

/// Converts several types to `anyOf`, each with the keywords that apply to it, and a null type to
/// `nullable`.
pub(crate) fn single_type(object: &mut Object) {
    let Some(kinds) = object.get("type").map(as_list) else {
        return;
    };
    let had_null = kinds.iter().any(|kind| kind == "null");
    let mut kinds: Vec<Value> = kinds.into_iter().filter(|kind| kind != "null").collect();
    if had_null && !kinds.is_empty() && !values_rule_null_out(object) {
        object.insert("nullable".to_owned(), true.into());
    }
    drop_null_value(object);
    // This provider supports only strings as fixed values, which no other type matches.
    if object.contains_key("enum") && kinds.contains(&"string".into()) {
        kinds = vec!["string".into()];
    }
    // Each branch gets only the keywords of its type, so that no branch has rules for values of another.
    match <[Value; 1]>::try_from(kinds) {
        Ok([only]) => {
            object.insert("type".to_owned(), only);
        }
        Err(kinds) if kinds.is_empty() => {}
        Err(kinds) => split(object, &kinds),
    }
}

/// Returns `true` if the fixed values exclude null, regardless of the type.
fn values_rule_null_out(object: &Object) -> bool {
    let values = object.get("enum").and_then(Value::as_array);
    values.is_some_and(|values| !values.contains(&Value::Null))
        || object.get("const").is_some_and(|value| !value.is_null())
}

/// Moves a type next to alternatives into each of them, because the provider does not support it
/// there. Alternatives of other types are removed.
pub(crate) fn type_into_branches(object: &mut Object) {
    let Some(kind) = object.get("type").cloned() else {
        return;
    };
    let Some(Value::Array(branches)) = object.get("anyOf") else {
        return;
    };
    let typed: Vec<Value> = branches
        .iter()
        .filter_map(|branch| narrowed(branch, &kind))
        .collect();
    if !typed.is_empty() {
        object.shift_remove("type");
        object.insert("anyOf".to_owned(), Value::Array(typed));
    }
}

/// Returns the schema restricted to values of this type, if there are any.
fn narrowed(schema: &Value, kind: &Value) -> Option<Value> {
    let Value::Object(schema) = schema else {
        return None;
    };
    let mut schema = schema.clone();
    let common = match schema.get("type") {
        Some(own) => common_type(own, kind)?,
        None => kind.clone(),
    };
    schema.insert("type".to_owned(), common);
    Some(Value::Object(schema))
}

fn split(object: &mut Object, kinds: &[Value]) {
    object.shift_remove("type");
    let branches: Vec<Value> = kinds
        .iter()
        .map(|kind| {
            let mut branch = empty_with_origin(object);
            branch.insert("type".to_owned(), kind.clone());
            let own = object.iter().filter(|(keyword, _)| {
                kind_of_keyword(keyword).is_some_and(|kinds| kinds.iter().any(|own| kind == own))
            });
            branch.extend(own.map(|(keyword, value)| (keyword.clone(), value.clone())));
            Value::Object(branch)
        })
        .collect();
    object.retain(|keyword, _| kind_of_keyword(keyword).is_none());
    object.insert("anyOf".to_owned(), Value::Array(branches));
}

fn drop_null_value(object: &mut Object) {
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
}

/// Converts a null alternative to `nullable`. If one other alternative remains, it is merged into
/// the schema.
pub(crate) fn null_branch_to_nullable(object: &mut Object, losses: &mut Losses) {
    let ruled_out = values_rule_null_out(object);
    // Again after a merge, which may add the `anyOf` of the alternative, with its own null.
    while let Some(Value::Array(branches)) = object.get_mut("anyOf") {
        let before = branches.len();
        branches.retain(|branch| !branch.as_object().is_some_and(is_null));
        if branches.len() == before {
            return;
        }
        let only = (branches.len() == 1).then(|| branches.pop()).flatten();
        if branches.is_empty() {
            object.shift_remove("anyOf");
        }
        match only {
            Some(Value::Object(only)) => merge_into(object, only, losses),
            _ if object.contains_key("anyOf") => {}
            _ => {
                object.insert("type".to_owned(), "null".into());
                return;
            }
        }
        if !ruled_out {
            object.insert("nullable".to_owned(), true.into());
        }
    }
}

fn is_null(schema: &Object) -> bool {
    let null_alone = |values: &Value| as_list(values).iter().all(Value::is_null);
    schema
        .get("type")
        .is_some_and(|kinds| as_list(kinds).iter().all(|kind| kind == "null"))
        || schema.get("const").is_some_and(Value::is_null)
        || schema.get("enum").is_some_and(null_alone)
}

/// Converts a schema that only null matches to a nullable string, with a loss.
pub(crate) fn null_to_nullable(object: &mut Object, losses: &mut Losses) {
    if !is_null(object) {
        return;
    }
    for keyword in ["const", "enum", "format"] {
        object.shift_remove(keyword);
    }
    object.insert("type".to_owned(), "string".into());
    object.insert("nullable".to_owned(), true.into());
    let sentence = "Always null.";
    append(object, sentence);
    losses.add(origin(object), "type", LossKind::Described, sentence);
}

/// Adds a missing type: the type that a keyword applies to, or otherwise string, number and
/// boolean.
pub(crate) fn infer_type(object: &mut Object, losses: &mut Losses) {
    if object.contains_key("type") || object.contains_key("anyOf") {
        return;
    }
    let own = object
        .keys()
        .find_map(|keyword| kind_of_keyword(keyword))
        .and_then(|kinds| kinds.first());
    if let Some(kind) = own {
        object.insert("type".to_owned(), (*kind).into());
        let detail = format!("the provider requires a type; the other keywords imply {kind}");
        losses.add(origin(object), "type", LossKind::Narrowed, detail);
        return;
    }
    let detail = "the provider cannot express a value of any type; only strings, numbers and booleans remain";
    losses.add(origin(object), "type", LossKind::Narrowed, detail);
    let kinds = json!([{"type": "string"}, {"type": "number"}, {"type": "boolean"}]);
    object.insert("anyOf".to_owned(), kinds);
}

/// Adds a missing type to objects and arrays.
pub(crate) fn type_of_contents(object: &mut Object) {
    if contains_any(object, &["type", "anyOf", "$ref"]) {
        return;
    }
    let kinds = [("properties", "object"), ("items", "array")];
    let implied = kinds
        .iter()
        .find(|(keyword, _)| object.contains_key(*keyword));
    object.extend(implied.map(|(_, kind)| ("type".to_owned(), (*kind).into())));
}

/// Removes keywords that are not supported next to `anyOf`, with a loss for each rule.
pub(crate) fn clear_beside_any_of(object: &mut Object, losses: &mut Losses) {
    if !object.contains_key("anyOf") {
        return;
    }
    let beside: Vec<String> = object
        .keys()
        .filter(|key| {
            !is_origin_key(key) && !["anyOf", "description", "nullable"].contains(&key.as_str())
        })
        .cloned()
        .collect();
    for keyword in beside {
        if can_be_described(&keyword) {
            describe(object, &[&keyword], losses);
        } else if object.shift_remove(&keyword).is_some() && keyword != "title" {
            let detail = "the provider does not support this keyword next to `anyOf`";
            losses.add_at(object, &keyword, LossKind::Dropped, detail);
        }
    }
}

#[cfg(test)]
mod tests;
