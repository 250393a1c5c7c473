//! Output types of an application.

use std::collections::BTreeMap;
use std::sync::Arc;

use tool_core::ToolDefinition;

use super::{OutputType, domain_map};

/// Maximum number of type names in a message or a schema.
pub(super) const MAX_NAMES: usize = 20;

/// Output types of an application, by name. Clones share the types.
///
/// The default contains only [`domain_map()`].
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tools_builtin::checks::{OutputType, OutputTypes};
///
/// let report = OutputType::named("report").schema(json!({"type": "object", "required": ["title"]}))?;
/// let types = OutputTypes::default().with(report);
/// assert_eq!(types.names().collect::<Vec<_>>(), ["domain_map", "report"]);
/// # Ok::<_, tool_core::schema::SchemaError>(())
/// ```
#[derive(Debug, Clone)]
pub struct OutputTypes(BTreeMap<String, Arc<OutputType>>);

impl Default for OutputTypes {
    fn default() -> Self {
        Self::empty().with(domain_map())
    }
}

impl OutputTypes {
    /// Creates a collection without types.
    #[must_use]
    pub fn empty() -> Self {
        Self(BTreeMap::new())
    }

    /// Adds a type, replacing one of the same name.
    #[must_use]
    pub fn with(mut self, output_type: OutputType) -> Self {
        self.0
            .insert(output_type.name().to_owned(), Arc::new(output_type));
        self
    }

    /// Returns the names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Lists the known names in the description of the parameter for a type name.
    pub(crate) fn describe(&self, definition: ToolDefinition, parameter: &str) -> ToolDefinition {
        let names: Vec<&str> = self.names().take(MAX_NAMES).collect();
        if names.is_empty() {
            return definition;
        }
        let mut schema = definition.input_schema().clone();
        if let Some(description) =
            schema.pointer_mut(&format!("/properties/{parameter}/description"))
        {
            *description = format!("Name of the output type, such as {}.", names.join(", ")).into();
        }
        definition.with_input_schema(schema)
    }

    /// Returns the type with this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Arc<OutputType>> {
        self.0.get(name)
    }
}
