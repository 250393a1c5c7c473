//! Schema queries: local references and accepted types.

use serde_json::Value;
pub(crate) use tool_json::text::type_name;

/// Maximum number of references to follow from one location.
const MAX_REFERENCES: usize = 16;

/// Follows local references and returns the resulting schema.
pub(crate) fn resolve<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let mut current = schema;
    for _ in 0..MAX_REFERENCES {
        let Some(reference) = current.get("$ref").and_then(Value::as_str) else {
            return current;
        };
        let Some(target) = reference
            .strip_prefix('#')
            .and_then(|pointer| root.pointer(pointer))
        else {
            return current;
        };
        current = target;
    }
    current
}

/// Returns the JSON types of `schema`'s `type` keyword or constants. Empty if it has neither.
pub(crate) fn types_of(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => return vec![name],
        Some(Value::Array(names)) => return names.iter().filter_map(Value::as_str).collect(),
        _ => {}
    }
    let constants = schema.get("enum").and_then(Value::as_array);
    let mut types: Vec<&str> = constants
        .into_iter()
        .flatten()
        .chain(schema.get("const"))
        .map(type_name)
        .collect();
    types.dedup();
    types
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn follows_reference_chain_and_stops_at_cycle() {
        let root = json!({"$defs": {
            "a": {"$ref": "#/$defs/b"},
            "b": {"type": "string"},
            "c": {"$ref": "#/$defs/c"},
        }});

        assert_eq!(
            resolve(&json!({"$ref": "#/$defs/a"}), &root),
            &json!({"type": "string"})
        );
        assert_eq!(resolve(&root["$defs"]["c"], &root), &root["$defs"]["c"]);
    }

    #[test]
    fn infers_type_from_constants() {
        for (schema, types) in [
            (json!({"type": "string"}), vec!["string"]),
            (json!({"type": ["string", "null"]}), vec!["string", "null"]),
            (json!({"enum": [1, 2]}), vec!["integer"]),
            (json!({"const": "a"}), vec!["string"]),
            (json!({}), vec![]),
        ] {
            assert_eq!(types_of(&schema), types, "{schema}");
        }
    }
}
