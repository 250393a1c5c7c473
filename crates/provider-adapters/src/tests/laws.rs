//! Properties of all conversions.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tool_core::{Dialect, ToolDefinition};

use crate::{Options, Provider, StrictMode};

fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({})),
        Just(json!({"type": "string", "minLength": 1, "format": "uri"})),
        Just(json!({"type": ["integer", "null"], "minimum": 1, "default": 3})),
        Just(json!({"enum": ["a", 1, null]})),
        Just(json!({"const": true})),
        Just(json!({"$ref": "#/$defs/d"})),
        Just(json!({"$ref": "#"})),
        Just(json!({"$ref": "#/nowhere"})),
        Just(json!({"type": "object"})),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let named = prop::collection::btree_map("[a-c ]{1,2}", inner.clone(), 0..3);
        let list = prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            (named, any::<bool>()).prop_map(object),
            inner
                .clone()
                .prop_map(|items| json!({"type": "array", "items": items})),
            inner.prop_map(|values| json!({"type": "object", "additionalProperties": values})),
            list.clone().prop_map(|any| json!({"anyOf": any})),
            list.clone()
                .prop_map(|one| json!({"oneOf": one, "not": {"type": "null"}})),
            list.clone().prop_map(|all| json!({"allOf": all})),
            list.prop_map(|tuple| json!({"type": "array", "prefixItems": tuple})),
        ]
    })
}

