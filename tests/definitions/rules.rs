//! What the providers document about names and schemas of tools; `sdk_check/rules.py` says the same.

use std::sync::LazyLock;

use provider_adapters::Provider;
use serde_json::{Map, Value};

use crate::schemas::{circles, depth, kinds, leads_somewhere, objects, references, walk};

const FORMATS: [&str; 9] = [
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
];
const EVERYWHERE: [&str; 11] = [
    "type",
    "enum",
    "const",
    "anyOf",
    "items",
    "properties",
    "required",
    "description",
    "additionalProperties",
    "$defs",
    "$ref",
];
const OPENAI_STRICT: [&str; 12] = [
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
const ANTHROPIC_STRICT: [&str; 6] = [
    "title", "pattern", "format", "minItems", "default", "$schema",
];
const GEMINI_OPENAPI: [&str; 22] = [
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
const GEMINI_JSON: [&str; 21] = [
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
const OLLAMA_ROOT: [&str; 5] = ["type", "$defs", "items", "required", "properties"];
const OLLAMA: [&str; 7] = [
    "anyOf",
    "type",
    "items",
    "description",
    "enum",
    "properties",
    "required",
];

type Faults = Vec<String>;

/// The rule on names.
pub(crate) fn name(provider: Provider, name: &str, faults: &mut Faults) {
    let (also, most) = match provider {
        Provider::Ollama => return,
        Provider::Mcp => ("._-", 128),
        Provider::Gemini | Provider::GeminiOpenApi => ("._-", 64),
        _ => ("_-", 64),
    };
    let legal = |letter: char| letter.is_ascii_alphanumeric() || also.contains(letter);
    let gemini = matches!(provider, Provider::Gemini | Provider::GeminiOpenApi);
    let begins =
        !gemini || name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if !(1..=most).contains(&name.len()) || !name.chars().all(legal) || !begins {
        faults.push(format!("the name {name:?}"));
    }
}

/// The rules on schemas.
pub(crate) fn schema(provider: Provider, schema: &Value, strict: bool, faults: &mut Faults) {
    if provider != Provider::GeminiOpenApi {
        common(schema, faults);
    }
    match provider {
        Provider::Anthropic | Provider::Bedrock => {
            anthropic(schema, faults);
            if strict {
                anthropic_strict(schema, faults);
            }
        }
        Provider::Gemini => gemini_json(schema, faults),
        Provider::GeminiOpenApi => gemini_openapi(schema, faults),
        Provider::Ollama => ollama(schema, faults),
        Provider::Mcp => {}
        _ => {
            openai_root(schema, faults);
            if strict {
                openai_strict(provider, schema, faults);
            }
        }
    }
}

/// What holds for every provider: a valid schema of an object whose references lead somewhere.
fn common(schema: &Value, faults: &mut Faults) {
    static META: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
        let meta = serde_json::json!({"$ref": "https://json-schema.org/draft/2020-12/schema"});
        jsonschema::validator_for(&meta).expect("the dialect describes itself")
    });
    if let Err(error) = META.validate(schema) {
        faults.push(format!("{}: {error}", error.instance_path()));
    }
    if schema["type"] != "object" {
        faults.push("the root is no object".to_owned());
    }
    for inner in objects(schema) {
        if let Some(target) = inner.get("$ref").and_then(Value::as_str)
            && !leads_somewhere(schema, target)
        {
            faults.push(format!("{target} leads nowhere"));
        }
        let is_empty = |keyword: &str| {
            inner
                .get(keyword)
                .and_then(Value::as_array)
                .is_some_and(Vec::is_empty)
        };
        if is_empty("enum") || is_empty("anyOf") {
            faults.push("no value fits".to_owned());
        }
        if inner.keys().any(|key| key.contains('\0')) {
            faults.push("a mark was left".to_owned());
        }
    }
}

fn foreign(schema: &Value, known: &[&[&str]], faults: &mut Faults) {
    for inner in objects(schema) {
        let unknown = inner
            .keys()
            .filter(|key| !known.iter().any(|list| list.contains(&key.as_str())));
        faults.extend(unknown.map(|key| format!("no such keyword: {key}")));
    }
}

fn looks_around(pattern: &str) -> bool {
    ["(?=", "(?!", "(?<=", "(?<!"]
        .iter()
        .any(|mark| pattern.contains(mark))
}

/// An escaped backslash is taken out first, so that `\\1` is not read as a reference.
fn refers_back(pattern: &str) -> bool {
    let plain = pattern.replace("\\\\", "");
    let numbered = plain.split('\\').skip(1);
    let mut numbered = numbered.filter_map(|rest| rest.chars().next());
    numbered.any(|letter| matches!(letter, '1'..='9' | 'k')) || plain.contains("(?P=")
}

fn text<'s>(schema: &'s Map<String, Value>, keyword: &str) -> &'s str {
    schema
        .get(keyword)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn names<'s>(schema: &'s Map<String, Value>, keyword: &str) -> Vec<&'s str> {
    let mut names: Vec<&str> = match schema.get(keyword) {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        Some(Value::Object(named)) => named.keys().map(String::as_str).collect(),
        _ => Vec::new(),
    };
    names.sort_unstable();
    names
}

