//! Conversion of older JSON Schema syntax, without loss.

use serde_json::{Value, json};

use super::merge::includes_type;
use super::refs::reference;
use super::walk::{contains_any, outer_first};
use crate::Object;

/// Converts `definitions` to `$defs`, `nullable` to a null type, an `items` array to `prefixItems`,
/// and boolean exclusive bounds to numeric ones.
pub(crate) fn modernize(schema: &mut Value) {
    if let Value::Object(root) = schema
        // Names in the two could collide, and references to `definitions` are resolved, too.
        && !root.contains_key("$defs")
        && let Some(definitions) = root.shift_remove("definitions")
    {
        root.insert("$defs".to_owned(), definitions);
        outer_first(schema, &mut rename_reference);
    }
    outer_first(schema, &mut |object| {
        widen_nullable(object);
        exclude_bounds(object);
        if object.get("items").is_some_and(Value::is_array)
            && let Some(items) = object.shift_remove("items")
        {
            object.insert("prefixItems".to_owned(), items);
            if let Some(rest) = object.shift_remove("additionalItems") {
                object.insert("items".to_owned(), rest);
            }
        }
    });
}

fn rename_reference(object: &mut Object) {
    let name = reference(object).and_then(|target| target.strip_prefix("#/definitions/"));
    if let Some(renamed) = name.map(|name| format!("#/$defs/{name}")) {
        object.insert("$ref".to_owned(), renamed.into());
    }
}

fn exclude_bounds(object: &mut Object) {
    for (exclusive, inclusive) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        let Some(Value::Bool(excludes)) = object.get(exclusive).cloned() else {
            continue;
        };
        object.shift_remove(exclusive);
        if let (true, Some(bound)) = (excludes, object.get(inclusive).cloned()) {
            object.shift_remove(inclusive);
            object.insert(exclusive.to_owned(), bound);
        }
    }
}

fn widen_nullable(object: &mut Object) {
    if object.shift_remove("nullable") == Some(Value::Bool(true)) {
        allow_null(object);
    }
}

/// Extends the schema to match null, if it does not already.
pub(crate) fn allow_null(object: &mut Object) {
    if allows_null(object) {
        return;
    }
    let simple = !contains_any(object, &["$ref", "const", "anyOf", "allOf", "oneOf"]);
    let only_any_of = only_any_of(object);
    match object.get_mut("type") {
        Some(Value::String(name)) if simple => {
            let types = json!([name.as_str(), "null"]);
            object.insert("type".to_owned(), types);
        }
        Some(Value::Array(types)) if simple => {
            if !types.iter().any(|name| name == "null") {
                types.push("null".into());
            }
        }
        None if only_any_of => {
            if let Some(Value::Array(branches)) = object.get_mut("anyOf") {
                branches.push(json!({"type": "null"}));
            }
            return;
        }
        _ => {
            wrap_with_null(object);
            return;
        }
    }
    // A value must satisfy both `type` and `enum`.
    if let Some(Value::Array(values)) = object.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
}

fn only_any_of(object: &Object) -> bool {
    object.contains_key("anyOf")
        && !contains_any(object, &["$ref", "const", "enum", "allOf", "oneOf"])
}

/// Wraps the schema as `{anyOf: [schema, null]}` and keeps the description outside.
pub(crate) fn wrap_with_null(object: &mut Object) {
    let description = object.shift_remove("description");
    let inner = std::mem::replace(object, super::origin::empty_with_origin(object));
    object.extend(description.map(|text| ("description".to_owned(), text)));
    object.insert("anyOf".to_owned(), json!([inner, {"type": "null"}]));
}

/// Returns `true` if at least one of the schema's own keywords allows null and none excludes it.
pub(crate) fn allows_null(object: &Object) -> bool {
    let of_type = object.get("type").map(|kinds| includes_type(kinds, "null"));
    let of_const = object.get("const").map(Value::is_null);
    let of_values = object.get("enum").map(holds_null);
    let of_branches = ["anyOf", "oneOf"].map(|keyword| {
        let branches = object.get(keyword)?.as_array()?;
        let mut branches = branches.iter().filter_map(Value::as_object);
        Some(branches.any(allows_null))
    });
    let mut results = [of_type, of_const, of_values]
        .into_iter()
        .chain(of_branches)
        .flatten()
        .peekable();
    results.peek().is_some() && results.all(|allows| allows)
}

fn holds_null(values: &Value) -> bool {
    values
        .as_array()
        .is_some_and(|values| values.contains(&Value::Null))
}

#[cfg(test)]
mod tests {
    use super::super::origin::{mark, unmark};
    use super::*;

    #[test]
    fn converts_older_syntax() {
        let mut schema = mark(&json!({
            "definitions": {"A": {"type": "string", "nullable": true, "enum": ["x"]}},
            "properties": {"a": {"$ref": "#/definitions/A"}, "b": {"items": [{"type": "string"}]}},
        }));

        modernize(&mut schema);

        assert_eq!(
            unmark(schema),
            json!({
                "$defs": {"A": {"type": ["string", "null"], "enum": ["x", null]}},
                "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"prefixItems": [{"type": "string"}]}},
            })
        );
    }

    #[test]
    fn converts_boolean_exclusive_bounds() {
        let mut schema = mark(&json!({"items": {
            "minimum": 0, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false,
        }}));

        modernize(&mut schema);

        assert_eq!(
            unmark(schema),
            json!({"items": {"exclusiveMinimum": 0, "maximum": 9}})
        );
    }

    #[test]
    fn allows_null_in_suitable_form() {
        for (schema, expected) in [
            (
                json!({"type": "string"}),
                json!({"type": ["string", "null"]}),
            ),
            (
                json!({"type": ["string", "null"]}),
                json!({"type": ["string", "null"]}),
            ),
            (
                json!({"$ref": "#/$defs/A", "description": "D"}),
                json!({"description": "D", "anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}),
            ),
            (
                json!({"anyOf": [{"type": "string"}]}),
                json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            ),
            (
                json!({"const": 1}),
                json!({"anyOf": [{"const": 1}, {"type": "null"}]}),
            ),
            (
                json!({"type": "string", "anyOf": [{"minLength": 1}, {"type": "null"}]}),
                json!({"anyOf": [{"type": "string", "anyOf": [{"minLength": 1}, {"type": "null"}]}, {"type": "null"}]}),
            ),
            (
                json!({"type": ["string", "null"], "enum": ["a"]}),
                json!({"type": ["string", "null"], "enum": ["a", null]}),
            ),
        ] {
            let mut nullable = mark(&schema);

            allow_null(nullable.as_object_mut().unwrap());

            assert_eq!(unmark(nullable), expected, "{schema}");
        }
    }
}
