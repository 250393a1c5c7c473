//! Schemas with all features of JSON Schema, and values that match them or nearly do.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Returns keywords for one type. Any of them may be combined.
fn rules(kind: &'static str) -> Vec<(&'static str, Value)> {
    match kind {
        "string" => vec![
            ("minLength", json!(2)),
            ("maxLength", json!(3)),
            ("pattern", json!("^x")),
            ("format", json!("uuid")),
            ("format", json!("uri")),
            ("enum", json!(["x", "xx"])),
            ("const", json!("xx")),
            ("default", json!("xx")),
        ],
        "integer" | "number" => vec![
            ("minimum", json!(1)),
            ("maximum", json!(3)),
            ("exclusiveMinimum", json!(0)),
            ("exclusiveMaximum", json!(4)),
            ("multipleOf", json!(2)),
            ("enum", json!([1, 2])),
            ("default", json!(2)),
            ("format", json!("int32")),
        ],
        "array" => vec![
            ("minItems", json!(1)),
            ("maxItems", json!(2)),
            ("uniqueItems", json!(true)),
            ("contains", json!({"type": "integer"})),
            ("default", json!([])),
        ],
        "object" => vec![
            ("minProperties", json!(1)),
            ("maxProperties", json!(2)),
            ("propertyNames", json!({"pattern": "^[ab]$"})),
            ("patternProperties", json!({"^x": {"type": "string"}})),
            ("additionalProperties", json!(false)),
            ("additionalProperties", json!(true)),
            ("additionalProperties", json!({"type": "integer"})),
        ],
        _ => vec![("const", json!(true)), ("default", json!(false))],
    }
}

/// Returns keywords that do not constrain values.
fn notes() -> Vec<(&'static str, Value)> {
    vec![
        ("title", json!("T")),
        ("description", json!("Describes the value")),
        ("$comment", json!("c")),
        ("deprecated", json!(true)),
        ("examples", json!([1])),
    ]
}

fn ruled(kind: &'static str) -> impl Strategy<Value = Map<String, Value>> {
    let rules = prop::sample::subsequence(rules(kind), 0..3);
    let notes = prop::sample::subsequence(notes(), 0..2);
    (rules, notes, prop::bool::weighted(0.2)).prop_map(move |(rules, notes, nullable)| {
        let mut schema: Map<String, Value> = rules
            .into_iter()
            .chain(notes)
            .map(|(keyword, value)| (keyword.to_owned(), value))
            .collect();
        let fixed = schema.contains_key("enum") || schema.contains_key("const");
        let kind = if nullable && !fixed {
            json!([kind, "null"])
        } else {
            json!(kind)
        };
        schema.insert("type".to_owned(), kind);
        schema
    })
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        ruled("string"),
        ruled("integer"),
        ruled("number"),
        ruled("boolean")
    ]
    .prop_map(Value::Object)
}

fn object_of(
    (mut schema, properties, required): (
        Map<String, Value>,
        std::collections::BTreeMap<String, Value>,
        Vec<&'static str>,
    ),
) -> Value {
    let required: Vec<&str> = required
        .into_iter()
        .filter(|name| properties.contains_key(*name))
        .collect();
    schema.insert("properties".to_owned(), json!(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    Value::Object(schema)
}

fn object(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    let named = prop::collection::btree_map("[abc]", inner, 0..4);
    let required = prop::sample::subsequence(vec!["a", "b", "c"], 0..3);
    (ruled("object"), named, required).prop_map(object_of)
}

fn array(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    (ruled("array"), inner).prop_map(|(mut schema, items)| {
        schema.insert("items".to_owned(), items);
        Value::Object(schema)
    })
}

/// Objects and arrays whose conversion moves no keyword to another location.
pub(super) fn still() -> impl Strategy<Value = Value> {
    let inner = scalar().prop_recursive(2, 12, 3, |inner| {
        prop_oneof![object(inner.clone()), array(inner)]
    });
    root(inner)
}

/// Schemas with all features: alternatives, references, tuples and conditions.
pub(super) fn any() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        6 => scalar(),
        1 => Just(json!(true)),
        1 => Just(json!({})),
        2 => Just(json!({"$ref": "#/$defs/d"})),
        1 => Just(json!({"$ref": "#/$defs/d", "description": "D"})),
        1 => Just(json!({"$ref": "#/$defs/e", "default": "x"})),
        1 => Just(json!({"$ref": "#/properties/a"})),
    ];
    let inner = leaf.prop_recursive(3, 16, 3, |inner| {
        let list = || prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            3 => object(inner.clone()),
            2 => array(inner.clone()),
            1 => list().prop_map(|branches| json!({"anyOf": branches})),
            1 => list().prop_map(|branches| json!({"oneOf": branches, "description": "D"})),
            1 => list().prop_map(|members| json!({"allOf": members})),
            1 => (scalar(), list()).prop_map(|(one, mut branches)| {
                branches.push(json!({"type": "null"}));
                json!({"anyOf": branches, "not": one})
            }),
            1 => list().prop_map(|places| json!({"type": "array", "prefixItems": places, "items": false})),
            1 => list().prop_map(|places| json!({"type": "array", "prefixItems": places, "minItems": 1})),
            1 => (inner.clone(), scalar()).prop_map(|(then, test)| {
                json!({"if": test, "then": then, "else": true})
            }),
        ]
    });
    let union = prop::option::weighted(0.2, prop::sample::select(vec!["anyOf", "oneOf", "allOf"]));
    let defined = (scalar(), inner.clone());
    (root(inner.clone()), defined, union, object(inner)).prop_map(
        |(mut root, (first, second), union, branch)| {
            if let Value::Object(root) = &mut root {
                root.insert("$defs".to_owned(), json!({"d": first, "e": second}));
                root.extend(union.map(|keyword| (keyword.to_owned(), json!([branch]))));
            }
            root
        },
    )
}