fn no_union_at_the_root(schema: &Value, also: &[&str], faults: &mut Faults) {
    let unions = ["anyOf", "oneOf", "allOf"];
    let found = unions
        .iter()
        .chain(also)
        .filter(|keyword| schema.get(**keyword).is_some());
    faults.extend(found.map(|keyword| format!("{keyword} at the root")));
}

fn openai_root(schema: &Value, faults: &mut Faults) {
    no_union_at_the_root(schema, &["enum", "const", "not"], faults);
    if !schema["properties"].is_object() {
        faults.push("the root has no properties".to_owned());
    }
    for inner in objects(schema) {
        if kinds(inner).contains(&"array") && !inner.get("items").is_some_and(Value::is_object) {
            faults.push("an array without items".to_owned());
        }
    }
}

fn openai_strict(provider: Provider, schema: &Value, faults: &mut Faults) {
    let few = matches!(provider, Provider::Azure | Provider::DeepSeek);
    let known: &[&[&str]] = if few {
        &[&EVERYWHERE]
    } else {
        &[&EVERYWHERE, &OPENAI_STRICT]
    };
    foreign(schema, known, faults);
    for (keyword, inner) in walk(schema) {
        match inner {
            Value::Object(inner) => openai_strict_place(inner, faults),
            _ if keyword == "additionalProperties" && *inner == Value::Bool(false) => {}
            _ => faults.push(format!("a boolean schema under {keyword}")),
        }
    }
    if provider == Provider::DeepSeek && !references(schema).is_empty() {
        faults.push("a reference".to_owned());
    }
    openai_limits(provider, schema, faults);
}

fn openai_strict_place(schema: &Map<String, Value>, faults: &mut Faults) {
    closed(schema, faults);
    if names(schema, "required") != names(schema, "properties") {
        faults.push("not every property is required".to_owned());
    }
    if !["type", "anyOf", "$ref"]
        .iter()
        .any(|keyword| schema.contains_key(*keyword))
    {
        faults.push("no type".to_owned());
    }
    if schema.contains_key("$ref") && schema.len() > 1 {
        faults.push("a reference with neighbours".to_owned());
    }
    let target = text(schema, "$ref");
    let definition = target
        .strip_prefix("#/$defs/")
        .is_some_and(|name| !name.contains('/'));
    if !target.is_empty() && target != "#" && !definition {
        faults.push(format!("{target} leads into a definition"));
    }
    let format = text(schema, "format");
    if !format.is_empty() && !FORMATS.contains(&format) {
        faults.push(format!("the format {format}"));
    }
    if looks_around(text(schema, "pattern")) {
        faults.push("a pattern that looks around".to_owned());
    }
}

fn closed(schema: &Map<String, Value>, faults: &mut Faults) {
    if !kinds(schema).contains(&"object") && !schema.contains_key("properties") {
        return;
    }
    let alternatives = schema.contains_key("anyOf") || schema.contains_key("$ref");
    if alternatives && !names(schema, "properties").is_empty() {
        faults.push("alternatives of a closed object".to_owned());
    }
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        faults.push("an open object".to_owned());
    }
}

fn openai_limits(provider: Provider, schema: &Value, faults: &mut Faults) {
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
    for (count, most, what) in [
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
            faults.push(format!("{count} {what}"));
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
            faults.push("a long enum".to_owned());
        }
    }
}

fn anthropic(schema: &Value, faults: &mut Faults) {
    no_union_at_the_root(schema, &[], faults);
    let legal = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
    for key in schema["properties"]
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
    {
        if !(1..=64).contains(&key.len()) || !key.chars().all(legal) {
            faults.push(format!("the key {key:?}"));
        }
    }
}

