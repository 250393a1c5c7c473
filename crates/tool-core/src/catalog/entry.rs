//! A registered tool with everything that can be decided before a call.

use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tool_json::{ParseLimits, Tape};

use super::error::RegisterError;
use crate::approval::{canonical_json, sha256};
use crate::arguments::defaults::Defaults;
use crate::places::Places;
use crate::schema::{Fit, Validator, ignored};
use crate::telemetry::is_mcp;
use crate::{
    ArgumentChange, Arguments, ErrorCode, JsonRef, SmolStr, Tool, ToolDefinition, ToolError,
    ToolName, ValidationIssue,
};

/// A registered tool with everything that can be decided before a call.
pub(crate) struct Entry {
    name: ToolName,
    label: SmolStr,
    tool: Arc<dyn Tool>,
    /// Copy of the tool's own definition.
    definition: ToolDefinition,
    /// Compiled at the first call if the schema is derived from a type, which always yields valid schemas.
    checks: OnceLock<Result<Checks, String>>,
    /// Whether the tool calls an MCP server.
    is_mcp: bool,
    /// Places of a tool with its own bound on concurrent calls.
    places: Option<Arc<Places>>,
    digest: OnceLock<String>,
}

impl Entry {
    /// Compiles a tool.
    pub(crate) fn new(tool: Arc<dyn Tool>) -> Result<Self, RegisterError> {
        let definition = tool.definition().clone();
        let name = ToolName::parse(definition.name())?;
        check_root(definition.input_schema())
            .map_err(|reason| RegisterError::schema(&name, reason))?;
        let entry = Self {
            label: name.as_str().into(),
            places: definition
                .max_parallel()
                .map(|bound| Arc::new(Places::new(bound))),
            is_mcp: definition.source().is_some_and(is_mcp),
            name,
            definition,
            tool,
            checks: OnceLock::new(),
            digest: OnceLock::new(),
        };
        // A schema from a type compiles, so its validator can wait for the first call. Any other must fail at
        // registration.
        if !is_trusted(entry.definition()) {
            entry
                .checks()
                .map_err(|reason| RegisterError::schema(&entry.name, reason.to_owned()))?;
        }
        entry.check_examples()?;
        Ok(entry)
    }

    /// Creates the successor of `known`.
    pub(crate) fn in_place_of(
        known: Option<&Self>,
        tool: Arc<dyn Tool>,
    ) -> Result<Self, RegisterError> {
        let mut entry = Self::new(tool)?;
        if let Some(known) = known
            && entry.definition().max_parallel() == known.definition().max_parallel()
        {
            // Calls of the replaced tool still run and count.
            entry.places.clone_from(&known.places);
        }
        Ok(entry)
    }

    /// Marks the entry as a tool of the source `name`.
    pub(crate) fn of_source(mut self, name: &str) -> Self {
        self.is_mcp |= is_mcp(name);
        self
    }

    fn check_examples(&self) -> Result<(), RegisterError> {
        for (index, example) in self.definition().examples().iter().enumerate() {
            // Filled like a call, because an example may omit what has a default.
            let mut filled = Arguments::from_value(example.clone());
            let invalid = |reason| RegisterError::InvalidExample {
                name: self.name.clone(),
                index,
                reason,
            };
            self.fill_defaults(&mut filled)
                .map_err(|error| invalid(error.to_string()))?;
            if let Some(issue) = self.issues(filled.root()).first() {
                return Err(invalid(issue.to_string()));
            }
        }
        Ok(())
    }

    pub(crate) fn name(&self) -> &ToolName {
        &self.name
    }

    /// Returns the name in the form that calls carry.
    pub(crate) fn label(&self) -> &SmolStr {
        &self.label
    }

    pub(crate) fn tool(&self) -> &Arc<dyn Tool> {
        &self.tool
    }

    /// Returns the digest of the definition, computed once.
    pub(crate) fn digest(&self) -> &str {
        let text = || canonical_json(&self.definition().to_value());
        self.digest.get_or_init(|| sha256(text().as_bytes()))
    }

    /// Returns `true` if the tool calls an MCP server.
    #[inline]
    pub(crate) fn is_mcp(&self) -> bool {
        self.is_mcp
    }

    #[inline]
    pub(crate) fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    pub(crate) fn places(&self) -> Option<&Places> {
        self.places.as_deref()
    }