fn root(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    object(inner).prop_map(|mut root| {
        if let Value::Object(root) = &mut root {
            // Tool arguments are always an object, so the root cannot be null.
            root.insert("type".to_owned(), "object".into());
            if let Some(Value::Object(properties)) = root.get_mut("properties") {
                // Target of references.
                properties.entry("a").or_insert(json!({"type": "string"}));
            }
        }
        root
    })
}

/// Arguments that match such schemas or nearly do.
pub(super) fn arguments() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(1),
        json!(2),
        json!(7),
        json!(1.5),
        json!("x"),
        json!("xx"),
        json!("longer"),
    ]);
    let named = |inner: BoxedStrategy<Value>| {
        prop::collection::btree_map("[abc]", inner, 0..4).prop_map(|members| json!(members))
    };
    let inner = leaf.prop_recursive(2, 8, 3, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            named(inner.boxed()),
        ]
    });
    named(inner.boxed())
}

/// Returns arguments that probably match the schema. `choices` selects among the alternatives.
pub(super) fn fitting(
    schema: &Value,
    root: &Value,
    choices: &mut impl Iterator<Item = u8>,
) -> Value {
    fit(schema, root, choices, 0)
}

fn fit(
    schema: &Value,
    root: &Value,
    choices: &mut impl Iterator<Item = u8>,
    depth: usize,
) -> Value {
    let choice = usize::from(choices.next().unwrap_or_default());
    if depth > 6 {
        return Value::Null;
    }
    let mut next = |inner: &Value| fit(inner, root, choices, depth + 1);
    if let Some(Value::Array(values)) = schema.get("enum") {
        return values[choice % values.len().max(1)].clone();
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    if let Some(found) = schema["$ref"]
        .as_str()
        .and_then(|to| root.pointer(to.strip_prefix('#')?))
    {
        return next(found);
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        if let Some(Value::Array(branches)) = schema.get(keyword)
            && !branches.is_empty()
            && schema.get("properties").is_none()
        {
            return next(&branches[choice % branches.len()]);
        }
    }
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.clone(),
        kind => vec![kind.clone()],
    };
    match kinds[choice % kinds.len().max(1)].as_str() {
        Some("string") => json!(["x", "xx", "xxx", "longer"][choice % 4]),
        Some("integer") => json!([1, 2, 3, 7][choice % 4]),
        Some("number") => json!([1.5, 2.0, 3.5, 9.0][choice % 4]),
        Some("boolean") => json!(choice.is_multiple_of(2)),
        Some("array") => {
            let places = schema["prefixItems"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let rest = vec![schema["items"].clone(); choice % 3];
            let items = places.iter().chain(&rest).filter(|item| !item.is_boolean());
            Value::Array(items.map(next).collect())
        }
        Some("object") => {
            let properties = schema["properties"]
                .as_object()
                .cloned()
                .unwrap_or_default();
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let kept = properties.iter().enumerate().filter(|(at, (name, _))| {
                (choice >> (at % 8)) & 1 == 0 || required.contains(&json!(name))
            });
            kept.map(|(_, (name, inner))| (name.clone(), next(inner)))
                .collect()
        }
        _ => Value::Null,
    }
}
