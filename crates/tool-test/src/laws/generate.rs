//! Generator of valid and invalid arguments for a schema.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

/// Maximum depth of generated values.
const MAX_DEPTH: usize = 8;

/// Returns arguments with one error each, and the name of the invalid parameter.
pub(super) fn invalid(schema: &Value) -> Vec<(String, Value)> {
    let Value::Object(good) = sample(schema, MAX_DEPTH, 0) else {
        return Vec::new();
    };
    let mut cases = Vec::new();
    for name in required(schema) {
        let mut without = good.clone();
        without.remove(name);
        cases.push((name.to_owned(), Value::Object(without)));
    }
    for (name, property) in properties(schema) {
        // Three, because coercion may make one of them valid.
        for wrong in [
            json!({"no": "such"}),
            json!([[]]),
            json!("\u{0}no such value"),
        ] {
            if !may_be(property, &wrong) {
                let mut with = good.clone();
                with.insert(name.to_owned(), wrong);
                cases.push((name.to_owned(), Value::Object(with)));
            }
        }
    }
    if schema.get("additionalProperties") == Some(&json!(false)) {
        let mut with = good;
        with.insert("no_such_parameter".to_owned(), json!(1));
        cases.push(("no_such_parameter".to_owned(), Value::Object(with)));
    }
    cases
}

/// Returns valid arguments: all parameters and only the required ones, for each string of [`TEXTS`].
pub(super) fn valid(schema: &Value) -> Vec<Value> {
    let least = |index| {
        let all = sample(schema, MAX_DEPTH, index);
        let kept = |name: &str| required(schema).any(|required| required == name);
        let members: Map<String, Value> = all
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, _)| kept(name))
            .map(|(n, v)| (n.clone(), v.clone()))
            .collect();
        Value::Object(members)
    };
    (0..TEXTS.len())
        .flat_map(|index| [sample(schema, MAX_DEPTH, index), least(index)])
        .collect()
}

// Empty, outside the directory, NUL, wide characters, and brackets for parsers that recurse: what
// tools forget.
const TEXTS: [&str; 8] = [
    "a",
    "",
    "..",
    "/etc/passwd",
    "\u{0}",
    "äöü 漢字 🦀",
    "(((((((((((((((((",
    "{{{{{{{{{{{{{{{{[[",
];

fn properties(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .map(|(name, property)| (name.as_str(), property))
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// Returns arguments with each number at an end of its range: one parameter at a time, then all.
///
/// A definition omits the range of its Rust type. Where a number has no bound, the ends of several
/// types are used, and the tool may reject them.
pub(super) fn ends(schema: &Value) -> Vec<Value> {
    let ordinary = sample(schema, MAX_DEPTH, 0);
    let mut cases: Vec<Value> = Vec::new();
    for end in 0..ENDS {
        let all = sample_at(schema, MAX_DEPTH, 0, Some(end));
        for (name, _) in properties(schema) {
            let mut one = ordinary.clone();
            if let (Some(one), Some(value)) = (one.as_object_mut(), all.get(name)) {
                one.insert(name.to_owned(), value.clone());
            }
            cases.push(one);
        }
        cases.push(all);
    }
    // Parameters without numbers give the same case again.
    let mut seen = HashSet::from([ordinary.to_string()]);
    cases.retain(|case| seen.insert(case.to_string()));
    cases
}

/// Returns a valid value; `index` selects a string of [`TEXTS`].
fn sample(schema: &Value, depth: usize, index: usize) -> Value {
    sample_at(schema, depth, index, None)
}

/// Like [`sample`], but `end` selects an end of each number's range.
fn sample_at(schema: &Value, depth: usize, index: usize, end: Option<usize>) -> Value {
    let first = |keyword: &str| {
        schema
            .get(keyword)
            .and_then(Value::as_array)
            .and_then(|list| list.first())
    };
    if let Some(constant) = schema.get("const").or_else(|| first("enum")) {
        return constant.clone();
    }
    if let Some(branch) = first("anyOf").or_else(|| first("oneOf")) {
        return if depth == 0 {
            Value::Null
        } else {
            sample_at(branch, depth - 1, index, end)
        };
    }
    match type_of(schema) {
        "object" if depth > 0 => Value::Object(
            properties(schema)
                .map(|(name, below)| (name.to_owned(), sample_at(below, depth - 1, index, end)))
                .collect(),
        ),
        "array" if depth > 0 => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            json!([sample_at(items, depth - 1, index, end)])
        }
        "object" => json!({}),
        "array" => json!([]),
        kind @ ("integer" | "number") => number(schema, kind == "integer", end),
        "boolean" => json!(index.is_multiple_of(2)),
        "null" => Value::Null,
        _ => json!(TEXTS.get(index % TEXTS.len()).copied().unwrap_or_default()),
    }
}

/// Maximum number of ends per number.
const ENDS: usize = 8;

fn number(schema: &Value, is_integer: bool, end: Option<usize>) -> Value {
    let least = schema.get("minimum");
    let most = schema.get("maximum");
    let Some(end) = end else {
        let is_below_one = |most: &&Value| most.as_f64().is_some_and(|most| most < 1.0);
        let ordinary = least.or(most.filter(is_below_one));
        return ordinary.cloned().unwrap_or(json!(1));
    };
    let least: Vec<Value> = match (least, is_integer) {
        (Some(least), _) => vec![least.clone()],
        // Code that negates the number or casts it to a smaller type fails here.
        (None, true) => vec![json!(i64::MIN), json!(i32::MIN), json!(-1), json!(0)],
        (None, false) => vec![json!(f64::MIN), json!(0.0)],
    };
    let most: Vec<Value> = match (most, is_integer) {
        (Some(most), _) => vec![most.clone()],
        (None, true) => {
            let most = [
                u64::from(u8::MAX),
                u64::from(u32::MAX),
                i64::MAX.unsigned_abs(),
                u64::MAX,
            ];
            most.map(Value::from).to_vec()
        }
        (None, false) => vec![json!(f64::MAX), json!(f64::MIN_POSITIVE)],
    };
    let ends = [least, most].concat();
    ends.get(end).or(ends.last()).cloned().unwrap_or_default()
}

fn type_of(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(name)) => name,
        Some(Value::Array(names)) => names.first().and_then(Value::as_str).unwrap_or_default(),
        _ => {
            if schema.get("properties").is_some() {
                "object"
            } else {
                ""
            }
        }
    }
}

/// Returns `true` if the schema may accept `value`, directly or after coercion.
fn may_be(schema: &Value, value: &Value) -> bool {
    let is_constant = schema.get("enum").is_some() || schema.get("const").is_some();
    let listed = ["anyOf", "oneOf"]
        .iter()
        .any(|keyword| schema.get(keyword).is_some());
    if is_constant {
        return false;
    }
    match (type_of(schema), value) {
        _ if listed => true,
        // One item is accepted where an array is expected, so any value may be valid there.
        ("" | "array", _) | ("object", Value::Object(_)) | ("string", Value::String(_)) => true,
        _ => false,
    }
}
