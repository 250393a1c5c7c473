//! Types for a provider that takes one type for each schema, and null as `nullable`.

use serde_json::{Map, Value, json};
use tool_core::LossAction;

use super::Losses;
use super::merge::as_list;
use super::place::{is_mark, place, same_place};

/// The keywords that belong to one type only.
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

/// Says null as `nullable`, and several types as `anyOf`, each with the keywords that belong to it.
pub(crate) fn single_type(object: &mut Map<String, Value>) {
    null_branch_to_nullable(object);
    let Some(kinds) = object.get("type").map(as_list) else {
        return;
    };
    let had_null = kinds.iter().any(|kind| kind == "null");
    let kinds: Vec<Value> = kinds.into_iter().filter(|kind| kind != "null").collect();
    if had_null && !kinds.is_empty() {
        object.insert("nullable".to_owned(), true.into());
        drop_null_value(object);
    }
    match <[Value; 1]>::try_from(kinds) {
        Ok([only]) => {
            object.insert("type".to_owned(), only);
        }
        Err(kinds) if kinds.is_empty() => {}
        Err(kinds) => split(object, &kinds),
    }
}

fn split(object: &mut Map<String, Value>, kinds: &[Value]) {
    object.remove("type");
    let branches: Vec<Value> = kinds
        .iter()
        .map(|kind| {
            let mut branch = same_place(object);
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

fn drop_null_value(object: &mut Map<String, Value>) {
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
}

fn null_branch_to_nullable(object: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = object.get_mut("anyOf") else {
        return;
    };
    let before = branches.len();
    branches.retain(|branch| branch.get("type") != Some(&"null".into()));
    if branches.len() == before || branches.is_empty() {
        return;
    }
    let only = if branches.len() == 1 {
        branches.pop()
    } else {
        None
    };
    if let Some(Value::Object(only)) = only {
        object.remove("anyOf");
        for (keyword, value) in only {
            if !is_mark(&keyword) {
                object.entry(keyword).or_insert(value);
            }
        }
    }
    object.insert("nullable".to_owned(), true.into());
}

/// Gives a schema without a type the one that its keywords belong to, else the types that a text can name.
pub(crate) fn infer_type(object: &mut Map<String, Value>, losses: &mut Losses) {
    if object.contains_key("type") || object.contains_key("anyOf") {
        return;
    }
    let own = object
        .keys()
        .find_map(|keyword| kind_of_keyword(keyword))
        .and_then(|kinds| kinds.first());
    if let Some(kind) = own {
        object.insert("type".to_owned(), (*kind).into());
        return;
    }
    losses.add(
        place(object),
        "type",
        LossAction::Narrowed,
        "anything is allowed, which the provider has no form for: text, numbers and booleans are left",
    );
    object.insert(
        "anyOf".to_owned(),
        json!([{"type": "string"}, {"type": "number"}, {"type": "boolean"}]),
    );
}

/// Takes out what may not stand beside `anyOf`, with a loss where it ruled something out.
pub(crate) fn clear_beside_any_of(object: &mut Map<String, Value>, losses: &mut Losses) {
    if !object.contains_key("anyOf") {
        return;
    }
    let beside: Vec<String> = object
        .keys()
        .filter(|key| {
            !is_mark(key) && !["anyOf", "description", "nullable"].contains(&key.as_str())
        })
        .cloned()
        .collect();
    for keyword in beside {
        object.remove(&keyword);
        if keyword != "type" && keyword != "title" {
            let detail = "the provider takes nothing beside `anyOf`";
            let pointer = super::place::place_of(object, &keyword);
            losses.add(pointer, &keyword, LossAction::Dropped, detail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::place::{mark, unmark};
    use super::*;

    #[test]
    fn null_is_nullable_and_several_types_are_alternatives() {
        for (schema, expected) in [
            (
                json!({"type": ["string", "null"], "enum": ["a", null]}),
                json!({"type": "string", "nullable": true, "enum": ["a"]}),
            ),
            (
                json!({"description": "D", "anyOf": [{"type": "string", "description": "E"}, {"type": "null"}]}),
                json!({"description": "D", "type": "string", "nullable": true}),
            ),
            (
                json!({"type": ["string", "integer"], "minLength": 1, "minimum": 2}),
                json!({"anyOf": [{"type": "string", "minLength": 1}, {"type": "integer", "minimum": 2}]}),
            ),
        ] {
            let mut single = mark(&schema);

            single_type(single.as_object_mut().unwrap());

            assert_eq!(unmark(single), expected, "{schema}");
        }
    }

    #[test]
    fn a_schema_without_a_type_gets_one() {
        for (schema, kind, losses) in [
            (json!({"properties": {}}), json!("object"), 0),
            (json!({"minimum": 1}), json!("number"), 0),
            (json!({}), Value::Null, 1),
        ] {
            let mut typed = mark(&schema);
            let mut recorded = Losses::new("f");

            infer_type(typed.as_object_mut().unwrap(), &mut recorded);

            assert_eq!(typed["type"], kind, "{schema}");
            assert_eq!(recorded.distinct().len(), losses, "{schema}");
        }
    }
}
