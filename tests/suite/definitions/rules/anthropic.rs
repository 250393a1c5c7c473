//! Anthropic Messages, and Claude on Bedrock.

use serde_json::{Map, Value};

use super::{
    EVERYWHERE, FORMATS, Faults, closed, foreign, looks_around, no_union_at_the_root, refers_back,
    text,
};
use crate::definitions::schemas::{objects, recursive_definitions};

const STRICT: [&str; 6] = [
    "title", "pattern", "format", "minItems", "default", "$schema",
];

pub(super) fn plain(schema: &Value, issues: &mut Faults) {
    no_union_at_the_root(schema, &[], issues);
    let legal = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
    for key in schema["properties"]
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
    {
        if !(1..=64).contains(&key.len()) || !key.chars().all(legal) {
            issues.push(format!("the key {key:?}"));
        }
    }
}

pub(super) fn strict(schema: &Value, issues: &mut Faults) {
    foreign(schema, &[&EVERYWHERE, &STRICT], issues);
    if !recursive_definitions(schema).is_empty() {
        issues.push("is recursive".to_owned());
    }
    for inner in objects(schema) {
        closed(inner, issues);
        let format = text(inner, "format");
        if !format.is_empty() && format != "uri" && !FORMATS.contains(&format) {
            issues.push(format!("the format {format}"));
        }
        if inner
            .get("minItems")
            .and_then(Value::as_u64)
            .is_some_and(|least| least > 1)
        {
            issues.push("minItems above 1".to_owned());
        }
        let pattern = text(inner, "pattern");
        if looks_around(pattern) || refers_back(pattern) {
            issues.push(format!("the pattern {pattern}"));
        }
        let values = inner
            .get("enum")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        if values
            .chain(inner.get("const"))
            .any(|value| value.is_array() || value.is_object())
        {
            issues.push("a value that is not a scalar".to_owned());
        }
    }
}
