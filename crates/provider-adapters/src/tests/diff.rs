//! The reported losses match the difference between the schemas.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tool_core::{Dialect, LossKind, ToolDefinition};

use super::generated::still;
use crate::{Options, Provider, StrictMode};

/// Keywords that constrain values or inform the model.
const RULES: [&str; 26] = [
    "additionalProperties",
    "const",
    "contains",
    "default",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "patternProperties",
    "propertyNames",
    "required",
    "type",
    "uniqueItems",
];

/// Returns every schema that is reachable through `properties` and `items`, with its pointer.
fn places(schema: &Value) -> Vec<(String, &Map<String, Value>)> {
    let mut found = Vec::new();
    let mut waiting = vec![(String::new(), schema)];
    while let Some((pointer, schema)) = waiting.pop() {
        let Value::Object(object) = schema else {
            continue;
        };
        if let Some(Value::Object(properties)) = object.get("properties") {
            waiting.extend(
                properties
                    .iter()
                    .map(|(name, inner)| (format!("{pointer}/properties/{name}"), inner)),
            );
        }
        waiting.extend(
            object
                .get("items")
                .map(|inner| (format!("{pointer}/items"), inner)),
        );
        found.push((pointer, object));
    }
    found
}

/// Returns the keywords that apply at a location of the sent schema, including those in the
/// alternative to null.
fn held(sent: &Value, pointer: &str) -> Map<String, Value> {
    let mut held = sent
        .pointer(pointer)
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    if let Some(Value::Array(branches)) = held.remove("anyOf") {
        let mut kinds: Vec<Value> = Vec::new();
        for branch in branches.iter().filter_map(Value::as_object) {
            kinds.extend(branch.get("type").cloned());
            held.extend(
                branch
                    .iter()
                    .filter(|(key, _)| *key != "type")
                    .map(|(key, value)| (key.clone(), value.clone())),
            );
        }
        held.insert("type".to_owned(), kinds.into());
    }
    if held.remove("nullable") == Some(json!(true)) {
        let kind = held.remove("type").unwrap_or_default();
        held.insert("type".to_owned(), json!([kind, "null"]));
    }
    held
}

fn without_null(value: &Value) -> Vec<Value> {
    let values = match value {
        Value::Array(values) => values.clone(),
        one => vec![one.clone()],
    };
    values
        .into_iter()
        .filter(|one| !one.is_null() && *one != "null")
        .collect()
}

