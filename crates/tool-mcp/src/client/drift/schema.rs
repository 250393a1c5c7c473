//! Changes of schemas.

use serde_json::Value;

/// Keywords whose changes are not analyzed. Each change requires a review.
const OPAQUE: [&str; 15] = [
    "$defs",
    "$ref",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "definitions",
    "dependentRequired",
    "dependentSchemas",
    "if",
    "not",
    "oneOf",
    "patternProperties",
    "prefixItems",
    "propertyNames",
];

/// Keywords of which any change can reject values, except their removal.
const STRICT: [&str; 3] = ["format", "multipleOf", "pattern"];

/// Keywords that reject values below or above.
const LOWER: [&str; 5] = [
    "exclusiveMinimum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
];
const UPPER: [&str; 5] = [
    "exclusiveMaximum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
];

/// All types of JSON.
const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// Returns the changes of an input schema that can reject reviewed arguments.
pub(super) fn input_changes(old: &Value, new: &Value) -> Vec<String> {
    let mut changes = Vec::new();
    narrower(old, new, "", &mut changes);
    changes
}

fn narrower(old: &Value, new: &Value, path: &str, changes: &mut Vec<String>) {
    if old == new {
        return;
    }
    for name in members(old, "properties") {
        if new["properties"].get(&name).is_none() {
            changes.push(format!("{} was removed", parameter(path, &name)));
        }
    }
    let required = |schema: &Value| texts(&schema["required"]);
    let known = required(old);
    for name in required(new).iter().filter(|name| !known.contains(name)) {
        changes.push(format!("{} is now required", parameter(path, name)));
    }
    value_changes(old, new, path, changes);
    for name in members(old, "properties") {
        let (old, new) = (&old["properties"], &new["properties"]);
        if let (Some(old), Some(new)) = (old.get(&name), new.get(&name)) {
            narrower(old, new, &join(path, &name), changes);
        }
    }
    match (old.get("items"), new.get("items")) {
        (Some(old), Some(new)) => narrower(old, new, &join(path, "items"), changes),
        (None, Some(_)) => changes.push(format!("{} has new restrictions", subject(path))),
        _ => {}
    }
}

/// Adds the changes of a value that are not about its properties.
fn value_changes(old: &Value, new: &Value, path: &str, changes: &mut Vec<String>) {
    let (before, after) = (types(old), types(new));
    if before.iter().any(|kind| !after.contains(kind)) {
        changes.push(format!("{} accepts fewer types", subject(path)));
    }
    if new.get("enum").is_some() {
        let is_kept = |value: &Value| {
            let values = new["enum"].as_array();
            values.is_some_and(|values| values.contains(value))
        };
        let is_narrower = match old["enum"].as_array() {
            Some(values) => !values.iter().all(is_kept),
            None => true,
        };
        if is_narrower {
            changes.push(format!("{} accepts fewer values", subject(path)));
        }
    }
    let number = |schema: &Value, name: &str| schema[name].as_f64();
    let tighter =
        |name: &str, is_tighter: fn(f64, f64) -> bool| match (number(old, name), number(new, name))
        {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(old), Some(new)) => is_tighter(old, new),
        };
    let is_restricted = LOWER.iter().any(|name| tighter(name, |old, new| new > old))
        || UPPER.iter().any(|name| tighter(name, |old, new| new < old))
        || STRICT
            .iter()
            .any(|name| new.get(name).is_some() && old.get(name) != new.get(name))
        || OPAQUE.iter().any(|name| old.get(name) != new.get(name));
    if is_restricted {
        changes.push(format!("{} has new restrictions", subject(path)));
    }
}

/// Returns the changes of an output schema after which reviewed fields are missing or have another
/// type.
pub(super) fn output_changes(old: &Value, new: &Value) -> Vec<String> {
    let mut changes = Vec::new();
    wider(old, new, "", &mut changes);
    changes
}

fn wider(old: &Value, new: &Value, path: &str, changes: &mut Vec<String>) {
    if old == new {
        return;
    }
    let after = types(new);
    let before = types(old);
    if after.iter().any(|kind| !before.contains(kind)) {
        let field = if path.is_empty() {
            "the output".to_owned()
        } else {
            format!("the output field \"{path}\"")
        };
        changes.push(format!("{field} has other types"));
    }
    for name in members(old, "properties") {
        let inner = join(path, &name);
        match (old["properties"].get(&name), new["properties"].get(&name)) {
            (Some(old), Some(new)) => wider(old, new, &inner, changes),
            _ => changes.push(format!("the output field \"{inner}\" was removed")),
        }
    }
}

/// Returns the accepted types. `number` includes `integer`.
fn types(schema: &Value) -> Vec<&str> {
    let mut types: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => TYPES.to_vec(),
    };
    if types.contains(&"number") {
        types.push("integer");
    }
    types
}

fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn members(schema: &Value, name: &str) -> Vec<String> {
    let members = schema[name].as_object();
    members.map_or_else(Vec::new, |members| members.keys().cloned().collect())
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

fn subject(path: &str) -> String {
    if path.is_empty() {
        "the input".to_owned()
    } else {
        format!("parameter \"{path}\"")
    }
}

fn parameter(path: &str, name: &str) -> String {
    format!("parameter \"{}\"", join(path, name))
}

/// Returns the names of all properties, also of nested objects. Parsed schemas have at most 64 levels.
pub(super) fn names(schema: &Value) -> Vec<String> {
    let mut names = Vec::new();
    visit(schema, &mut |member, value| {
        if member == "properties"
            && let Value::Object(properties) = value
        {
            names.extend(properties.keys().cloned());
        }
    });
    names
}

/// Adds all descriptions of a schema to `text`.
pub(super) fn descriptions(schema: &Value, text: &mut String) {
    visit(schema, &mut |member, value| {
        if let ("description" | "title", Value::String(description)) = (member, value) {
            text.push('\n');
            text.push_str(description);
        }
    });
}

fn visit(value: &Value, found: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                found(name, member);
                visit(member, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| visit(item, found)),
        _ => {}
    }
}
