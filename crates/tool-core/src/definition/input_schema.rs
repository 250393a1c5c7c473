//! The input schema of a definition. That of a type has ranges, which are validated, but not shown.

#[cfg(feature = "typed")]
use schemars::JsonSchema;
use serde_json::Value;

use super::{SchemaOrigin, ToolDefinition};
#[cfg(feature = "validate")]
use crate::schema::with_type_ranges;
#[cfg(feature = "typed")]
use crate::schema::{typed_schema_of, without_type_ranges};

impl ToolDefinition {
    /// Creates a definition with the input schema of a Rust type, for a tool that does not derive its
    /// definition. The ranges of integer types are validated, but not shown.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::ToolDefinition;
    ///
    /// #[derive(schemars::JsonSchema)]
    /// struct Input {
    ///     count: u8,
    /// }
    ///
    /// let definition = ToolDefinition::of::<Input>("roll", "Rolls dice.");
    /// assert_eq!(definition.input_schema()["properties"], json!({"count": {"type": "integer"}}));
    /// ```
    #[cfg(feature = "typed")]
    #[must_use]
    pub fn of<I: JsonSchema>(name: impl Into<String>, description: impl Into<String>) -> Self {
        let mut typed = typed_schema_of::<I>();
        // Providers require the type of an object, also next to a choice between object types.
        if let Some(keywords) = typed.as_object_mut() {
            keywords.entry("type").or_insert_with(|| "object".into());
        }
        Self::new(name, description, Value::Null)
            .with_typed_schema(typed)
            .with_derived_schema()
    }

    /// Replaces the input schema.
    #[must_use]
    pub fn with_input_schema(self, schema: impl Into<Value>) -> Self {
        self.edit(|inner| {
            inner.input_schema = schema.into();
            inner.schema_origin = SchemaOrigin::Given;
            #[cfg(feature = "typed")]
            {
                inner.typed_schema = None;
            }
        })
    }

    /// Replaces the input schema. The ranges of its integer types are validated, but not shown.
    #[cfg(feature = "typed")]
    pub(crate) fn with_typed_schema(self, typed: Value) -> Self {
        let shown = without_type_ranges(&typed);
        let typed = (typed != shown).then_some(typed);
        let definition = self.with_input_schema(shown);
        definition.edit(|inner| inner.typed_schema = typed)
    }

    /// Returns the input schema with the formats of integer types.
    #[cfg(feature = "typed")]
    pub(crate) fn typed_schema(&self) -> &Value {
        self.0.typed_schema.as_ref().unwrap_or(&self.0.input_schema)
    }

    #[cfg(not(feature = "typed"))]
    fn typed_schema(&self) -> &Value {
        &self.0.input_schema
    }

    /// Returns the schema to validate against, if it differs from the shown one.
    #[cfg(feature = "validate")]
    pub(crate) fn validated_schema(&self) -> Option<Value> {
        self.0.typed_schema.as_ref().map(with_type_ranges)
    }

    /// Returns `true` if the same arguments are valid.
    pub(crate) fn has_schema_of(&self, other: &Self) -> bool {
        self.typed_schema() == other.typed_schema()
    }

    /// Marks the input schema as derived from a type, and therefore valid.
    #[cfg(feature = "typed")]
    pub(crate) fn with_derived_schema(self) -> Self {
        self.edit(|inner| inner.schema_origin = SchemaOrigin::Derived)
    }

    pub(crate) fn has_derived_schema(&self) -> bool {
        !matches!(self.0.schema_origin, SchemaOrigin::Given)
    }
}
