//! Where schemas stand inside schemas.

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

/// The schemas that stand directly in this one, each with the keyword that holds it.
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

/// Every schema inside this one with the keyword that holds it, this one first under an empty keyword.
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

/// The same for those that are objects.
pub(crate) fn objects(schema: &Value) -> impl Iterator<Item = &Map<String, Value>> {
    walk(schema)
        .into_iter()
        .filter_map(|(_, one)| one.as_object())
}

/// The types that a schema names.
pub(crate) fn kinds(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(kind)) => vec![kind],
        _ => Vec::new(),
    }
}

/// How deep properties stand in properties.
pub(crate) fn depth(schema: &Value) -> usize {
    let Value::Object(object) = schema else {
        return 0;
    };
    let inner = children(object).into_iter().map(|(_, child)| depth(child));
    usize::from(object.contains_key("properties")) + inner.max().unwrap_or_default()
}

/// The definitions that lead back to themselves, as references to them.
pub(crate) fn circles(schema: &Value) -> BTreeSet<String> {
    let graph = graph(schema);
    let leads_back = |start: &String| {
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
        .filter(|name| leads_back(name))
        .cloned()
        .collect()
}

/// What each definition, and the root, refers to.
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

/// The references inside a schema.
pub(crate) fn references(schema: &Value) -> BTreeSet<String> {
    objects(schema)
        .filter_map(|object| object.get("$ref")?.as_str())
        .map(str::to_owned)
        .collect()
}

/// Whether a reference leads to something in this schema.
pub(crate) fn leads_somewhere(root: &Value, reference: &str) -> bool {
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
