//! JSON Schemas of tools: derived from types, built by hand, compiled, and queried for coercion.

#[cfg(feature = "validate")]
mod choice;
#[cfg(feature = "validate")]
mod compiled;
#[cfg(feature = "typed")]
pub(crate) mod derive;
mod ignored;
#[cfg(feature = "validate")]
mod issues;
mod passes;
mod plan;
mod query;
#[cfg(feature = "validate")]
mod validator;
#[cfg(feature = "validate")]
mod weight;

use serde_json::{Value, json};

#[cfg(feature = "validate")]
pub use compiled::{CompiledSchema, SchemaError};
pub(crate) use passes::{with_type_ranges, without_type_ranges};
#[cfg(feature = "validate")]
pub(crate) use {
    choice::{Choice, branches, is_empty},
    ignored::ignored,
    plan::Fit,
    query::{resolve, type_name, types_of},
    validator::Validator,
};

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
