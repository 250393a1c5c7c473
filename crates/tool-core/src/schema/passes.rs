//! Transformations of a schema.

use serde_json::{Map, Value, json};

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
        // That says no more than that the member is optional.
        if object.get("default").is_some_and(Value::is_null) {
            object.shift_remove("default");
        }
        let format = object.get("format").and_then(Value::as_str);
        // Formats of Rust, which neither validators nor providers know.
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
    // Sections such as `# Errors` are for readers of the Rust code.
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

/// Replaces empty arrays with empty objects where a schema or a map of schemas is expected: PHP does not distinguish
/// them. Returns `None` if there are none.
pub(super) fn empty_lists_to_objects(schema: &Value) -> Option<Value> {
    let mut schema = schema.clone();
    let mut has_changed = false;
    visit(&mut schema, &mut |object| {
        for keyword in MAPS_OF_SCHEMAS.iter().chain(&SCHEMAS) {
            has_changed |= object.get_mut(*keyword).is_some_and(list_to_object);
        }
        let properties = object.get_mut("properties").and_then(Value::as_object_mut);
        for property in properties.into_iter().flat_map(Map::values_mut) {
            has_changed |= list_to_object(property);
        }
    });
    has_changed.then_some(schema)
}

fn list_to_object(value: &mut Value) -> bool {
    let is_list = *value == json!([]);
    if is_list {
        *value = json!({});
    }
    is_list
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
            // Only where schemas are: a default may be an object with the same names.
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

/// Returns a typed schema as it is shown: without the formats of integer types, and the bounds that only the type implies.
pub(crate) fn without_type_ranges(typed: &Value) -> Value {
    with_bounds(typed, |object, keyword, bound| {
        if object.get(keyword).is_some_and(|own| *own == bound) {
            object.shift_remove(keyword);
        }
    })
}

/// Returns a typed schema as it is validated: with the bounds of integer types instead of their formats.
pub(crate) fn with_type_ranges(typed: &Value) -> Value {
    with_bounds(typed, |object, keyword, bound| {
        if !bound.is_null() {
            object.entry(keyword).or_insert(bound);
        }
    })
}

/// Removes the formats of integer types, and calls `change` with each of their bounds.
fn with_bounds(typed: &Value, change: fn(&mut Map<String, Value>, &str, Value)) -> Value {
    let mut schema = typed.clone();
    visit(&mut schema, &mut |object| {
        if let Some((minimum, maximum)) = take_range(object) {
            change(object, "minimum", minimum);
            change(object, "maximum", maximum);
        }
    });
    schema
}

/// Removes the format of an integer type. Returns its bounds; null is a bound that JSON integers
/// cannot exceed.
fn take_range(object: &mut Map<String, Value>) -> Option<(Value, Value)> {
    let range = match object.get("format")?.as_str()? {
        "uint8" => (json!(0), json!(u8::MAX)),
        "uint16" => (json!(0), json!(u16::MAX)),
        "uint32" => (json!(0), json!(u32::MAX)),
        "uint64" | "uint" => (json!(0), json!(u64::MAX)),
        "uint128" => (json!(0), Value::Null),
        "int8" => (json!(i8::MIN), json!(i8::MAX)),
        "int16" => (json!(i16::MIN), json!(i16::MAX)),
        "int32" => (json!(i32::MIN), json!(i32::MAX)),
        "int64" | "int" => (json!(i64::MIN), json!(i64::MAX)),
        "int128" => (Value::Null, Value::Null),
        _ => return None,
    };
    object.shift_remove("format");
    Some(range)
}

/// Removes null from the types of optional parameters.
pub(super) fn without_null_where_absent_will_do(schema: &mut Value) {
    visit(schema, &mut |object| {
        let required = object
            .get("required")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        let Some(Value::Object(properties)) = object.get_mut("properties") else {
            return;
        };
        for (name, property) in properties {
            if !required.iter().any(|known| known == name) {
                drop_null(property);
            }
            prune_default(property);
        }
    });
}

fn drop_null(property: &mut Value) {
    let Some(object) = property.as_object_mut() else {
        return;
    };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(branches)) = object.get_mut("anyOf") {
        branches.retain(|branch| branch.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = branches.as_slice() {
            let only = only.clone();
            object.shift_remove("anyOf");
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
    }
}

/// Removes null members from a default if their parameter is optional, because null is no longer a
/// valid value.
fn prune_default(property: &mut Value) {
    let Some(mut default) = property.get_mut("default").map(Value::take) else {
        return;
    };
    prune(&mut default, property);
    if let Some(place) = property.get_mut("default") {
        *place = default;
    }
}

fn prune(default: &mut Value, schema: &Value) {
    match default {
        Value::Array(values) => {
            let Some(items) = schema.get("items") else {
                return;
            };
            for value in values {
                prune(value, items);
            }
        }
        Value::Object(members) => {
            let Some(properties) = schema.get("properties") else {
                return;
            };
            members.retain(|name, value| !value.is_null() || is_required(schema, name));
            for (name, value) in members {
                if let Some(property) = properties.get(name) {
                    prune(value, property);
                }
            }
        }
        _ => {}
    }
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|known| known == name))
}

#[cfg(test)]
mod tests;
