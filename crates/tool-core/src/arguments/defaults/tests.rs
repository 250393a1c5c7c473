use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::Arguments;
use crate::schema::Validator;

fn compiled(schema: &Value) -> (Option<Defaults>, Vec<InvalidDefault>) {
    Defaults::of(schema, &Validator::compile(schema).unwrap())
}

fn filled(value: &Value, schema: &Value) -> Value {
    let (defaults, _) = compiled(schema);
    let mut arguments = Arguments::from_value(value.clone());
    if let Some(defaults) = &defaults {
        arguments.fill_defaults(defaults).unwrap();
    }
    arguments.to_value()
}

#[test]
fn fills_missing_defaults_at_any_depth() {
    let schema = json!({
        "properties": {
            "limit": {"default": 10},
            "path": {"default": "."},
            "options": {"properties": {"deep": {"default": true}}},
            "items": {"items": {"$ref": "#/$defs/item"}},
            "by_name": {"properties": {"a": {}}, "additionalProperties": {"$ref": "#/$defs/item"}},
            "pair": {"prefixItems": [{"type": "integer"}, {"$ref": "#/$defs/item"}]},
            "older": {"allOf": [{"$ref": "#/$defs/item"}]},
        },
        "$defs": {"item": {"type": "object", "properties": {"status": {"default": "pending"}}}},
    });
    let value = json!({
        "limit": 3, "options": {}, "items": [{}, {"status": "done"}], "by_name": {"a": {}, "b": {}},
        "pair": [1, {}], "older": {},
    });

    assert_eq!(
        filled(&value, &schema),
        json!({
            "limit": 3, "path": ".", "options": {"deep": true}, "items": [{"status": "pending"}, {"status": "done"}],
            "by_name": {"a": {}, "b": {"status": "pending"}}, "pair": [1, {"status": "pending"}],
            "older": {"status": "pending"},
        })
    );
}

#[test]
fn adds_nothing_without_default() {
    let schema = json!({"properties": {
        "a": {"properties": {"b": {"default": 1}}}, "c": {"anyOf": [{"properties": {"d": {"default": 1}}}]}}});

    for value in [json!({}), json!({"c": {}}), json!([]), json!(1)] {
        assert_eq!(filled(&value, &schema), value);
    }
}

#[test]
fn default_next_to_reference_takes_precedence() {
    let schema = json!({
        "properties": {"near": {"$ref": "#/$defs/n", "default": 1}, "far": {"$ref": "#/$defs/n"}},
        "$defs": {"n": {"type": "integer", "default": 2}},
    });

    assert_eq!(filled(&json!({}), &schema), json!({"near": 1, "far": 2}));
}

#[test]
fn adds_default_as_it_is() {
    let schema = json!({"properties": {
        "a": {"$ref": "#", "default": {}}, "b": {"default": {}, "properties": {"c": {"default": 1}}}}});

    assert_eq!(filled(&json!({}), &schema), json!({"a": {}, "b": {}}));
    assert_eq!(
        filled(&json!({"b": {}}), &schema),
        json!({"b": {"c": 1}, "a": {}})
    );
}

#[test]
fn fills_recursive_schema_to_depth_of_value() {
    let schema = json!({"properties": {
        "left": {"$ref": "#"}, "right": {"$ref": "#"}, "n": {"default": 1}}});

    assert_eq!(
        filled(&json!({"left": {"right": {}}}), &schema),
        json!({"n": 1, "left": {"n": 1, "right": {"n": 1}}})
    );
}

#[test]
fn rejects_defaults_over_value_limit() {
    let schema =
        json!({"properties": {"list": {"items": {"properties": {"a": {"default": [1, 2, 3]}}}}}});
    let (defaults, _) = compiled(&schema);
    let mut arguments = Arguments::from_value(json!({"list": vec![json!({}); 300_000]}));

    let defaults = defaults.unwrap();
    let error = arguments.fill_defaults(&defaults).unwrap_err();

    assert_eq!(error.code(), &crate::ErrorCode::ArgumentsTooLarge);
}

#[test]
fn follows_long_chain_of_references() {
    let links: serde_json::Map<String, Value> = (0..200)
        .map(|n| {
            let next = json!({"$ref": format!("#/$defs/l{}", n + 1)});
            let link = json!({"type": "object", "properties": {"next": next, "n": {"default": n}}});
            (format!("l{n}"), link)
        })
        .chain([("l200".to_owned(), json!({}))])
        .collect();
    let schema = json!({"$ref": "#/$defs/l0", "$defs": links});

    let value = filled(&json!({"next": {"next": {}}}), &schema);

    assert_eq!(value, json!({"n": 0, "next": {"n": 1, "next": {"n": 2}}}));
}

#[test]
fn fills_defaults_of_large_object() {
    let schema = json!({"properties": {"k7": {"default": 0}, "new": {"default": ["x"]}}});
    let members: serde_json::Map<String, Value> =
        (0..100).map(|n| (format!("k{n}"), json!(n))).collect();
    let mut expected = members.clone();
    expected.insert("new".to_owned(), json!(["x"]));

    assert_eq!(filled(&members.into(), &schema), Value::Object(expected));
}

