//! What a model and a host are told about a tool.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::{Concurrency, Hints, OutputLimit, RiskLevel};

/// What a model and a host are told about a tool. Cloning is cheap.
///
/// The name is checked when the tool is registered, so that a foreign definition can be held and reported.
///
/// # Examples
/// ```
/// use tool_core::schema::Schema;
/// use tool_core::{RiskLevel, ToolDefinition};
///
/// let schema = Schema::object().required("path", Schema::string().describe("Path of the file."));
/// let definition = ToolDefinition::new("read_file", "Reads a text file.", schema)
///     .with_risk(RiskLevel::ReadOnly)
///     .with_alias("file_path", "path");
/// assert_eq!(definition.name(), "read_file");
/// assert!(definition.hints().read_only);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition(Arc<Inner>);

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    name: Box<str>,
    title: Option<String>,
    description: String,
    input_schema: Value,
    output_schema: Option<Value>,
    risk: RiskLevel,
    hints: Option<Hints>,
    concurrency: Option<Concurrency>,
    timeout: Option<Duration>,
    output_limit: Option<OutputLimit>,
    idle_timeout: Option<Duration>,
    max_parallel: Option<NonZeroUsize>,
    aliases: Vec<(String, String)>,
    examples: Vec<Value>,
    source: Option<Box<str>>,
    schema_origin: SchemaOrigin,
}

/// Whether the input schema was derived from a type. Makes no difference between definitions.
#[derive(Debug, Clone, Copy)]
enum SchemaOrigin {
    Given,
    #[cfg(feature = "typed")]
    Derived,
}

