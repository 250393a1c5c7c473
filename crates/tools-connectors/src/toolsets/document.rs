//! Helpers for the toolset of the source document.

use serde_json::{Value, json};
use tool_core::{OutputLimit, Presentation};

/// Presents a tool like the source document: unknown parameters are ignored, the output is not
/// truncated, and only these parameters are shown. Each has the tool's name, the shown name and a
/// schema.
pub(super) fn documented<O: 'static, const N: usize>(
    name: &str,
    description: &str,
    parameters: [(&str, &str, Value); N],
) -> Presentation<O> {
    let mut presentation = Presentation::new(name, description)
        .open()
        .output_limit(OutputLimit::unlimited())
        .only(parameters.each_ref().map(|(own, ..)| *own));
    for (own, shown, schema) in parameters {
        presentation = presentation.schema(own, schema);
        if own != shown {
            presentation = presentation.rename(own, shown).alias(own, own);
        }
    }
    presentation
}

/// Returns the schema of a parameter of type `kind`.
pub(super) fn described(kind: &str, description: &str) -> Value {
    json!({"type": kind, "description": description})
}

/// Returns the schema of a string.
pub(super) fn text(description: &str) -> Value {
    described("string", description)
}

/// Returns the schema of a number with a default.
pub(super) fn number(description: &str, default: i64) -> Value {
    json!({"type": "integer", "description": description, "default": default})
}

/// Returns the schema of a list of strings.
pub(super) fn list(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": description})
}
