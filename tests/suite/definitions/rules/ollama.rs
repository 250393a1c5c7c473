//! Ollama, whose structs ignore unknown keywords.

use serde_json::{Map, Value};

use super::Faults;
use crate::definitions::schemas::walk;

const ROOT: [&str; 5] = ["type", "$defs", "items", "required", "properties"];

const KNOWN: [&str; 7] = [
    "anyOf",
    "type",
    "items",
    "description",
    "enum",
    "properties",
    "required",
];

pub(super) fn schema(schema: &Value, issues: &mut Faults) {
    if !schema["properties"].is_object() {
        issues.push("the root has no properties".to_owned());
    }
    for (holder, inner) in walk(schema) {
        let known: &[&str] = if holder.is_empty() { &ROOT } else { &KNOWN };
        let keys = inner.as_object().into_iter().flat_map(Map::keys);
        let ignored = keys.filter(|key| !known.contains(&key.as_str()));
        issues.extend(ignored.map(|key| format!("{key} is ignored")));
    }
}