/// Returns `true` if a keyword still applies, in any equivalent form.
fn still_holds(
    keyword: &str,
    given: &Map<String, Value>,
    held: &Map<String, Value>,
    strict: bool,
) -> bool {
    let rule = &given[keyword];
    let now = held.get(keyword);
    let whole = |value: Option<&Value>| value.and_then(Value::as_i64);
    match keyword {
        _ if now == Some(rule) => true,
        // Optional properties are nullable in strict schemas, and decoding removes the nulls.
        "type" | "enum" if strict => now.is_some_and(|now| without_null(now) == without_null(rule)),
        "required" if strict => without_null(rule)
            .iter()
            .all(|name| now.is_some_and(|now| without_null(now).contains(name))),
        "type" => now.is_some_and(|now| {
            let kinds = |kind: &Value| -> BTreeSet<String> {
                match kind {
                    Value::Array(kinds) => kinds.iter().map(Value::to_string).collect(),
                    one => BTreeSet::from([one.to_string()]),
                }
            };
            kinds(now) == kinds(rule)
        }),
        "const" => {
            let values = held.get("enum").map(without_null);
            values == Some(vec![rule.clone()])
        }
        // `const` is sent as a single `enum` value.
        "enum" if given.contains_key("const") => {
            now.map(without_null) == Some(vec![given["const"].clone()])
        }
        "exclusiveMinimum" => {
            whole(held.get("minimum")) >= whole(Some(rule)).map(|least| least + 1)
                && is_whole(given)
        }
        "exclusiveMaximum" => {
            let most = whole(Some(rule)).map(|most| most - 1);
            held.contains_key("maximum") && whole(held.get("maximum")) <= most && is_whole(given)
        }
        "minimum" => whole(now) > whole(Some(rule)),
        "maximum" => now.is_some() && whole(now) < whole(Some(rule)),
        "additionalProperties" => *rule == json!(true) || (strict && now == Some(&json!(false))),
        "items" => now.is_some(),
        // Text about other keywords may be appended.
        "description" => now.is_some_and(|now| text(now).starts_with(text(rule))),
        _ => false,
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn is_whole(given: &Map<String, Value>) -> bool {
    given
        .get("type")
        .is_some_and(|kind| without_null(kind) == [json!("integer")])
}

/// Returns the keywords that no longer apply.
fn missing(given: &Value, sent: &Value, strict: bool) -> BTreeSet<String> {
    let mut missing = BTreeSet::new();
    for (pointer, object) in places(given) {
        let held = held(sent, &pointer);
        let lost = object
            .keys()
            .filter(|keyword| RULES.contains(&keyword.as_str()));
        let lost = lost.filter(|keyword| !still_holds(keyword, object, &held, strict));
        missing.extend(lost.map(|keyword| format!("{pointer}/{keyword}")));
    }
    missing
}

/// Returns the keywords that apply only in the sent schema.
fn added(given: &Value, sent: &Value, strict: bool) -> Vec<String> {
    let mut added = Vec::new();
    for (pointer, object) in places(given) {
        let held = held(sent, &pointer);
        let new = held
            .keys()
            .filter(|keyword| RULES.contains(&keyword.as_str()) && !object.contains_key(*keyword));
        let unasked = new.filter(|keyword| match keyword.as_str() {
            "additionalProperties" | "required" => !strict,
            "description" => false,
            "enum" => !object.contains_key("const"),
            "minimum" => !object.contains_key("exclusiveMinimum"),
            "maximum" => !object.contains_key("exclusiveMaximum"),
            _ => true,
        });
        added.extend(unasked.map(|keyword| format!("{pointer}/{keyword}")));
    }
    added
}

fn is_strict(tools: &Value) -> bool {
    tools.to_string().contains("\"strict\":true")
}

proptest! {
    #![proptest_config(super::cases(96))]

    #[test]
    fn losses_equal_missing_keywords(schema in still()) {
        let tool = ToolDefinition::new("f", "F", schema.clone());
        for provider in Provider::ALL {
            for mode in [StrictMode::Auto, StrictMode::On, StrictMode::Off] {
                let dialect = provider.with_options(Options::default().with_strict(mode));
                let converted = dialect.convert(std::slice::from_ref(&tool));
                let Some(sent) = super::sent_schema(&converted.tools) else {
                    continue;
                };
                let strict = is_strict(&converted.tools);

                // Empty `properties` do not constrain values.
                let of_schema = converted.losses.iter().filter(|loss| {
                    loss.tool == "f" && loss.keyword != "properties" && !matches!(loss.action, LossKind::Degraded | LossKind::OverLimit)
                });
                let meaning: BTreeSet<String> = of_schema.clone().map(|loss| loss.pointer.clone()).collect();
                prop_assert_eq!(&meaning, &missing(&schema, &sent, strict), "{}: {} is converted to {}", dialect.id(), schema, sent);
                prop_assert_eq!(added(&schema, &sent, strict), Vec::<String>::new(), "{}: {} is converted to {}", dialect.id(), schema, sent);
                for loss in of_schema {
                    let (place, _) = loss.pointer.rsplit_once('/').unwrap_or_default();
                    let words = held(&sent, place).remove("description").unwrap_or_default();
                    // The tool's description contains text about the root if the root schema has no
                    // description.
                    let of_tool = converted.tools.pointer("/0/function/description").map(text).unwrap_or_default();
                    let at_root = place.is_empty() && of_tool.contains(&loss.detail);
                    let reported = at_root || words.as_str().unwrap_or_default().contains(&loss.detail);
                    prop_assert_eq!(reported, loss.action == LossKind::Described, "{}: {:?} in {}", dialect.id(), loss, sent);
                }
            }
        }
    }
}
