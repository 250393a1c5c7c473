//! The compiled input schema of a tool.

use std::sync::OnceLock;

use serde_json::Value;

use crate::arguments::{Defaults, Wanted};
use crate::schema::{Known, Validator, all_known, ignored};
use crate::{JsonRef, ToolDefinition};

/// A compiled input schema. Tools of views share it.
pub(super) struct CompiledSchema {
    /// Members of a schema that ignores all others.
    all_known: Option<Known>,
    /// Compiled at the first call if the schema is derived from a type, which always yields valid schemas.
    checks: OnceLock<Result<Checks, String>>,
}

/// Compiled constraints on arguments.
pub(super) struct Checks {
    pub(super) validator: Validator,
    pub(super) defaults: Option<Defaults>,
    pub(super) wanted: Wanted,
}

impl CompiledSchema {
    pub(super) fn new(schema: &Value) -> Self {
        Self {
            all_known: all_known(schema),
            checks: OnceLock::new(),
        }
    }

    /// Returns warnings about members that the schema accepts and does not define.
    pub(super) fn ignored(&self, arguments: JsonRef<'_>) -> Vec<String> {
        let known = self.all_known.as_ref();
        known.map_or_else(Vec::new, |known| ignored(arguments, known))
    }

    #[inline]
    pub(super) fn checks(&self, definition: &ToolDefinition) -> Result<&Checks, &str> {
        let compiled = self.checks.get_or_init(|| Checks::compile(definition));
        compiled.as_ref().map_err(String::as_str)
    }
}

impl Checks {
    fn compile(definition: &ToolDefinition) -> Result<Self, String> {
        let schema = definition.accepted_schema();
        let validator = Validator::compile(schema)?;
        let (defaults, misfits) = Defaults::compile(schema, &validator);
        for misfit in misfits {
            let (path, reason) = (misfit.path, misfit.reason);
            let tool = definition.name();
            tracing::warn!(
                tool,
                path,
                reason,
                "ignoring a default that does not match its schema"
            );
        }
        Ok(Self {
            validator,
            defaults,
            wanted: Wanted::by(schema),
        })
    }
}

/// Returns `true` if the schema is derived from a type and has no handwritten pattern.
pub(super) fn is_trusted(definition: &ToolDefinition) -> bool {
    definition.has_derived_schema() && !has_pattern(definition.input_schema())
}

fn has_pattern(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members
            .iter()
            .any(|(key, value)| key.starts_with("pattern") || has_pattern(value)),
        Value::Array(items) => items.iter().any(has_pattern),
        _ => false,
    }
}

/// Checks that the schema accepts objects, because providers send nothing else.
pub(super) fn check_root(schema: &Value) -> Result<(), String> {
    match schema {
        Value::Object(members) => match members.get("type") {
            None => Ok(()),
            Some(Value::String(name)) if name == "object" => Ok(()),
            Some(other) => Err(format!(
                "arguments are objects, but the schema has the type {other}"
            )),
        },
        Value::Bool(true) => Ok(()),
        other => Err(format!("the schema must be an object, not {other}")),
    }
}
