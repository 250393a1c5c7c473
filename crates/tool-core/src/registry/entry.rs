//! One registered tool, with everything that can be decided before a call.

use std::sync::Arc;

use serde_json::Value;

use super::RegisterError;
use crate::arguments::Defaults;
use crate::dispatch::Places;
use crate::schema::{Validator, all_known, check_required, ignored};
use crate::{Arguments, Fault, Node, ShortText, Tool, ToolDefinition, ToolError, ToolName};

/// One registered tool, with everything that can be decided before a call.
pub(crate) struct Entry {
    name: ToolName,
    label: ShortText,
    tool: Arc<dyn Tool>,
    defaults: Option<Defaults>,
    /// The parameters, where the schema ignores all others.
    all_known: Option<Vec<String>>,
    validator: Validator,
    /// Places of its own, where the tool has a bound of its own.
    places: Option<Places>,
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
        let validator = Validator::compile(definition.input_schema()).map_err(&invalid)?;
        let (defaults, misfits) = Defaults::compile(definition.input_schema(), &validator);
        for misfit in misfits {
            tracing::warn!(tool = %name, path = misfit.path, reason = misfit.reason, "a default does not fit its schema and is ignored");
        }
        check_required(definition.input_schema()).map_err(&invalid)?;
        let entry = Self {
            defaults,
            all_known: all_known(definition.input_schema()),
            validator,
            label: name.as_str().into(),
            places: definition.max_parallel().map(Places::new),
            name,
            tool,
        };
        entry.check_examples()?;
        Ok(entry)
    }

    fn check_examples(&self) -> Result<(), RegisterError> {
        for (index, example) in self.definition().examples().iter().enumerate() {
            let mut filled = Arguments::from_value(example.clone());
            let refused = match self.fill_defaults(&mut filled) {
                Ok(()) => self.faults(filled.root()).first().map(Fault::to_string),
                Err(error) => Some(error.message().to_owned()),
            };
            if let Some(reason) = refused {
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

    /// The name, as calls carry it.
    pub(crate) fn label(&self) -> &ShortText {
        &self.label
    }

    pub(crate) fn tool(&self) -> &Arc<dyn Tool> {
        &self.tool
    }

    pub(crate) fn definition(&self) -> &ToolDefinition {
        self.tool.definition()
    }

    pub(crate) fn places(&self) -> Option<&Places> {
        self.places.as_ref()
    }

    /// Fills in the schema's defaults at any depth.
    ///
    /// # Errors
    /// [`ErrorCode::ArgumentsTooLarge`](crate::ErrorCode::ArgumentsTooLarge) where that is too much for one call.
    pub(crate) fn fill_defaults<'e>(
        &'e self,
        arguments: &mut Arguments<'e>,
    ) -> Result<(), ToolError> {
        match &self.defaults {
            Some(defaults) => arguments.fill_defaults(defaults),
            None => Ok(()),
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
                "arguments are objects, but the schema's type is {other}; take a struct with named fields"
            )),
        },
        Value::Bool(true) => Ok(()),
        other => Err(format!("a schema is an object, not {other}")),
    }
}