#[test]
fn schema_without_defaults_is_skipped() {
    for schema in [
        json!({"properties": {"a": {"type": "string"}}}),
        json!(true),
    ] {
        assert!(compiled(&schema).0.is_none(), "{schema}");
    }
}

#[cfg(feature = "validate")]
#[test]
fn omits_and_reports_invalid_defaults() {
    let schema = json!({
        "properties": {
            "fits": {"type": "integer", "default": 1},
            "text": {"type": "integer", "default": "10"},
            "none": {"type": "string", "default": null},
            "o": {"type": "object", "default": {"x": "?"}, "properties": {"x": {"type": "integer"}}},
            "list": {"items": {"$ref": "#/$defs/item"}},
            "map": {"additionalProperties": {"$ref": "#/$defs/other"}},
            "a/b": {"enum": ["x"], "default": "y"},
        },
        "$defs": {
            "item": {"required": ["id"], "properties": {"id": {}, "status": {"enum": ["done"], "default": "open"}}},
            "other": {"properties": {"size": {"maximum": 3, "default": 4}}},
        },
    });

    let (_, mut invalid_defaults) = compiled(&schema);

    invalid_defaults.sort_by(|left, right| left.pointer.cmp(&right.pointer));
    let reported: Vec<_> = invalid_defaults
        .iter()
        .map(|invalid| (invalid.pointer.as_str(), invalid.reason.as_str()))
        .collect();
    assert_eq!(
        reported,
        [
            ("/a~1b", "`a/b` must be one of \"x\", not the string \"y\""),
            (
                "/list/0/status",
                "`list[0].status` must be one of \"done\", not the string \"open\""
            ),
            (
                "/map/any other name/size",
                "`map.any other name.size` must be at most 3, not the number 4"
            ),
            ("/o", "`o.x` must be an integer, not the string \"?\""),
            ("/text", "`text` must be an integer, not the string \"10\""),
        ]
    );
    assert_eq!(
        filled(&json!({"list": [{}]}), &schema),
        json!({"fits": 1, "list": [{}]})
    );
}

#[cfg(feature = "validate")]
#[test]
fn omits_default_without_its_required_member() {
    let schema = json!({"properties": {"o": {
        "type": "object", "default": {}, "required": ["x"], "properties": {"x": {"default": 1}}}}});

    assert_eq!(filled(&json!({}), &schema), json!({}));
    assert_eq!(compiled(&schema).1[0].pointer, "/o");
}

#[cfg(feature = "validate")]
#[test]
fn validates_default_against_whole_schema() {
    let schema = json!({
        "properties": {"mode": {"default": "fast"}, "limit": {"type": "integer", "default": 10}},
        "if": {"properties": {"mode": {"const": "fast"}}},
        "then": {"properties": {"limit": {"maximum": 5}}},
    });

    assert_eq!(filled(&json!({}), &schema), json!({"mode": "fast"}));
}

/// Reference implementation that walks the schema and the value in parallel.
fn filled_plainly(value: &mut Value, schema: &Value, root: &Value) {
    let schema = crate::schema::resolve(schema, root);
    match value {
        Value::Object(members) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            for (name, property) in properties.into_iter().flatten() {
                let target = crate::schema::resolve(property, root);
                let default = property.get("default").or_else(|| target.get("default"));
                if let Some(member) = members.get_mut(name) {
                    filled_plainly(member, property, root);
                } else if let Some(default) = default {
                    members.insert(name.clone(), default.clone());
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                filled_plainly(item, &schema["items"], root);
            }
        }
        _ => {}
    }
}

fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec![
        json!({}),
        json!({"default": 1}),
        json!({"default": {"a": 2}}),
        json!({"$ref": "#/$defs/d"}),
    ]);
    let schema = leaf.prop_recursive(3, 12, 3, |inner| {
        let properties = || prop::collection::btree_map("[abc]", inner.clone(), 0..3);
        prop_oneof![
            properties().prop_map(|properties| json!({"properties": properties})),
            properties()
                .prop_map(|properties| json!({"properties": properties, "default": {"b": {}}})),
            inner
                .clone()
                .prop_map(|items| json!({"items": items, "default": [{}, 1]})),
            inner.clone().prop_map(|items| json!({"items": items})),
        ]
    });
    let leaf = json!({"properties": {"c": {"default": 3}}, "default": {}});
    schema.prop_map(move |mut schema| {
        schema["$defs"] = json!({"d": leaf});
        schema
    })
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec![json!(0), json!({}), json!([])]);
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn defaults_match_reference_implementation(schema in any_schema(), value in any_value()) {
        let mut expected = value.clone();
        filled_plainly(&mut expected, &schema, &schema);

        prop_assert_eq!(filled(&value, &schema), expected);
    }
}