fn object((properties, closed): (std::collections::BTreeMap<String, Value>, bool)) -> Value {
    let required: Vec<&String> = properties.keys().take(1).collect();
    let mut schema = json!({"type": "object", "properties": properties, "required": required});
    if let (true, Value::Object(schema)) = (closed, &mut schema) {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
    schema
}

fn definitions() -> impl Strategy<Value = Vec<ToolDefinition>> {
    let definition = ("\\PC{0,80}", schemas(), schemas()).prop_map(|(name, root, defined)| {
        let schema = json!({"type": "object", "properties": {"p": root}, "$defs": {"d": defined}});
        ToolDefinition::new(name, "D", schema)
    });
    prop::collection::vec(definition, 0..4)
}

/// Returns the schemas in the converted tools.
fn sent(tools: &Value) -> Vec<Value> {
    let keys = [
        "parameters",
        "parametersJsonSchema",
        "input_schema",
        "inputSchema",
    ];
    match tools {
        Value::Array(items) => items.iter().flat_map(sent).collect(),
        Value::Object(members) => members
            .iter()
            .flat_map(|(key, value)| {
                if keys.contains(&key.as_str()) {
                    vec![value.clone()]
                } else {
                    sent(value)
                }
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn keywords(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    crate::schema::visit_all(schema, &mut |object: &Map<String, Value>| {
        found.extend(object.keys().cloned());
    });
    found
}

/// Returns small schemas whose expansion grows or nests without limit.
fn hostile() -> Vec<Value> {
    let bomb: Map<String, Value> = (0..60)
        .map(|level| {
            let next = json!({"$ref": format!("#/$defs/d{}", (level + 1) % 60)});
            let schema = json!({"type": "object", "properties": {"a": next, "b": next}, "allOf": [next, next]});
            (format!("d{level}"), schema)
        })
        .collect();
    let chain: Map<String, Value> = (0..200)
        .map(|at| {
            (
                format!("p{at}"),
                json!({"$ref": format!("#/properties/p{}", at + 1)}),
            )
        })
        .collect();
    let values: Vec<usize> = (0..9000).collect();
    let many: Vec<Value> = (0..1000)
        .map(|at| json!({"$ref": "#/$defs/big", "title": at}))
        .collect();
    vec![
        json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": bomb}),
        json!({"$ref": "#/$defs/d0", "$defs": bomb}),
        json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}], "anyOf": [{"$ref": "#"}, {"$ref": "#"}]}),
        json!({"type": "object", "properties": chain}),
        json!({"allOf": [{"properties": {"a": {"enum": values}}}, {"properties": {"a": {"enum": values}}}]}),
        json!({"properties": {"a": {"prefixItems": many}}, "$defs": {"big": {"enum": values}}}),
        (0..100).fold(json!({}), |inner, _| json!({"items": inner, "anyOf": []})),
    ]
}

#[test]
fn converts_hostile_schemas_quickly() {
    let schemas = hostile().into_iter();
    let tools: Vec<ToolDefinition> = schemas
        .map(|schema| ToolDefinition::new("f", "F", schema))
        .collect();
    for provider in Provider::ALL {
        for (index, tool) in tools.iter().enumerate() {
            let dialect = provider.with_options(Options::default().with_strict(StrictMode::On));
            let start = std::time::Instant::now();

            let converted = dialect.convert(std::slice::from_ref(tool));

            let answered = converted.names.len() + converted.refused.len();
            assert_eq!(answered, 1, "{provider} {index}");
            assert!(
                start.elapsed().as_secs() < 5,
                "{provider} {index}: {:?}",
                start.elapsed()
            );
        }
    }
}

proptest! {
    #![proptest_config(super::cases(64))]

    #[test]
    fn conversion_is_deterministic(tools in definitions()) {
        for provider in Provider::ALL {
            let (first, second) = (provider.convert(&tools), provider.convert(&tools));

            prop_assert_eq!(first.to_string(), second.to_string());
            prop_assert_eq!(first, second);
        }
    }

    #[test]
    fn tools_are_sent_or_rejected_and_names_map_back(tools in definitions()) {
        for provider in Provider::ALL {
            let converted = provider.convert(&tools);

            prop_assert_eq!(converted.names.len() + converted.refused.len(), tools.len());
            for (wire, name) in &converted.names {
                prop_assert_eq!(converted.canonical_name(wire), name);
                prop_assert_eq!(converted.wire_name(name), Some(wire.as_str()));
            }
        }
    }

    #[test]
    fn losses_point_into_given_schema(tools in definitions()) {
        for provider in Provider::ALL {
            let options = Options::default().with_strict(StrictMode::On);
            for loss in provider.with_options(options).convert(&tools).losses {
                let given = tools
                    .iter()
                    .filter(|tool| tool.name() == loss.tool)
                    .any(|tool| tool.input_schema().pointer(&loss.pointer).is_some());
                prop_assert!(given || loss.tool.is_empty(), "{provider}: {loss:?}");
            }
        }
    }

    #[test]
    fn sends_only_supported_keywords(tools in definitions()) {
        let refused = ["$ref", "$defs", "allOf", "oneOf", "const", "not", "prefixItems", "additionalProperties"];
        for provider in [Provider::GeminiOpenApi, Provider::Ollama] {
            for schema in sent(&provider.convert(&tools).tools) {
                for keyword in keywords(&schema) {
                    prop_assert!(!refused.contains(&keyword.as_str()), "{provider}: {keyword} in {schema}");
                    prop_assert!(!keyword.contains('\u{0}'), "{schema} contains a marker");
                }
            }
        }
    }

    #[test]
    fn strict_objects_are_closed_with_all_required(tools in definitions()) {
        for provider in [
            Provider::OpenAi,
            Provider::OpenAiResponses,
            Provider::Azure,
            Provider::DeepSeek,
            Provider::Groq,
        ] {
            let dialect = provider.with_options(Options::default().with_strict(StrictMode::On));
            let converted = dialect.convert(&tools);
            for tool in converted.tools.as_array().into_iter().flatten() {
                let function = tool.get("function").unwrap_or(tool);
                if function.get("strict") != Some(&json!(true)) {
                    continue;
                }
                crate::schema::visit_all(&function["parameters"], &mut |object| {
                    if let Some(properties) = object.get("properties").and_then(Value::as_object) {
                        let names: Vec<&String> = properties.keys().collect();
                        assert_eq!(object.get("required"), Some(&json!(names)), "{function}");
                        assert_eq!(object.get("additionalProperties"), Some(&json!(false)), "{function}");
                    }
                    assert!(provider != Provider::DeepSeek || !object.contains_key("$ref"), "{function}");
                });
            }
        }
    }

    #[test]
    fn mcp_sends_schema_unchanged(tools in definitions()) {
        for tool in &tools {
            let converted = Provider::Mcp.convert(std::slice::from_ref(tool));

            let reported = sent(&converted.tools);
            let references = converted.losses.iter().all(|loss| loss.keyword == "$ref");
            prop_assert!(references, "{:?}", converted.losses);
            if converted.losses.is_empty() && converted.refused.is_empty() {
                prop_assert_eq!(reported, vec![tool.input_schema().clone()]);
            }
        }
    }
}
