//! Laws about definitions.

use serde_json::{Map, Value};
use tool_core::{Tool, ToolDefinition};

use super::Broken;

/// Formats that name Rust types.
// JSON Schema does not define these, and some providers reject unknown formats.
const RUST_FORMATS: [&str; 14] = [
    "uint8", "uint16", "uint32", "uint64", "uint128", "uint", "int8", "int16", "int32", "int64",
    "int128", "int", "float", "double",
];

/// Maximum depth of schemas to check.
const MAX_DEPTH: usize = 32;

pub(super) fn check(tool: &dyn Tool, closed: bool) -> Vec<Broken> {
    let definition = tool.definition().clone();
    let mut broken = of_definition(&definition, closed);
    // Compare several times, because a value may differ only occasionally.
    let is_same = |_| *tool.definition() == definition;
    if !(0..8).all(is_same) {
        broken.push(Broken::new(
            "the definition never changes",
            definition.name(),
        ));
    }
    broken
}

fn of_definition(definition: &ToolDefinition, closed: bool) -> Vec<Broken> {
    let mut broken = Vec::new();
    if !is_portable(definition.name()) {
        broken.push(Broken::new(
            "every provider accepts the name",
            definition.name(),
        ));
    }
    if definition.description().trim().is_empty() {
        broken.push(Broken::new("the tool has a description", definition.name()));
    }
    object(
        definition.input_schema(),
        "",
        closed,
        MAX_DEPTH,
        &mut broken,
    );
    broken
}

fn is_portable(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        // The strictest rules of the providers.
        && name.len() <= 64
        && letters.all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'))
}

fn object(schema: &Value, path: &str, closed: bool, depth: usize, broken: &mut Vec<Broken>) {
    let Some(members) = schema.as_object().filter(|_| depth > 0) else {
        return;
    };
    residue(members, path, broken);
    let properties = members.get("properties").and_then(Value::as_object);
    if closed && properties.is_some() && members.get("additionalProperties").is_none() {
        broken.push(Broken::new(
            "the schema is closed",
            format!("`{path}` accepts unknown properties"),
        ));
    }
    for (name, property) in properties.into_iter().flatten() {
        let path = format!("{path}/{name}");
        let description = property.get("description").and_then(Value::as_str);
        if closed && description.is_none_or(str::is_empty) {
            broken.push(Broken::new(
                "every property has a description",
                format!("`{path}` has none"),
            ));
        }
        object(property, &path, closed, depth - 1, broken);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(below) = members.get(keyword) {
            object(
                below,
                &format!("{path}/{keyword}"),
                closed,
                depth - 1,
                broken,
            );
        }
    }
}

fn residue(members: &Map<String, Value>, path: &str, broken: &mut Vec<Broken>) {
    const LAW: &str = "the schema has no Rust-specific keywords";
    // Names of Rust types, which cost tokens in every request.
    for keyword in ["$schema", "title"] {
        if members.get(keyword).is_some_and(Value::is_string) {
            broken.push(Broken::new(LAW, format!("`{path}` has `{keyword}`")));
        }
    }
    let format = members.get("format").and_then(Value::as_str);
    if let Some(format) = format.filter(|format| RUST_FORMATS.contains(format)) {
        broken.push(Broken::new(
            LAW,
            format!("`{path}` has the format `{format}`"),
        ));
    }
    // It says nothing to a model, and a strict provider rejects it for a type without null.
    if members.get("default").is_some_and(Value::is_null) {
        broken.push(Broken::new(
            LAW,
            format!("`{path}` has null as its default"),
        ));
    }
}
