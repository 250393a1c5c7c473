//! One registered tool, with everything that can be decided before a call.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::RegisterError;
use crate::arguments::has_defaults;
use crate::schema::{Validator, all_known, ignored};
use crate::{Arguments, ErrorCode, Fault, Node, Tool, ToolDefinition, ToolError, ToolName};

/// One registered tool, with everything that can be decided before a call.
pub(crate) struct Entry {
    name: ToolName,
    tool: Arc<dyn Tool>,
    schema: Arc<CompiledSchema>,
}

/// What follows from an input schema. Tools under several names share it.
struct CompiledSchema {
    has_defaults: bool,
    /// The parameters, where the schema ignores all others.
    all_known: Option<Vec<String>>,
    /// Made at the first call where the schema comes from a type, which is known to give good ones.
    validator: OnceLock<Result<Validator, String>>,
}

impl Entry {
    pub(super) fn new(tool: Arc<dyn Tool>) -> Result<Self, RegisterError> {
        let definition = tool.definition();
        let name = ToolName::parse(definition.name())?;
        check_root(definition.input_schema())
            .map_err(|reason| RegisterError::schema(&name, reason))?;
        let schema = Arc::new(CompiledSchema::new(definition.input_schema()));
        let entry = Self { name, tool, schema };
        if !is_trusted(entry.definition()) {
            entry
                .validator()
                .map_err(|reason| RegisterError::schema(&entry.name, reason.to_owned()))?;
        }
        entry.check_examples()?;
        Ok(entry)
    }

    /// The same in place of `known`, whose compiled schema is taken over where the schemas are equal.
    pub(super) fn in_place_of(
        known: Option<&Self>,
        tool: Arc<dyn Tool>,
    ) -> Result<Self, RegisterError> {
        match known {
            Some(known)
                if known.definition().input_schema() == tool.definition().input_schema() =>
            {
                known.with_face(tool)
            }
            _ => Self::new(tool),
        }
    }

    /// The same tool under another face, whose input schema must be the same.
    pub(super) fn with_face(&self, tool: Arc<dyn Tool>) -> Result<Self, RegisterError> {
        let entry = Self {
            name: ToolName::parse(tool.definition().name())?,
            tool,
            schema: Arc::clone(&self.schema),
        };
        if entry.definition().examples() != self.definition().examples() {
            entry.check_examples()?;
        }
        Ok(entry)
    }

    fn check_examples(&self) -> Result<(), RegisterError> {
        for (index, example) in self.definition().examples().iter().enumerate() {
            let mut filled = Arguments::from_value(example.clone());
            self.fill_defaults(&mut filled);
            if let Some(fault) = self.faults(filled.root()).first() {
                let reason = fault.to_string();
                return Err(RegisterError::InvalidExample {
                    name: self.name.clone(),
                    index,
                    reason,
                });
            }
        }
        Ok(())
    }

    pub(crate) fn name(&self) -> &ToolName {
        &self.name
    }

    pub(crate) fn tool(&self) -> &Arc<dyn Tool> {
        &self.tool
    }

    pub(crate) fn definition(&self) -> &ToolDefinition {
        self.tool.definition()
    }

    /// Fills in the schema's defaults at any depth.
    pub(crate) fn fill_defaults<'e>(&'e self, arguments: &mut Arguments<'e>) {
        if self.schema.has_defaults {
            arguments.fill_defaults(self.definition().input_schema());
        }
    }

    /// What is said about members that the schema does not know and takes.
    pub(crate) fn ignored(&self, arguments: Node<'_>) -> Vec<String> {
        let known = self.schema.all_known.as_deref();
        known.map_or_else(Vec::new, |known| ignored(arguments, known))
    }

    pub(crate) fn is_valid(&self, arguments: Node<'_>) -> bool {
        self.validator()
            .is_ok_and(|validator| validator.is_valid(arguments))
    }

    pub(crate) fn faults(&self, arguments: Node<'_>) -> Vec<Fault> {
        self.validator().map_or_else(
            |_| Vec::new(),
            |validator| validator.faults(arguments, self.definition().input_schema()),
        )
    }

    /// Says so when the tool's schema turns out to be none.
    pub(crate) fn check_schema(&self) -> Result<(), ToolError> {
        self.validator().map(|_| ()).map_err(|reason| {
            let message = format!(
                "The tool `{}` cannot be called: its schema cannot be used",
                self.name
            );
            ToolError::new(ErrorCode::InvalidSchema, message)
                .suggest("Use another tool.")
                .caused_by(reason.to_owned())
        })
    }

    fn validator(&self) -> Result<&Validator, &str> {
        let compile = || Validator::compile(self.definition().input_schema());
        let compiled = self.schema.validator.get_or_init(compile);
        compiled.as_ref().map_err(String::as_str)
    }
}

impl CompiledSchema {
    fn new(schema: &Value) -> Self {
        Self {
            has_defaults: has_defaults(schema),
            all_known: all_known(schema),
            validator: OnceLock::new(),
        }
    }
}

/// Whether the schema comes from a type and has no pattern, which is a text that somebody wrote by hand.
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

/// Every provider sends an object, so a schema must take one.
fn check_root(schema: &Value) -> Result<(), String> {
    match schema {
        Value::Object(members) => match members.get("type") {
            None => Ok(()),
            Some(Value::String(name)) if name == "object" => Ok(()),
            Some(other) => Err(format!(
                "arguments are objects, but the schema's type is {other}"
            )),
        },
        Value::Bool(true) => Ok(()),
        other => Err(format!("a schema is an object, not {other}")),
    }
}
