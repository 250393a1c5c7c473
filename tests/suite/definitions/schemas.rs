//! Traversal of schemas.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

const ONE: [&str; 10] = [
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
];
const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
const NAMED: [&str; 5] = [
    "properties",
    "$defs",
    "definitions",
    "patternProperties",
    "dependentSchemas",
];

/// Returns the direct subschemas, each with its keyword.
pub(crate) fn children(schema: &Map<String, Value>) -> Vec<(&str, &Value)> {
    let mut found = Vec::new();
    for (keyword, value) in schema {
        let keyword = keyword.as_str();
        match value {
            Value::Array(list) if LISTS.contains(&keyword) || ONE.contains(&keyword) => {
                found.extend(list.iter().map(|one| (keyword, one)));
            }
            Value::Object(named) if NAMED.contains(&keyword) => {
                found.extend(named.values().map(|one| (keyword, one)));
            }
            one if ONE.contains(&keyword) => found.push((keyword, one)),
            _ => {}
        }
    }
    found
}

/// Returns the schema under an empty keyword and all its subschemas with their keywords.
pub(crate) fn walk(schema: &Value) -> Vec<(&str, &Value)> {
    let mut found = vec![("", schema)];
    let mut at = 0;
    while let Some((_, schema)) = found.get(at).copied() {
        if let Value::Object(object) = schema {
            found.extend(children(object));
        }
        at += 1;
    }
    found
}

/// Like [`walk`], but returns only schemas that are objects, without keywords.
pub(crate) fn objects(schema: &Value) -> impl Iterator<Item = &Map<String, Value>> {
    walk(schema)
        .into_iter()
        .filter_map(|(_, one)| one.as_object())
}

/// Returns the types in `type`.
pub(crate) fn kinds(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(kind)) => vec![kind],
        _ => Vec::new(),
    }
}

/// Returns the nesting depth of properties.
pub(crate) fn depth(schema: &Value) -> usize {
    let Value::Object(object) = schema else {
        return 0;
    };
    let inner = children(object).into_iter().map(|(_, child)| depth(child));
    usize::from(object.contains_key("properties")) + inner.max().unwrap_or_default()
}

/// Returns the recursive definitions, as references.
pub(crate) fn recursive_definitions(schema: &Value) -> BTreeSet<String> {
    let graph = graph(schema);
    let is_recursive = |start: &String| {
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<&String> = graph[start].iter().collect();
        while let Some(next) = waiting.pop() {
            if seen.insert(next) {
                waiting.extend(graph.get(next).into_iter().flatten());
            }
        }
        seen.contains(start)
    };
    graph
        .keys()
        .filter(|name| is_recursive(name))
        .cloned()
        .collect()
}

/// Returns the references of each definition and of the root.
fn graph(schema: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let mut rest = schema.clone();
    let mut graph = BTreeMap::new();
    if let Some(Value::Object(definitions)) =
        rest.as_object_mut().and_then(|root| root.remove("$defs"))
    {
        for (name, definition) in &definitions {
            graph.insert(format!("#/$defs/{name}"), references(definition));
        }
    }
    graph.insert("#".to_owned(), references(&rest));
    graph
}

/// Returns all references in a schema.
pub(crate) fn references(schema: &Value) -> BTreeSet<String> {
    objects(schema)
        .filter_map(|object| object.get("$ref")?.as_str())
        .map(str::to_owned)
        .collect()
}

/// Returns `true` if a reference can be resolved in `root`.
pub(crate) fn resolves(root: &Value, reference: &str) -> bool {
    let Some(pointer) = reference.strip_prefix('#') else {
        return false;
    };
    let pointer = pointer.replace("%24", "$").replace("%20", " ");
    let anchored = |object: &Map<String, Value>| {
        object
            .get("$anchor")
            .is_some_and(|anchor| *anchor == pointer.as_str())
    };
    root.pointer(&pointer).is_some() || objects(root).any(anchored)
}
