//! Derives the schema shown to the model from a Rust type.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::passes;

/// Returns the schema of `T` as input, without Rust-specific keywords.
///
/// Doc comments become descriptions. Omits `$schema`, type titles, formats such as `uint32`, bounds
/// that only the integer type implies, and null for optional parameters. The registry validates the
/// range of the type; [`CompiledSchema::of`](crate::schema::CompiledSchema::of) does the same for
/// other values.
///
/// # Examples
/// ```
/// use schemars::JsonSchema;
/// use serde_json::json;
///
/// #[derive(JsonSchema)]
/// struct Input {
///     /// Maximum number of results.
///     #[schemars(range(min = 1))]
///     limit: Option<u8>,
/// }
///
/// assert_eq!(
///     tool_core::schema_of::<Input>(),
///     json!({"type": "object", "properties": {
///         "limit": {"type": "integer", "minimum": 1, "description": "Maximum number of results."},
///     }})
/// );
/// ```
pub fn schema_of<T: JsonSchema>() -> Value {
    passes::without_type_ranges(&typed_schema_of::<T>())
}

/// Returns the schema of `T` as input. Integers have the format of their type.
pub(crate) fn typed_schema_of<T: JsonSchema>() -> Value {
    cleaned(root_schema_of::<T>(settings().for_deserialize()))
}

/// Returns the schema of `T` as output. Keeps null for fields that can be null.
pub(crate) fn output_schema_of<T: JsonSchema>() -> Value {
    let mut schema = root_schema_of::<T>(settings().for_serialize());
    passes::without_rust_residue(&mut schema);
    schema = passes::without_type_ranges(&schema);
    passes::without_bare_true(&mut schema);
    passes::fold_described_enums(&mut schema);
    without_own_description(schema)
}

fn root_schema_of<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let generator = settings.into_generator();
    generator.into_root_schema_for::<T>().to_value()
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        // Some providers do not resolve references.
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    })
}

fn cleaned(mut schema: Value) -> Value {
    passes::without_rust_residue(&mut schema);
    passes::without_bare_true(&mut schema);
    passes::without_null_where_absent_will_do(&mut schema);
    passes::fold_described_enums(&mut schema);
    without_own_description(schema)
}

/// Removes the description of the type itself, which does not describe the tool.
fn without_own_description(mut schema: Value) -> Value {
    if let Some(object) = schema.as_object_mut() {
        object.shift_remove("description");
    }
    schema
}

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
