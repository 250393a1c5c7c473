//! JSON Schemas of tools: derived from types, built by hand, compiled, and queried for coercion.

#[cfg(feature = "validate")]
mod compiled;
#[cfg(feature = "typed")]
mod derive;
mod ignored;
#[cfg(feature = "validate")]
mod issues;
mod passes;
#[cfg(feature = "validate")]
mod plan;
#[cfg(not(feature = "validate"))]
mod trusting;
mod unvalidated;
#[cfg(feature = "validate")]
mod validator;
#[cfg(feature = "validate")]
mod weight;

use serde_json::{Value, json};

#[cfg(feature = "validate")]
pub use compiled::{CompiledSchema, SchemaError};
#[cfg(feature = "typed")]
pub use derive::schema_of;
#[cfg(feature = "typed")]
pub(crate) use derive::{output_schema_of, typed_schema_of};
pub(crate) use ignored::{Known, all_known, ignored};
pub(crate) use passes::{with_type_ranges, without_type_ranges};
pub(crate) use tool_json::text::type_name;
#[cfg(not(feature = "validate"))]
pub(crate) use trusting::Validator;
pub(crate) use unvalidated::{check_required, first_constraint};
#[cfg(feature = "validate")]
pub(crate) use validator::Validator;

/// Creates the schema of an object without members. Use [`add_property`] and [`add_required`] to complete it.
///
/// If you know all members, `serde_json::json!` is shorter; for a Rust type, use [`schema_of`](crate::schema_of).
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::schema::{add_property, add_required, object_schema};
///
/// let mut schema = object_schema();
/// add_property(&mut schema, "path", json!({"type": "string", "description": "Path of the file."}));
/// add_required(&mut schema, "path");
///
/// assert_eq!(
///     schema,
///     json!({
///         "type": "object",
///         "properties": {"path": {"type": "string", "description": "Path of the file."}},
///         "required": ["path"],
///     })
/// );
/// ```
#[must_use]
pub fn object_schema() -> Value {
    json!({"type": "object", "properties": {}})
}

/// Adds a property to the schema of an object, or replaces it.
///
/// # Examples
/// See [`object_schema`].
pub fn add_property(schema: &mut Value, name: impl Into<String>, property: impl Into<Value>) {
    if let Value::Object(keywords) = schema {
        let properties = keywords.entry("properties").or_insert_with(|| json!({}));
        if let Value::Object(properties) = properties {
            properties.insert(name.into(), property.into());
        }
    }
}

/// Requires a property of the schema of an object. Has no effect if it is required already.
///
/// # Examples
/// See [`object_schema`].
pub fn add_required(schema: &mut Value, name: impl Into<String>) {
    if let Value::Object(keywords) = schema {
        let required = keywords.entry("required").or_insert_with(|| json!([]));
        let name = Value::from(name.into());
        if let Value::Array(names) = required
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
}

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

/// Whether arguments match a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Valid, without unknown members.
    Plain,
    /// Valid, possibly with unknown members.
    Valid,
    /// Invalid.
    Not,
}

/// Issue of a value, for the author of the schema.
#[derive(Debug)]
pub(crate) struct Rejection {
    /// JSON pointer into the value.
    pub(crate) pointer: String,
    /// The path through the schema, with references resolved.
    pub(crate) evaluation_path: String,
    /// Description of the issue.
    pub(crate) reason: String,
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
