//! One registered tool, with everything that can be decided before a call.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::RegisterError;
use crate::approval::canonical_json;
use crate::arguments::has_defaults;
use crate::audit::digest;
use crate::schema::{Validator, all_known, ignored};
use crate::{Arguments, Fault, Node, Tool, ToolDefinition, ToolName};

/// One registered tool, with everything that can be decided before a call.
pub(crate) struct Entry {
    name: ToolName,
    tool: Arc<dyn Tool>,
    has_defaults: bool,
    /// The parameters, where the schema ignores all others.
    all_known: Option<Vec<String>>,
    validator: Validator,
    digest: OnceLock<Option<String>>,
}

impl Entry {
    pub(crate) fn new(tool: Arc<dyn Tool>) -> Result<Self, RegisterError> {
        let definition = tool.definition();
        let name = ToolName::parse(definition.name())?;
        let invalid = |reason| RegisterError::InvalidSchema {
            name: name.clone(),
            reason,
        };
        check_root(definition.input_schema()).map_err(&invalid)?;
        let entry = Self {
            has_defaults: has_defaults(definition.input_schema()),
            all_known: all_known(definition.input_schema()),
            validator: Validator::compile(definition.input_schema()).map_err(&invalid)?,
            name,
            tool,
            digest: OnceLock::new(),
        };
        entry.check_examples()?;
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

    /// The digest of the definition, made when it is first asked for.
    pub(crate) fn digest(&self) -> Option<String> {
        let described = || canonical_json(&self.definition().to_value());
        let digest = self.digest.get_or_init(|| digest(described().as_bytes()));
        digest.clone()
    }

    pub(crate) fn definition(&self) -> &ToolDefinition {
        self.tool.definition()
    }

    /// Fills in the schema's defaults at any depth.
    pub(crate) fn fill_defaults<'e>(&'e self, arguments: &mut Arguments<'e>) {
        if self.has_defaults {
            arguments.fill_defaults(self.definition().input_schema());
        }
    }

    /// What is said about members that the schema does not know and takes.
    pub(crate) fn ignored(&self, arguments: Node<'_>) -> Vec<String> {
        let known = self.all_known.as_deref();
        known.map_or_else(Vec::new, |known| ignored(arguments, known))
    }

    pub(crate) fn is_valid(&self, arguments: Node<'_>) -> bool {
        self.validator.is_valid(arguments)
    }

    pub(crate) fn faults(&self, arguments: Node<'_>) -> Vec<Fault> {
        self.validator
            .faults(arguments, self.definition().input_schema())
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
