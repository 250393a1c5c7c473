//! Documented rules of the providers on tool names and schemas; `sdk_check/rules.py` implements the
//! same rules.

mod anthropic;
mod gemini;
mod ollama;
mod openai;

use std::sync::LazyLock;

use provider_adapters::Provider;
use serde_json::{Map, Value};

use crate::definitions::schemas::{kinds, objects, resolves};

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
type Faults = Vec<String>;

/// Checks the name.
pub(crate) fn name(provider: Provider, name: &str, issues: &mut Faults) {
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
        issues.push(format!("the name {name:?}"));
    }
}

/// Checks the schema.
pub(crate) fn schema(provider: Provider, schema: &Value, strict: bool, issues: &mut Faults) {
    if provider != Provider::GeminiOpenApi {
        common(schema, issues);
    }
    match provider {
        Provider::Anthropic | Provider::Bedrock => {
            anthropic::plain(schema, issues);
            if strict {
                anthropic::strict(schema, issues);
            }
        }
        Provider::Gemini => gemini::json(schema, issues),
        Provider::GeminiOpenApi => gemini::openapi(schema, issues),
        Provider::Ollama => ollama::schema(schema, issues),
        Provider::Mcp => {}
        _ => {
            openai::root(schema, issues);
            if strict {
                openai::strict(provider, schema, issues);
            }
        }
    }
}

/// Rules of every provider: a valid object schema whose references resolve.
fn common(schema: &Value, issues: &mut Faults) {
    static META: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
        let meta = serde_json::json!({"$ref": "https://json-schema.org/draft/2020-12/schema"});
        jsonschema::validator_for(&meta).expect("the dialect describes itself")
    });
    if let Err(error) = META.validate(schema) {
        issues.push(format!("{}: {error}", error.instance_path()));
    }
    if schema["type"] != "object" {
        issues.push("the root is not an object".to_owned());
    }
    for inner in objects(schema) {
        if let Some(target) = inner.get("$ref").and_then(Value::as_str)
            && !resolves(schema, target)
        {
            issues.push(format!("{target} is dangling"));
        }
        let is_empty = |keyword: &str| {
            inner
                .get(keyword)
                .and_then(Value::as_array)
                .is_some_and(Vec::is_empty)
        };
        if is_empty("enum") || is_empty("anyOf") {
            issues.push("no value is valid".to_owned());
        }
        if inner.keys().any(|key| key.contains('\0')) {
            issues.push("a marker remains".to_owned());
        }
    }
}

fn foreign(schema: &Value, known: &[&[&str]], issues: &mut Faults) {
    for inner in objects(schema) {
        let unknown = inner
            .keys()
            .filter(|key| !known.iter().any(|list| list.contains(&key.as_str())));
        issues.extend(unknown.map(|key| format!("unknown keyword: {key}")));
    }
}

fn looks_around(pattern: &str) -> bool {
    ["(?=", "(?!", "(?<=", "(?<!"]
        .iter()
        .any(|mark| pattern.contains(mark))
}

/// Removes escaped backslashes first, so that `\\1` is not treated as a reference.
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

fn no_union_at_the_root(schema: &Value, also: &[&str], issues: &mut Faults) {
    let unions = ["anyOf", "oneOf", "allOf"];
    let found = unions
        .iter()
        .chain(also)
        .filter(|keyword| schema.get(**keyword).is_some());
    issues.extend(found.map(|keyword| format!("{keyword} at the root")));
}

fn closed(schema: &Map<String, Value>, issues: &mut Faults) {
    if !kinds(schema).contains(&"object") && !schema.contains_key("properties") {
        return;
    }
    let alternatives = schema.contains_key("anyOf") || schema.contains_key("$ref");
    if alternatives && !names(schema, "properties").is_empty() {
        issues.push("alternatives of a closed object".to_owned());
    }
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        issues.push("an open object".to_owned());
    }
}
