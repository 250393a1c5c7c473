//! One registered tool, with everything that can be decided before a call.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::behind::Behind;
use super::error::RegisterError;
use crate::approval::canonical_json;
use crate::arguments::{Defaults, Wanted};
use crate::audit::digest;
use crate::json::Tape;
use crate::json::parse::ParseLimits;
use crate::places::Places;
use crate::schema::{Fit, Known, Validator, all_known, check_required, ignored};
use crate::{
    Arguments, Change, ErrorCode, Fault, Node, ShortText, Tool, ToolDefinition, ToolError, ToolName,
};

/// One registered tool, with everything that can be decided before a call.
pub(crate) struct Entry {
    name: ToolName,
    label: ShortText,
    tool: Arc<dyn Tool>,
    /// The tool's own, which is always the same value.
    definition: ToolDefinition,
    schema: Arc<CompiledSchema>,
    /// Places of its own, where the tool has a bound of its own.
    places: Option<Arc<Places>>,
    digest: OnceLock<Option<String>>,
    /// For a face that a view shows.
    behind: Option<Box<Behind>>,
}

/// What follows from an input schema. Tools under several names share it.
struct CompiledSchema {
    /// What the schema knows, where it ignores anything else.
    all_known: Option<Known>,
    /// Made at the first call where the schema comes from a type, which is known to give good ones.
    checks: OnceLock<Result<Checks, String>>,
}

/// What arguments are held against.
struct Checks {
    validator: Validator,
    defaults: Option<Defaults>,
    wanted: Wanted,
}

impl Entry {
    pub(crate) fn new(tool: Arc<dyn Tool>) -> Result<Self, RegisterError> {
        let definition = tool.definition();
        let name = ToolName::parse(definition.name())?;
        check_root(definition.input_schema())
            .map_err(|reason| RegisterError::schema(&name, reason))?;
        let schema = Arc::new(CompiledSchema::new(definition.input_schema()));
        let entry = Self::of_parts(name, tool, schema);
        if !is_trusted(entry.definition()) {
            check_required(entry.definition().input_schema())
                .map_err(|reason| RegisterError::schema(&entry.name, reason))?;
            entry
                .checks()
                .map_err(|reason| RegisterError::schema(&entry.name, reason.to_owned()))?;
        }
        entry.check_examples()?;
        Ok(entry)
    }

    fn of_parts(name: ToolName, tool: Arc<dyn Tool>, schema: Arc<CompiledSchema>) -> Self {
        Self {
            label: name.as_str().into(),
            definition: tool.definition().clone(),
            places: tool
                .definition()
                .max_parallel()
                .map(|bound| Arc::new(Places::new(bound))),
            name,
            tool,
            schema,
            digest: OnceLock::new(),
            behind: None,
        }
    }

