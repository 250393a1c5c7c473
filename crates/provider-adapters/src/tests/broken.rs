//! Invalid schemas.

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_core::{Dialect, ToolDefinition};

use super::generated::any;
use crate::{Options, Provider, StrictMode};

/// Invalid values of keywords.
fn mistakes() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!(null),
        json!(true),
        json!("any"),
        json!("["),
        json!(-1),
        json!(1.5),
        json!([]),
        json!(["a", "a"]),
        json!({"type": "any"}),
        json!({"required": true}),
        json!({"a": "string"}),
    ])
}

/// Collects the pointers of all values.
fn places(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, format!("{pointer}/{index}"), found);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                places(member, format!("{pointer}/{name}"), found);
            }
        }
        _ => {}
    }
    found.push(pointer);
}

/// Schemas with an invalid keyword at an arbitrary position.
fn broken() -> impl Strategy<Value = Value> {
    let keyword = prop::sample::select(vec![
        "type",
        "required",
        "properties",
        "items",
        "enum",
        "minimum",
        "minLength",
        "pattern",
        "anyOf",
        "allOf",
        "additionalProperties",
        "description",
        "prefixItems",
        "dependentRequired",
        "$defs",
        "uniqueItems",
    ]);
    (
        any(),
        prop::arbitrary::any::<prop::sample::Index>(),
        keyword,
        mistakes(),
        prop::bool::ANY,
    )
        .prop_map(|(mut schema, place, keyword, mistake, is_new)| {
            let mut found = Vec::new();
            places(&schema, String::new(), &mut found);
            let pointer = place.get(&found);
            match schema.pointer_mut(pointer) {
                Some(Value::Object(object)) if is_new => {
                    object.insert(keyword.to_owned(), mistake);
                }
                Some(value) => *value = mistake,
                None => {}
            }
            schema
        })
}

/// Removes boolean bounds: they are older syntax, which is converted without loss.
fn remove_boolean_bounds(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(remove_boolean_bounds),
        Value::Object(members) => {
            members.retain(|name, value| {
                !matches!(name.as_str(), "exclusiveMinimum" | "exclusiveMaximum")
                    || !value.is_boolean()
            });
            members.values_mut().for_each(remove_boolean_bounds);
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(super::cases(192))]

    #[test]
    fn sends_valid_schema_for_invalid_input(schema in broken()) {
        let tools = [ToolDefinition::new("f", "F", schema.clone()), ToolDefinition::new("good", "G", json!({}))];
        let mut current = schema.clone();
        remove_boolean_bounds(&mut current);
        let is_one = jsonschema::draft202012::meta::is_valid(&current);
        for provider in Provider::ALL {
            for mode in [StrictMode::Auto, StrictMode::On] {
                let dialect = provider.with_options(Options::default().with_strict(mode));

                let converted = dialect.convert(&tools);

                prop_assert!(converted.names.values().any(|name| name == "good"), "{provider}");
                let was_sent = converted.names.values().any(|name| name == "f");
                let Some(sent) = super::sent_schema(&converted.tools).filter(|_| was_sent) else {
                    continue;
                };
                prop_assert!(jsonschema::draft202012::meta::is_valid(&sent), "{}: {} is converted to {}", dialect.id(), schema, sent);
                let is_strict = converted.tools[0].to_string().contains("\"strict\":true");
                prop_assert!(is_one || !is_strict, "{}: {} is strict", dialect.id(), schema);
            }
        }
    }
}
