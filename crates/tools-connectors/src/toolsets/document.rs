//! Helpers for the toolset of the source document.

use serde_json::Value;
use tool_core::{OutputLimit, Presentation};

/// Presents a tool like the source document: unknown parameters are ignored, the output is not
/// truncated, and only the parameters with a schema are shown. `schemas` has the tool's own names,
/// and `renamed` contains pairs of an own and a shown name.
pub(super) fn documented<O: 'static>(
    name: &str,
    description: &str,
    schemas: &Value,
    renamed: &[(&str, &str)],
) -> Presentation<O> {
    let schemas = schemas.as_object().into_iter().flatten();
    let mut presentation = Presentation::new(name, description)
        .open()
        .output_limit(OutputLimit::unlimited())
        .only(schemas.clone().map(|(own, _)| own.as_str()));
    for (own, schema) in schemas {
        presentation = presentation.schema(own, schema.clone());
    }
    for &(own, shown) in renamed {
        presentation = presentation.rename(own, shown).alias(own, own);
    }
    presentation
}
