//! Transformations of a schema.

pub(super) mod nulls;
mod ranges;

use serde_json::{Map, Value, json};

pub(crate) use ranges::{with_type_ranges, without_type_ranges};

const MAPS_OF_SCHEMAS: [&str; 5] = [
    "properties",
    "$defs",
    "definitions",
    "patternProperties",
    "dependentSchemas",
];
const LISTS_OF_SCHEMAS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
const SCHEMAS: [&str; 5] = [
    "items",
    "additionalProperties",
    "not",
    "contains",
    "propertyNames",
];

/// Removes `$schema`, titles, documentation sections such as examples, null defaults and formats of
/// Rust types, except those of integers.
pub(super) fn without_rust_residue(schema: &mut Value) {
    visit(schema, &mut |object| {
        object.shift_remove("$schema");
        object.shift_remove("title");
        omit_sections(object);
        if object.get("default").is_some_and(Value::is_null) {
            object.shift_remove("default");
        }
        let format = object.get("format").and_then(Value::as_str);
        if matches!(format, Some("float" | "double" | "ip")) {
            object.shift_remove("format");
        }
    });
}

/// Truncates a description before its first heading, which starts documentation for Rust users.
fn omit_sections(object: &mut Map<String, Value>) {
    let Some(Value::String(description)) = object.get_mut("description") else {
        return;
    };
    if let Some(heading) = description.find("\n\n# ") {
        description.truncate(heading);
    }
}

/// Replaces `true` with `{}` for members and items of any type, because some providers reject
/// `true`.
pub(super) fn without_bare_true(schema: &mut Value) {
    visit(schema, &mut |object| {
        let properties = object.get_mut("properties").and_then(Value::as_object_mut);
        for property in properties.into_iter().flat_map(Map::values_mut) {
            open(property);
        }
        if let Some(items) = object.get_mut("items") {
            open(items);
        }
    });
}

fn open(schema: &mut Value) {
    if *schema == Value::Bool(true) {
        *schema = json!({});
    }
}

/// Merges a choice between described constants into one `enum`, and moves their descriptions to its
/// own.
pub(super) fn fold_described_enums(schema: &mut Value) {
    visit(schema, &mut |object| {
        let choices = object.get("oneOf").and_then(Value::as_array);
        let Some((values, meaning)) = choices.and_then(|choices| fold(choices)) else {
            return;
        };
        object.shift_remove("oneOf");
        object.insert("type".into(), "string".into());
        object.insert("enum".into(), values);
        let described = match object.get("description").and_then(Value::as_str) {
            Some(own) => format!("{own} {meaning}"),
            None => meaning,
        };
        if !described.is_empty() {
            object.insert("description".into(), described.trim_end().into());
        }
    });
}

fn fold(choices: &[Value]) -> Option<(Value, String)> {
    let mut values = Vec::new();
    let mut meanings = Vec::new();
    for choice in choices {
        let listed = choice.get("enum").and_then(Value::as_array);
        let constants = match (choice.get("const"), listed) {
            (Some(constant), _) => vec![constant.clone()],
            (None, Some(constants)) => constants.clone(),
            (None, None) => return None,
        };
        if !constants.iter().all(Value::is_string) {
            return None;
        }
        let description = choice.get("description").and_then(Value::as_str);
        if let ([constant], Some(text)) = (constants.as_slice(), description) {
            meanings.push(format!("{constant}: {text}"));
        }
        values.extend(constants);
    }
    Some((json!(values), meanings.join(" ")))
}

/// Calls `change` for every schema in `schema`, outermost first.
///
/// The recursion depth is bounded by the Rust type that schemars derived the schema from.
fn visit(schema: &mut Value, change: &mut dyn FnMut(&mut Map<String, Value>)) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    change(object);
    for (keyword, value) in object {
        match value {
            Value::Object(map) if MAPS_OF_SCHEMAS.contains(&keyword.as_str()) => {
                for schema in map.values_mut() {
                    visit(schema, change);
                }
            }
            Value::Array(list) if LISTS_OF_SCHEMAS.contains(&keyword.as_str()) => {
                for schema in list {
                    visit(schema, change);
                }
            }
            Value::Object(_) if SCHEMAS.contains(&keyword.as_str()) => visit(value, change),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_property_named_title() {
        let mut schema =
            json!({"title": "T", "properties": {"title": {"title": "X", "type": "string"}}});

        without_rust_residue(&mut schema);

        assert_eq!(schema, json!({"properties": {"title": {"type": "string"}}}));
    }

    #[test]
    fn keeps_choice_with_content() {
        let choice = json!({"oneOf": [{"const": "a"}, {"type": "object"}]});
        let mut schema = choice.clone();

        fold_described_enums(&mut schema);

        assert_eq!(schema, choice);
    }
}