    /// Fills in the schema's defaults at any depth.
    ///
    /// # Errors
    /// Returns [`ErrorCode::ArgumentsTooLarge`] if the result exceeds the limits of a call.
    #[inline]
    pub(crate) fn fill_defaults<'e>(
        &'e self,
        arguments: &mut Arguments<'e>,
    ) -> Result<(), ToolError> {
        match self.checks().map(|checks| &checks.defaults) {
            Ok(Some(defaults)) => arguments.fill_defaults(defaults),
            Ok(None) | Err(_) => Ok(()),
        }
    }

    /// Converts values to the types of the schema if nothing is lost.
    pub(crate) fn coerce(&self, arguments: &mut Arguments<'_>, changes: &mut Vec<ArgumentChange>) {
        arguments.coerce(self.definition().accepted_schema(), changes);
    }

    /// Parses and validates in one pass, into an empty tape. Returns `false` if the text may be invalid.
    #[inline]
    pub(crate) fn read<'t>(
        &'t self,
        text: &'t str,
        limits: &ParseLimits,
        tape: &mut Tape<'t>,
    ) -> bool {
        let checks = self.checks();
        checks.is_ok_and(|checks| checks.validator.read(text, limits, tape))
    }

    /// Returns warnings about members that the schema accepts and does not define.
    pub(crate) fn ignored(&self, arguments: JsonRef<'_>) -> Vec<String> {
        ignored(arguments, self.definition().accepted_schema())
    }

    #[inline]
    pub(crate) fn fit(&self, arguments: JsonRef<'_>) -> Fit {
        self.checks()
            .map_or(Fit::Not, |checks| checks.validator.fit(arguments))
    }

    pub(crate) fn issues(&self, arguments: JsonRef<'_>) -> Vec<ValidationIssue> {
        self.checks()
            .map(|checks| checks.issues(arguments, &self.definition))
            .unwrap_or_default()
    }

    /// Fails if the schema could not be compiled.
    #[inline]
    pub(crate) fn check_schema(&self) -> Result<(), ToolError> {
        self.checks().map(drop).map_err(|reason| {
            let message = format!("The tool `{}` has an unusable schema", self.name);
            ToolError::new(ErrorCode::InvalidSchema, message)
                .suggest("Use another tool.")
                .caused_by(reason.to_owned())
        })
    }

    #[inline]
    fn checks(&self) -> Result<&Checks, &str> {
        let compiled = self
            .checks
            .get_or_init(|| Checks::compile(&self.definition));
        compiled.as_ref().map_err(String::as_str)
    }
}

/// Compiled constraints on arguments.
struct Checks {
    validator: Validator,
    defaults: Option<Defaults>,
    /// `None` if the shown schema is validated.
    validated: Option<Value>,
}

impl Checks {
    fn compile(definition: &ToolDefinition) -> Result<Self, String> {
        let validated = definition.validated_schema();
        let schema = validated.as_ref().unwrap_or(definition.accepted_schema());
        let (validator, repaired) = Validator::compile_or_repair(schema)?;
        let schema = repaired.as_ref().unwrap_or(schema);
        let (defaults, invalid_defaults) = Defaults::of(schema, &validator);
        for invalid in invalid_defaults {
            let (pointer, reason) = (invalid.pointer, invalid.reason);
            let tool = definition.name();
            tracing::warn!(
                tool,
                pointer,
                reason,
                "ignoring a default that does not match its schema"
            );
        }
        Ok(Self {
            validator,
            defaults,
            validated: repaired.or(validated),
        })
    }

    fn issues(&self, arguments: JsonRef<'_>, definition: &ToolDefinition) -> Vec<ValidationIssue> {
        let validated = self.validated.as_ref();
        let schema = validated.unwrap_or(definition.accepted_schema());
        self.validator.issues(arguments, schema)
    }
}

/// Returns `true` if the schema is derived from a type and has no handwritten pattern.
fn is_trusted(definition: &ToolDefinition) -> bool {
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

/// What to do if a schema is not that of an object.
const OBJECT: &str = "pass the schema of an object; a tool without parameters has an empty struct, \
    or is a function without parameters";

/// Checks that the schema accepts objects, because providers send nothing else.
fn check_root(schema: &Value) -> Result<(), String> {
    match schema {
        Value::Object(members) => match members.get("type") {
            None => Ok(()),
            Some(Value::String(name)) if name == "object" => Ok(()),
            Some(other) => Err(format!(
                "arguments are objects, but the schema has the type {other}; {OBJECT}"
            )),
        },
        Value::Bool(true) => Ok(()),
        other => Err(format!(
            "the schema must be an object, not {other}; {OBJECT}"
        )),
    }
}
