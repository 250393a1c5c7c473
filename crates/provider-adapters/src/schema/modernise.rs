//! Older spellings, rewritten without loss.

use serde_json::{Map, Value, json};

use super::walk::outer_first;

/// `definitions` become `$defs`, `nullable` a type, a list of `items` `prefixItems`.
pub(crate) fn modernise(schema: &mut Value) {
    if let Value::Object(root) = schema
        && !root.contains_key("$defs")
        && let Some(definitions) = root.remove("definitions")
    {
        root.insert("$defs".to_owned(), definitions);
        outer_first(schema, &mut rename_reference);
    }
    outer_first(schema, &mut |object| {
        widen_nullable(object);
        if object.get("items").is_some_and(Value::is_array)
            && let Some(items) = object.remove("items")
        {
            object.insert("prefixItems".to_owned(), items);
            if let Some(rest) = object.remove("additionalItems") {
                object.insert("items".to_owned(), rest);
            }
        }
    });
}

fn rename_reference(object: &mut Map<String, Value>) {
    let renamed = object
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| reference.strip_prefix("#/definitions/"))
        .map(|name| format!("#/$defs/{name}"));
    if let Some(reference) = renamed {
        object.insert("$ref".to_owned(), reference.into());
    }
}

fn widen_nullable(object: &mut Map<String, Value>) {
    if object.remove("nullable") == Some(Value::Bool(true)) {
        allow_null(object);
    }
}

/// Makes null fit this schema, where it does not already.
pub(crate) fn allow_null(object: &mut Map<String, Value>) {
    if allows_null(object) {
        return;
    }
    let simple = !["$ref", "const", "anyOf", "allOf", "oneOf"]
        .iter()
        .any(|keyword| object.contains_key(*keyword));
    let only_any_of = only_any_of(object);
    match object.get_mut("type") {
        Some(Value::String(name)) if simple => {
            let types = json!([name.as_str(), "null"]);
            object.insert("type".to_owned(), types);
        }
        Some(Value::Array(types)) if simple => types.push("null".into()),
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
    if let Some(Value::Array(values)) = object.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
}

fn only_any_of(object: &Map<String, Value>) -> bool {
    object.contains_key("anyOf")
        && !["$ref", "const", "enum", "allOf", "oneOf"]
            .iter()
            .any(|keyword| object.contains_key(*keyword))
}

/// `{anyOf: [schema, null]}`, the description kept outside.
pub(crate) fn wrap_with_null(object: &mut Map<String, Value>) {
    let description = object.remove("description");
    let inner = std::mem::replace(object, super::place::same_place(object));
    object.extend(description.map(|text| ("description".to_owned(), text)));
    object.insert("anyOf".to_owned(), json!([inner, {"type": "null"}]));
}

/// Whether null fits this schema as far as its own keywords say.
pub(crate) fn allows_null(object: &Map<String, Value>) -> bool {
    let of_type = match object.get("type") {
        Some(Value::String(name)) => name == "null",
        Some(Value::Array(types)) => types.iter().any(|name| name == "null"),
        _ => false,
    };
    let of_branch = ["anyOf", "oneOf"].iter().any(|keyword| {
        object
            .get(*keyword)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_object)
            .any(allows_null)
    });
    let of_values = object.get("const") == Some(&Value::Null)
        || (!object.contains_key("type")
            && object
                .get("enum")
                .and_then(Value::as_array)
                .is_some_and(|values| values.contains(&Value::Null)));
    of_type || of_branch || of_values
}

#[cfg(test)]
mod tests {
    use super::super::place::{mark, unmark};
    use super::*;

    #[test]
    fn older_spellings_become_todays() {
        let mut schema = mark(&json!({
            "definitions": {"A": {"type": "string", "nullable": true, "enum": ["x"]}},
            "properties": {"a": {"$ref": "#/definitions/A"}, "b": {"items": [{"type": "string"}]}},
        }));

        modernise(&mut schema);

        assert_eq!(
            unmark(schema),
            json!({
                "$defs": {"A": {"type": ["string", "null"], "enum": ["x", null]}},
                "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"prefixItems": [{"type": "string"}]}},
            })
        );
    }

    #[test]
    fn null_is_allowed_in_the_form_that_fits() {
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
        ] {
            let mut nullable = mark(&schema);

            allow_null(nullable.as_object_mut().unwrap());

            assert_eq!(unmark(nullable), expected, "{schema}");
        }
    }
}