fn anthropic_strict(schema: &Value, faults: &mut Faults) {
    foreign(schema, &[&EVERYWHERE, &ANTHROPIC_STRICT], faults);
    if !circles(schema).is_empty() {
        faults.push("goes on inside itself".to_owned());
    }
    for inner in objects(schema) {
        closed(inner, faults);
        let format = text(inner, "format");
        if !format.is_empty() && format != "uri" && !FORMATS.contains(&format) {
            faults.push(format!("the format {format}"));
        }
        if inner
            .get("minItems")
            .and_then(Value::as_u64)
            .is_some_and(|least| least > 1)
        {
            faults.push("minItems above 1".to_owned());
        }
        let pattern = text(inner, "pattern");
        if looks_around(pattern) || refers_back(pattern) {
            faults.push(format!("the pattern {pattern}"));
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
            faults.push("a value that is no scalar".to_owned());
        }
    }
}

fn gemini_openapi(schema: &Value, faults: &mut Faults) {
    foreign(schema, &[&GEMINI_OPENAPI], faults);
    if names(schema.as_object().unwrap_or(&Map::new()), "properties").is_empty() {
        faults.push("the root has no properties".to_owned());
    }
    for (keyword, inner) in walk(schema) {
        match inner {
            Value::Object(inner) => gemini_openapi_place(inner, faults),
            _ => faults.push(format!("a boolean schema under {keyword}")),
        }
    }
}

fn gemini_openapi_place(schema: &Map<String, Value>, faults: &mut Faults) {
    let kind = text(schema, "type");
    let types = ["object", "array", "string", "integer", "number", "boolean"];
    if schema.contains_key("type") && !types.contains(&kind) {
        faults.push(format!("the type {:?}", schema.get("type")));
    }
    if kind.is_empty() && !schema.contains_key("anyOf") {
        faults.push("no type".to_owned());
    }
    if let Some(Value::Array(values)) = schema.get("enum")
        && (kind != "string"
            || !values
                .iter()
                .all(|value| value.as_str().is_some_and(|text| !text.is_empty())))
    {
        faults.push("values that are no texts, or empty".to_owned());
    }
    let formats: &[&str] = match kind {
        "string" => &["date-time"],
        "integer" => &["int32", "int64"],
        "number" => &["float", "double"],
        _ => &[],
    };
    let format = text(schema, "format");
    if !format.is_empty() && !formats.contains(&format) {
        faults.push(format!("the format {format} of a {kind}"));
    }
    let beside = ["anyOf", "description", "nullable"];
    if schema.contains_key("anyOf") && !schema.keys().all(|key| beside.contains(&key.as_str())) {
        faults.push("neighbours of anyOf".to_owned());
    }
    if kind == "array" && !schema.contains_key("items") {
        faults.push("an array without items".to_owned());
    }
    let properties = names(schema, "properties");
    if names(schema, "required")
        .iter()
        .any(|name| !properties.contains(name))
    {
        faults.push("an unknown name is required".to_owned());
    }
}

fn gemini_json(schema: &Value, faults: &mut Faults) {
    foreign(schema, &[&GEMINI_JSON], faults);
    for inner in objects(schema) {
        let mut values = inner
            .get("enum")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        if values.any(|value| !value.is_string() && !value.is_number()) {
            faults.push("values that are neither texts nor numbers".to_owned());
        }
        if inner.contains_key("$ref") && inner.keys().any(|key| !key.starts_with('$')) {
            faults.push("a reference with neighbours".to_owned());
        }
    }
    let endless = circles(schema);
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
                faults.push(format!(
                    "{owner} goes on inside itself through what is required"
                ));
            }
        }
    }
}

fn ollama(schema: &Value, faults: &mut Faults) {
    if !schema["properties"].is_object() {
        faults.push("the root has no properties".to_owned());
    }
    for (holder, inner) in walk(schema) {
        let known: &[&str] = if holder.is_empty() {
            &OLLAMA_ROOT
        } else {
            &OLLAMA
        };
        let keys = inner.as_object().into_iter().flat_map(Map::keys);
        let vanishing = keys.filter(|key| !known.contains(&key.as_str()));
        faults.extend(vanishing.map(|key| format!("{key} vanishes")));
    }
}