    /// The same in place of `known`, whose compiled schema is taken over where the schemas are equal.
    pub(crate) fn in_place_of(
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
    pub(crate) fn with_face(&self, tool: Arc<dyn Tool>) -> Result<Self, RegisterError> {
        let name = ToolName::parse(tool.definition().name())?;
        let mut entry = Self::of_parts(name, tool, Arc::clone(&self.schema));
        if entry.definition().max_parallel() == self.definition().max_parallel() {
            entry.places.clone_from(&self.places);
        }
        if entry.definition().examples() != self.definition().examples() {
            entry.check_examples()?;
        }
        Ok(entry)
    }

    /// The same as another face of `other`, whose bound on calls side by side holds for both together.
    #[cfg(feature = "typed")]
    pub(crate) fn beside(mut self, other: &Self) -> Self {
        self.places.clone_from(&other.places);
        self
    }

    /// The same as a face of what is behind it: what the host says of that holds for this too.
    #[cfg(feature = "typed")]
    pub(crate) fn in_front_of(mut self, behind: Behind) -> Self {
        self.behind = Some(Box::new(behind));
        self
    }

    fn check_examples(&self) -> Result<(), RegisterError> {
        for (index, example) in self.definition().examples().iter().enumerate() {
            let mut filled = Arguments::from_value(example.clone());
            let misfit = |reason| RegisterError::InvalidExample {
                name: self.name.clone(),
                index,
                reason,
            };
            self.fill_defaults(&mut filled)
                .map_err(|error| misfit(error.to_string()))?;
            if let Some(fault) = self.faults(filled.root()).first() {
                return Err(misfit(fault.to_string()));
            }
        }
        Ok(())
    }

    pub(crate) fn name(&self) -> &ToolName {
        &self.name
    }

    /// The name under which the tool is registered, for one that a view shows.
    pub(crate) fn registered_as(&self) -> Option<&Arc<str>> {
        self.behind.as_deref().map(Behind::registered_as)
    }

    /// For one that a view shows: the names below it, nearest first, each with the arguments as they are there.
    pub(crate) fn below(&self, arguments: &Arguments<'_>) -> Vec<(&ToolName, Value)> {
        let mut below = Vec::new();
        let mut front = self;
        while let Some(behind) = &front.behind {
            if !behind.is_called_as(front) {
                let shown = below.last().map(|(_, shown): &(_, Value)| shown.clone());
                let own = behind.arguments(shown.unwrap_or_else(|| arguments.to_value()));
                below.push((behind.entry().name(), own));
            }
            front = behind.entry();
        }
        below
    }

    /// The name, as calls carry it.
    pub(crate) fn label(&self) -> &ShortText {
        &self.label
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

    /// Whether the tool looks at its arguments before it runs.
    pub(crate) fn has_checks(&self) -> bool {
        self.tool.has_checks()
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
    /// [`ErrorCode::ArgumentsTooLarge`] where that is too much for one call.
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

    /// Makes values fit their types where nothing is lost, and adds to `changes` which.
    pub(crate) fn coerce(&self, arguments: &mut Arguments<'_>, changes: &mut Vec<Change>) {
        let checks = self.checks();
        if checks.is_ok_and(|checks| arguments.may_coerce(checks.wanted)) {
            arguments.coerce(self.definition().input_schema(), changes);
        }
    }

    /// Reads arguments that surely are as the schema wants them, in one go, into an empty tape; false where that is not
    /// sure.
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

    /// What is said about members that the schema does not know and takes.
    pub(crate) fn ignored(&self, arguments: Node<'_>) -> Vec<String> {
        let known = self.schema.all_known.as_ref();
        known.map_or_else(Vec::new, |known| ignored(arguments, known))
    }

    /// How the arguments fit the schema.
    #[inline]
    pub(crate) fn fit(&self, arguments: Node<'_>) -> Fit {
        self.checks()
            .map_or(Fit::Not, |checks| checks.validator.fit(arguments))
    }

    pub(crate) fn faults(&self, arguments: Node<'_>) -> Vec<Fault> {
        self.checks().map_or_else(
            |_| Vec::new(),
            |checks| {
                let schema = self.definition().input_schema();
                checks.validator.faults(arguments, schema)
            },
        )
    }

    /// Says so when the tool's schema turns out to be none.
    #[inline]
    pub(crate) fn check_schema(&self) -> Result<(), ToolError> {
        self.checks().map(|_| ()).map_err(|reason| {
            let message = format!(
                "The tool `{}` cannot be called: its schema cannot be used",
                self.name
            );
            ToolError::new(ErrorCode::InvalidSchema, message)
                .suggest("Use another tool.")
                .caused_by(reason.to_owned())
        })
    }

    #[inline]
    fn checks(&self) -> Result<&Checks, &str> {
        let compile = || Checks::compile(&self.name, self.definition().input_schema());
        let compiled = self.schema.checks.get_or_init(compile);
        compiled.as_ref().map_err(String::as_str)
    }
}

impl Checks {
    fn compile(name: &ToolName, schema: &Value) -> Result<Self, String> {
        let validator = Validator::compile(schema)?;
        let (defaults, misfits) = Defaults::compile(schema, &validator);
        for misfit in misfits {
            let (path, reason) = (misfit.path, misfit.reason);
            tracing::warn!(tool = %name, path, reason, "a default does not fit its schema and is ignored");
        }
        Ok(Self {
            validator,
            defaults,
            wanted: Wanted::by(schema),
        })
    }
}

impl CompiledSchema {
    fn new(schema: &Value) -> Self {
        Self {
            all_known: all_known(schema),
            checks: OnceLock::new(),
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
