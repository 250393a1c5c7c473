//! The types of output that an application takes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{OutputType, domain_map};

/// The types of output that an application takes, by their names. Clones share the types.
///
/// The default has [`domain_map()`] alone.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tools_builtin::checks::{OutputType, OutputTypes};
///
/// let report = OutputType::named("report").schema(json!({"type": "object", "required": ["title"]}))?;
/// let types = OutputTypes::default().with(report);
/// assert_eq!(types.names().collect::<Vec<_>>(), ["domain_map", "report"]);
/// # Ok::<_, tool_core::SchemaError>(())
/// ```
#[derive(Debug, Clone)]
pub struct OutputTypes(BTreeMap<String, Arc<OutputType>>);

impl Default for OutputTypes {
    fn default() -> Self {
        Self::empty().with(domain_map())
    }
}

impl OutputTypes {
    /// No type at all.
    #[must_use]
    pub fn empty() -> Self {
        Self(BTreeMap::new())
    }

    /// Adds a type, in place of one that has its name.
    #[must_use]
    pub fn with(mut self, output_type: OutputType) -> Self {
        self.0
            .insert(output_type.name().to_owned(), Arc::new(output_type));
        self
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The type with this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Arc<OutputType>> {
        self.0.get(name)
    }
}
