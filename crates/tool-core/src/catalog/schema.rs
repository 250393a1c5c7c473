//! The compiled input schema of a tool.

use std::sync::OnceLock;

use serde_json::Value;

use crate::arguments::{Defaults, TargetTypes};
use crate::schema::{Known, Validator, all_known, first_constraint, ignored};
use crate::{JsonRef, ToolDefinition, ValidationIssue};

/// A compiled input schema. A tool that replaces another one with an equal schema shares it.
#[derive(Default)]
pub(super) struct CompiledSchema {
    /// Members of a schema that ignores all others, found when arguments have members to check.
    all_known: OnceLock<Option<Known>>,
    /// Compiled at the first call if the schema is derived from a type, which always yields valid schemas.
    checks: OnceLock<Result<Checks, String>>,
}

/// Compiled constraints on arguments.
pub(super) struct Checks {
    pub(super) validator: Validator,
    pub(super) defaults: Option<Defaults>,
    pub(super) targets: TargetTypes,
    /// `None` if the shown schema is validated.
    validated: Option<Value>,
}

impl CompiledSchema {
    /// Returns warnings about members that the schema accepts and does not define.
    pub(super) fn ignored(
        &self,
        arguments: JsonRef<'_>,
        definition: &ToolDefinition,
    ) -> Vec<String> {
        let all_known = || all_known(definition.accepted_schema());
        let known = self.all_known.get_or_init(all_known).as_ref();
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
        let validated = definition.validated_schema();
        let schema = validated.as_ref().unwrap_or(definition.accepted_schema());
        let validator = Validator::compile(schema)?;
        let (defaults, invalid_defaults) = Defaults::of(schema, &validator);
        for invalid in invalid_defaults {
            let (path, reason) = (invalid.path, invalid.reason);
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
            targets: TargetTypes::by(schema),
            validated,
        })
    }

    pub(super) fn issues(
        &self,
        arguments: JsonRef<'_>,
        definition: &ToolDefinition,
    ) -> Vec<ValidationIssue> {
        let validated = self.validated.as_ref();
        let schema = validated.unwrap_or(definition.accepted_schema());
        self.validator.issues(arguments, schema)
    }
}

/// Returns the pointer of a constraint of an untyped tool if no validator checks it. Typed tools rely on serde.
pub(super) fn unchecked(definition: &ToolDefinition, has_validator: bool) -> Option<String> {
    if has_validator || definition.has_derived_schema() {
        return None;
    }
    first_constraint(definition.input_schema())
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn constraints_of_untyped_tool_require_validator() {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        let untyped = ToolDefinition::new("double", "Doubles.", schema);
        let open = ToolDefinition::new("ping", "Returns pong.", json!({"type": "object"}));

        assert_eq!(
            unchecked(&untyped, false).as_deref(),
            Some("/properties/n/type")
        );
        assert_eq!(unchecked(&untyped, true), None);
        assert_eq!(unchecked(&open, false), None);
        assert_eq!(unchecked(&untyped.with_derived_schema(), false), None);
    }
}
