//! Gemini with full schemas and with the reduced form.

use serde_json::{Map, Value};

use super::{Faults, foreign, names, text};
use crate::definitions::schemas::{objects, recursive_definitions, references, walk};

const OPENAPI: [&str; 22] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "anyOf",
    "propertyOrdering",
    "default",
    "example",
];

const JSON: [&str; 21] = [
    "$id",
    "$defs",
    "$ref",
    "$anchor",
    "type",
    "format",
    "title",
    "description",
    "enum",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "anyOf",
    "oneOf",
    "properties",
    "additionalProperties",
    "required",
    "propertyOrdering",
];

pub(super) fn openapi(schema: &Value, issues: &mut Faults) {
    foreign(schema, &[&OPENAPI], issues);
    if names(schema.as_object().unwrap_or(&Map::new()), "properties").is_empty() {
        issues.push("the root has no properties".to_owned());
    }
    for (keyword, inner) in walk(schema) {
        match inner {
            Value::Object(inner) => openapi_place(inner, issues),
            _ => issues.push(format!("a boolean schema under {keyword}")),
        }
    }
}

fn openapi_place(schema: &Map<String, Value>, issues: &mut Faults) {
    let kind = text(schema, "type");
    let types = ["object", "array", "string", "integer", "number", "boolean"];
    if schema.contains_key("type") && !types.contains(&kind) {
        issues.push(format!("the type {:?}", schema.get("type")));
    }
    if kind.is_empty() && !schema.contains_key("anyOf") {
        issues.push("no type".to_owned());
    }
    if let Some(Value::Array(values)) = schema.get("enum")
        && (kind != "string"
            || !values
                .iter()
                .all(|value| value.as_str().is_some_and(|text| !text.is_empty())))
    {
        issues.push("values that are not strings, or empty".to_owned());
    }
    let formats: &[&str] = match kind {
        "string" => &["date-time"],
        "integer" => &["int32", "int64"],
        "number" => &["float", "double"],
        _ => &[],
    };
    let format = text(schema, "format");
    if !format.is_empty() && !formats.contains(&format) {
        issues.push(format!("the format {format} of a {kind}"));
    }
    let beside = ["anyOf", "description", "nullable"];
    if schema.contains_key("anyOf") && !schema.keys().all(|key| beside.contains(&key.as_str())) {
        issues.push("siblings of anyOf".to_owned());
    }
    if kind == "array" && !schema.contains_key("items") {
        issues.push("an array without items".to_owned());
    }
    let properties = names(schema, "properties");
    if names(schema, "required")
        .iter()
        .any(|name| !properties.contains(name))
    {
        issues.push("an unknown name is required".to_owned());
    }
}

pub(super) fn json(schema: &Value, issues: &mut Faults) {
    foreign(schema, &[&JSON], issues);
    for inner in objects(schema) {
        let mut values = inner
            .get("enum")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        if values.any(|value| !value.is_string() && !value.is_number()) {
            issues.push("values that are neither strings nor numbers".to_owned());
        }
        if inner.contains_key("$ref") && inner.keys().any(|key| !key.starts_with('$')) {
            issues.push("a reference with siblings".to_owned());
        }
    }
    let endless = recursive_definitions(schema);
    let definitions = schema["$defs"].as_object().into_iter().flatten();
    let owners = definitions.map(|(name, inner)| (format!("#/$defs/{name}"), inner));
    for (owner, inner) in owners.filter(|(owner, _)| endless.contains(owner)) {
        for object in objects(inner) {
            let required = names(object, "required").into_iter();
            let mut leads = required.filter_map(|name| object.get("properties")?.get(name));
            if leads.any(|property| {
                references(property)
                    .iter()
                    .any(|target| endless.contains(target))
            }) {
                issues.push(format!("{owner} is recursive through required properties"));
            }
        }
    }
}
