//! OpenAI Chat Completions and Responses, and compatible servers.

use provider_adapters::Provider;
use serde_json::{Map, Value};

use super::{
    EVERYWHERE, FORMATS, Faults, closed, foreign, looks_around, names, no_union_at_the_root, text,
};
use crate::definitions::schemas::{depth, kinds, objects, references, walk};

const STRICT: [&str; 12] = [
    "title",
    "pattern",
    "format",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
];

pub(super) fn root(schema: &Value, issues: &mut Faults) {
    no_union_at_the_root(schema, &["enum", "const", "not"], issues);
    if !schema["properties"].is_object() {
        issues.push("the root has no properties".to_owned());
    }
    for inner in objects(schema) {
        if kinds(inner).contains(&"array") && !inner.get("items").is_some_and(Value::is_object) {
            issues.push("an array without items".to_owned());
        }
    }
}

pub(super) fn strict(provider: Provider, schema: &Value, issues: &mut Faults) {
    let few = matches!(provider, Provider::Azure | Provider::DeepSeek);
    let known: &[&[&str]] = if few {
        &[&EVERYWHERE]
    } else {
        &[&EVERYWHERE, &STRICT]
    };
    foreign(schema, known, issues);
    for (keyword, inner) in walk(schema) {
        match inner {
            Value::Object(inner) => strict_place(inner, issues),
            _ if keyword == "additionalProperties" && *inner == Value::Bool(false) => {}
            _ => issues.push(format!("a boolean schema under {keyword}")),
        }
    }
    if provider == Provider::DeepSeek && !references(schema).is_empty() {
        issues.push("a reference".to_owned());
    }
    limits(provider, schema, issues);
}

fn strict_place(schema: &Map<String, Value>, issues: &mut Faults) {
    closed(schema, issues);
    if names(schema, "required") != names(schema, "properties") {
        issues.push("not every property is required".to_owned());
    }
    if !["type", "anyOf", "$ref"]
        .iter()
        .any(|keyword| schema.contains_key(*keyword))
    {
        issues.push("no type".to_owned());
    }
    if schema.contains_key("$ref") && schema.len() > 1 {
        issues.push("a reference with siblings".to_owned());
    }
    let target = text(schema, "$ref");
    let definition = target
        .strip_prefix("#/$defs/")
        .is_some_and(|name| !name.contains('/'));
    if !target.is_empty() && target != "#" && !definition {
        issues.push(format!("{target} refers to a part of a definition"));
    }
    let format = text(schema, "format");
    if !format.is_empty() && !FORMATS.contains(&format) {
        issues.push(format!("the format {format}"));
    }
    if looks_around(text(schema, "pattern")) {
        issues.push("a pattern with look-around".to_owned());
    }
}

fn limits(provider: Provider, schema: &Value, issues: &mut Faults) {
    let (most_properties, most_levels) = match provider {
        Provider::Azure => (100, 5),
        _ => (5000, 10),
    };
    let count = |keyword: &str| {
        objects(schema)
            .map(|inner| names(inner, keyword).len())
            .sum::<usize>()
    };
    let letters = |keyword: &str| {
        let lengths = objects(schema).flat_map(|inner| names(inner, keyword));
        lengths.map(|name| name.chars().count()).sum::<usize>()
    };
    let values = objects(schema)
        .filter_map(|inner| inner.get("enum")?.as_array())
        .map(Vec::len)
        .sum();
    for (count, most, noun) in [
        (count("properties"), most_properties, "properties"),
        (depth(schema), most_levels, "levels"),
        (values, 1000, "values"),
        (
            letters("properties") + letters("$defs") + letters("enum"),
            120_000,
            "letters",
        ),
    ] {
        if count > most {
            issues.push(format!("{count} {noun}"));
        }
    }
    for inner in objects(schema) {
        let values = names(inner, "enum");
        if values.len() > 250
            && values
                .iter()
                .map(|value| value.chars().count())
                .sum::<usize>()
                > 15_000
        {
            issues.push("a long enum".to_owned());
        }
    }
}