impl PartialEq for SchemaOrigin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl ToolDefinition {
    /// Creates a definition. The schema is a [`Schema`](crate::schema::Schema) or a [`Value`] that is one; the risk is [`RiskLevel::SafeWrite`] until said otherwise.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        input_schema: impl Into<Value>,
    ) -> Self {
        Self(Arc::new(Inner {
            name: name.into().into(),
            title: None,
            description: description.into(),
            input_schema: input_schema.into(),
            output_schema: None,
            risk: RiskLevel::SafeWrite,
            hints: None,
            concurrency: None,
            timeout: None,
            output_limit: None,
            idle_timeout: None,
            max_parallel: None,
            aliases: Vec::new(),
            examples: Vec::new(),
            source: None,
            schema_origin: SchemaOrigin::Given,
        }))
    }

    fn edit(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// Gives another name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        self.edit(|inner| inner.name = name.into().into())
    }

    /// Gives a name for people.
    #[must_use]
    pub fn with_title(self, title: impl Into<String>) -> Self {
        self.edit(|inner| inner.title = Some(title.into()))
    }

    /// Gives another description.
    #[must_use]
    pub fn with_description(self, description: impl Into<String>) -> Self {
        self.edit(|inner| inner.description = description.into())
    }

    /// Gives another input schema.
    #[must_use]
    pub fn with_input_schema(self, schema: impl Into<Value>) -> Self {
        self.edit(|inner| {
            inner.input_schema = schema.into();
            inner.schema_origin = SchemaOrigin::Given;
        })
    }

    /// Says that the input schema was derived from a type, and so can be compiled.
    #[cfg(feature = "typed")]
    pub(crate) fn with_derived_schema(self) -> Self {
        self.edit(|inner| inner.schema_origin = SchemaOrigin::Derived)
    }

    pub(crate) fn has_derived_schema(&self) -> bool {
        !matches!(self.0.schema_origin, SchemaOrigin::Given)
    }

    /// Says what the data of a result looks like.
    #[must_use]
    pub fn with_output_schema(self, schema: impl Into<Value>) -> Self {
        self.edit(|inner| inner.output_schema = Some(schema.into()))
    }

    /// Sets the risk, from which hints and concurrency follow unless they are set.
    #[must_use]
    pub fn with_risk(self, risk: RiskLevel) -> Self {
        self.edit(|inner| inner.risk = risk)
    }

    /// Sets the hints.
    #[must_use]
    pub fn with_hints(self, hints: Hints) -> Self {
        self.edit(|inner| inner.hints = Some(hints))
    }

    /// Says which calls may run beside each other.
    #[must_use]
    pub fn with_concurrency(self, concurrency: Concurrency) -> Self {
        self.edit(|inner| inner.concurrency = Some(concurrency))
    }

    /// Sets how long a call may run, in place of the registry's own limit.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        self.edit(|inner| inner.timeout = Some(timeout))
    }

    /// Sets how much of an output the model is shown, in place of the registry's limit.
    #[must_use]
    pub fn with_output_limit(self, limit: OutputLimit) -> Self {
        self.edit(|inner| inner.output_limit = Some(limit))
    }

    /// Sets how long a call may say nothing, in place of the registry's own limit; `Duration::MAX` means for ever.
    ///
    /// Progress and partial output start it again. The timeout of the whole call holds all the same.
    #[must_use]
    pub fn with_idle_timeout(self, timeout: Duration) -> Self {
        self.edit(|inner| inner.idle_timeout = Some(timeout))
    }

    /// Sets how many calls of this tool may run side by side, besides the registry's bound; never less than one.
    /// The others wait in line. An exclusive tool runs alone in any case.
    #[must_use]
    pub fn with_max_parallel(self, calls: usize) -> Self {
        let calls = NonZeroUsize::new(calls).unwrap_or(NonZeroUsize::MIN);
        self.edit(|inner| inner.max_parallel = Some(calls))
    }

    /// Accepts `alias` where the model means `parameter`; an alias is never shown.
    #[must_use]
    pub fn with_alias(self, alias: impl Into<String>, parameter: impl Into<String>) -> Self {
        self.edit(|inner| inner.aliases.push((alias.into(), parameter.into())))
    }

    #[cfg(feature = "typed")]
    pub(crate) fn with_aliases(self, aliases: Vec<(String, String)>) -> Self {
        self.edit(|inner| inner.aliases = aliases)
    }

    #[cfg(feature = "typed")]
    pub(crate) fn with_examples(self, examples: Vec<Value>) -> Self {
        self.edit(|inner| inner.examples = examples)
    }

    /// Adds arguments that show how the tool is meant to be called.
    #[must_use]
    pub fn with_example(self, arguments: Value) -> Self {
        self.edit(|inner| inner.examples.push(arguments))
    }

    /// Says where the tool comes from, as a phrase such as "the MCP server `files`". Only people read it: when two
    /// tools have one name they are told where both come from.
    #[must_use]
    pub fn with_source(self, source: impl Into<String>) -> Self {
        self.edit(|inner| inner.source = Some(source.into().into()))
    }

    /// The name that the model uses.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The name for people, where there is one.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.0.title.as_deref()
    }

    /// What the tool does, for the model.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.0.description
    }

    /// The JSON Schema of the arguments.
    #[must_use]
    pub fn input_schema(&self) -> &Value {
        &self.0.input_schema
    }

    /// The JSON Schema of the result's data, where there is one.
    #[must_use]
    pub fn output_schema(&self) -> Option<&Value> {
        self.0.output_schema.as_ref()
    }

    /// The risk of a call, unless the tool says otherwise for its arguments.
    #[must_use]
    pub fn risk(&self) -> RiskLevel {
        self.0.risk
    }

    /// What a host may assume.
    #[must_use]
    pub fn hints(&self) -> Hints {
        self.0.hints.unwrap_or_else(|| Hints::of(self.0.risk))
    }

    /// Which calls may run beside each other.
    #[must_use]
    pub fn concurrency(&self) -> Concurrency {
        self.0
            .concurrency
            .unwrap_or_else(|| Concurrency::of(self.0.risk))
    }

    /// How long a call may run, where the tool has a limit of its own.
    #[must_use]
    pub fn timeout(&self) -> Option<Duration> {
        self.0.timeout
    }

    /// How much of an output the model is shown, if the tool has a limit of its own.
    #[must_use]
    pub fn output_limit(&self) -> Option<OutputLimit> {
        self.0.output_limit
    }

    /// The same, lent.
    pub(crate) fn own_output_limit(&self) -> Option<&OutputLimit> {
        self.0.output_limit.as_ref()
    }

    /// How long a call may say nothing, where the tool has a limit of its own.
    #[must_use]
    pub fn idle_timeout(&self) -> Option<Duration> {
        self.0.idle_timeout
    }

    /// How many calls may run side by side, where the tool has a bound of its own.
    #[must_use]
    pub fn max_parallel(&self) -> Option<usize> {
        self.0.max_parallel.map(NonZeroUsize::get)
    }

    /// Names that are accepted and not shown, each with the parameter it stands for.
    #[must_use]
    pub fn aliases(&self) -> &[(String, String)] {
        &self.0.aliases
    }

    /// Arguments that show how the tool is meant to be called.
    #[must_use]
    pub fn examples(&self) -> &[Value] {
        &self.0.examples
    }

    /// Origin of the tool, if it is not the application. A toolset sets it for its tools.
    #[must_use]
    pub fn source(&self) -> Option<&str> {
        self.0.source.as_deref()
    }

    /// The definition as JSON: `{name, title?, description, input_schema, output_schema?, risk, hints}`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut members = Map::new();
        members.insert("name".into(), self.name().into());
        if let Some(title) = self.title() {
            members.insert("title".into(), title.into());
        }
        members.insert("description".into(), self.description().into());
        members.insert("input_schema".into(), self.input_schema().clone());
        if let Some(schema) = self.output_schema() {
            members.insert("output_schema".into(), schema.clone());
        }
        members.insert("risk".into(), self.risk().as_str().into());
        members.insert("hints".into(), json!(self.hints()));
        Value::Object(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_and_concurrency_follow_the_risk_until_they_are_set() {
        let reading = ToolDefinition::new("a", "A", json!({})).with_risk(RiskLevel::ReadOnly);
        let writing = reading.clone().with_risk(RiskLevel::Dangerous);

        assert_eq!(reading.concurrency(), Concurrency::Parallel);
        assert_eq!(writing.concurrency(), Concurrency::Exclusive);
        assert!(writing.hints().destructive);
        assert_eq!(
            writing.with_concurrency(Concurrency::PerKey).concurrency(),
            Concurrency::PerKey
        );
    }

    #[test]
    fn editing_a_clone_leaves_the_first_as_it_was() {
        let first = ToolDefinition::new("a", "A", json!({}));
        let second = first.clone().with_name("b");

        assert_eq!((first.name(), second.name()), ("a", "b"));
    }
}
