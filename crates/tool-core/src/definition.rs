//! Definitions of tools, for the model and the host.

mod input_schema;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

#[cfg(feature = "validate")]
pub(crate) use self::input_schema::{JSON, MEDIA_TYPE};
use crate::{Hints, OutputLimit, RiskLevel};

/// The definition of a tool, for the model and the host. Cloning is cheap.
///
/// The registry checks the name on registration, so a definition can also represent an invalid
/// tool.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{RiskLevel, ToolDefinition};
///
/// let path = json!({"type": "string", "description": "Path of the file."});
/// let schema = json!({"type": "object", "properties": {"path": path}, "required": ["path"]});
/// let definition = ToolDefinition::new("read_file", "Reads a text file.", schema)
///     .with_risk(RiskLevel::ReadOnly)
///     .with_alias("file_path", "path");
/// assert_eq!(definition.name(), "read_file");
/// assert!(definition.hints().read_only);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct ToolDefinition(Arc<Inner>);

#[derive(Debug, Clone, Default, PartialEq)]
struct Inner {
    name: Box<str>,
    title: Option<String>,
    description: String,
    input_schema: Value,
    /// Schema of the accepted arguments with the formats of integer types, if it differs from the
    /// shown one.
    accepted_schema: Option<Value>,
    output_schema: Option<Value>,
    /// `None` until it is set.
    risk: Option<RiskLevel>,
    hints: Option<Hints>,
    timeout: Option<Duration>,
    output_limit: Option<OutputLimit>,
    idle_timeout: Option<Duration>,
    max_parallel: Option<NonZeroUsize>,
    is_interactive: bool,
    aliases: Vec<(String, String)>,
    examples: Vec<Value>,
    source: Option<Box<str>>,
    /// Name of the toolset that presents the tool. It is not a source, because its tools are the application's own.
    toolset: Option<Box<str>>,
    schema_origin: SchemaOrigin,
    loading: Loading,
}

/// When a model sees the definition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Loading {
    #[default]
    Always,
    /// After a search has found the tool.
    Deferred,
    /// Only if the provider has no search of its own: a tool that searches.
    Searching,
}

/// Whether the input schema was derived from a type. Ignored by comparisons.
#[derive(Debug, Clone, Copy, Default)]
enum SchemaOrigin {
    #[default]
    Given,
    Derived,
}

impl PartialEq for SchemaOrigin {
    // Definitions are equal if the model and the host see the same; where a schema came from does not count.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl ToolDefinition {
    /// Creates a definition. `input_schema` is a JSON Schema. The default risk is [`RiskLevel::SafeWrite`], or
    /// [`RiskLevel::Dangerous`] if the hints are destructive.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        input_schema: impl Into<Value>,
    ) -> Self {
        Self(Arc::new(Inner {
            name: name.into().into(),
            description: description.into(),
            input_schema: input_schema.into(),
            ..Inner::default()
        }))
    }

    fn edit(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// Replaces the name.
    pub(crate) fn with_name(self, name: impl Into<String>) -> Self {
        self.edit(|inner| inner.name = name.into().into())
    }

    /// Sets the display name.
    pub fn with_title(self, title: impl Into<String>) -> Self {
        self.edit(|inner| inner.title = Some(title.into()))
    }

    /// Replaces the description.
    pub fn with_description(self, description: impl Into<String>) -> Self {
        self.edit(|inner| inner.description = description.into())
    }

    /// Sets the schema of the output's data.
    pub fn with_output_schema(self, schema: impl Into<Value>) -> Self {
        self.edit(|inner| inner.output_schema = Some(schema.into()))
    }

    /// Sets the risk, which determines the hints unless they are set.
    pub fn with_risk(self, risk: RiskLevel) -> Self {
        self.edit(|inner| inner.risk = Some(risk))
    }

    /// Lowers or raises the risk on the host's word, for a foreign tool that the host reviewed.
    ///
    /// Replaces the hints by the defaults of the risk, except that an open-world tool stays one.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::{Hints, RiskLevel, ToolDefinition};
    ///
    /// let foreign = ToolDefinition::new("search", "Searches.", json!({}))
    ///     .with_risk(RiskLevel::Dangerous)
    ///     .with_hints(Hints { open_world: true, ..Hints::of(RiskLevel::Dangerous) });
    ///
    /// let reviewed = foreign.with_trusted_risk(RiskLevel::ReadOnly);
    /// assert_eq!(reviewed.risk(), RiskLevel::ReadOnly);
    /// assert!(reviewed.hints().read_only && reviewed.hints().open_world);
    /// ```
    pub fn with_trusted_risk(self, risk: RiskLevel) -> Self {
        let hints = Hints {
            // Whether a tool reaches other machines is a fact, not a matter of trust.
            open_world: self.hints().open_world,
            ..Hints::of(risk)
        };
        self.with_risk(risk).with_hints(hints)
    }

    /// Sets the hints. Destructive hints raise the default risk; hints never lower it.
    pub fn with_hints(self, hints: Hints) -> Self {
        self.edit(|inner| inner.hints = Some(hints))
    }

    /// Sets the timeout of a call, which overrides the registry's timeout.
    pub fn with_timeout(self, timeout: Duration) -> Self {
        self.edit(|inner| inner.timeout = Some(timeout))
    }

    /// Marks a tool that talks to the user of this application, so that servers and sub-agents don't offer it
    /// ([`Registry::without_interactive`](crate::Registry::without_interactive)).
    pub fn interactive(self) -> Self {
        self.edit(|inner| inner.is_interactive = true)
    }

    /// Sets the limit of the output shown to the model, which overrides the registry's limit.
    pub fn with_output_limit(self, limit: OutputLimit) -> Self {
        self.edit(|inner| inner.output_limit = Some(limit))
    }

    /// Sets the idle timeout of a call, which overrides the registry's idle timeout.
    /// `Duration::MAX` disables it.
    ///
    /// Progress and partial output restart it. The timeout of the call still applies.
    pub fn with_idle_timeout(self, timeout: Duration) -> Self {
        self.edit(|inner| inner.idle_timeout = Some(timeout))
    }

    /// Sets the maximum number of concurrent calls of this tool, at least one. The registry's limit
    /// also applies. Further calls are queued.
    ///
    /// Without it, calls of a dangerous or foreign tool that say nothing about what they touch run one at a time.
    pub fn with_max_parallel(self, calls: usize) -> Self {
        let calls = NonZeroUsize::new(calls).unwrap_or(NonZeroUsize::MIN);
        self.edit(|inner| inner.max_parallel = Some(calls))
    }

    /// Accepts `alias` as another name of `parameter`. Aliases are not shown to the model. The alias `edits/*/old_string` is
    /// another name of a member of each object in the list `edits`.
    pub fn with_alias(self, alias: impl Into<String>, parameter: impl Into<String>) -> Self {
        self.edit(|inner| inner.aliases.push((alias.into(), parameter.into())))
    }

    /// Adds arguments of an example call.
    pub fn with_example(self, arguments: Value) -> Self {
        self.edit(|inner| inner.examples.push(arguments))
    }

    /// Sets the origin of a tool that runs elsewhere as a phrase, such as "the MCP server `files`". Used in errors about
    /// duplicate names; not shown to the model.
    ///
    /// Calls of such a tool run one at a time, unless they are read-only, say what they touch, or
    /// [`with_max_parallel`](Self::with_max_parallel) allows more: we don't know what the other side can stand.
    pub fn with_source(self, source: impl Into<String>) -> Self {
        self.edit(|inner| inner.source = Some(source.into().into()))
    }

    #[cfg(feature = "validate")]
    pub(crate) fn loaded(self, loading: Loading) -> Self {
        self.edit(|inner| inner.loading = loading)
    }

    pub(crate) fn in_toolset(self, name: &str) -> Self {
        self.edit(|inner| inner.toolset = Some(name.into()))
    }

    /// Returns where the tool is from, as a phrase, if it says so.
    pub(crate) fn origin(&self) -> Option<String> {
        let toolset = || Some(format!("the toolset `{}`", self.0.toolset.as_deref()?));
        self.source().map(str::to_owned).or_else(toolset)
    }

    /// Returns the definition as JSON:
    /// `{name, title?, description, input_schema, output_schema?, risk, hints}`.
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

impl ToolDefinition {
    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the display name.
    pub fn title(&self) -> Option<&str> {
        self.0.title.as_deref()
    }

    /// Returns the description for the model.
    pub fn description(&self) -> &str {
        &self.0.description
    }

    /// Returns the JSON Schema of the arguments.
    pub fn input_schema(&self) -> &Value {
        &self.0.input_schema
    }

    /// Returns the JSON Schema of the output's data.
    pub fn output_schema(&self) -> Option<&Value> {
        self.0.output_schema.as_ref()
    }

    /// Returns the default risk of a call. [`CallPlan::risk`](crate::CallPlan::risk) may have
    /// another one.
    pub fn risk(&self) -> RiskLevel {
        // Hints of a foreign tool may raise its risk, but never lower it.
        let is_destructive = |hints: Hints| hints.destructive && !hints.read_only;
        self.0.risk.unwrap_or_else(|| match self.0.hints {
            Some(hints) if is_destructive(hints) => RiskLevel::Dangerous,
            _ => RiskLevel::SafeWrite,
        })
    }

    /// Returns the hints for the host.
    pub fn hints(&self) -> Hints {
        self.0.hints.unwrap_or_else(|| Hints::of(self.risk()))
    }

    /// Returns the tool's own timeout.
    pub fn timeout(&self) -> Option<Duration> {
        self.0.timeout
    }

    /// Returns the tool's own output limit.
    pub fn output_limit(&self) -> Option<OutputLimit> {
        self.0.output_limit
    }

    /// Returns whether the tool talks to the user of this application.
    pub fn is_interactive(&self) -> bool {
        self.0.is_interactive
    }

    /// Borrows the tool's own output limit.
    pub(crate) fn own_output_limit(&self) -> Option<&OutputLimit> {
        self.0.output_limit.as_ref()
    }

    /// Returns the tool's own idle timeout.
    pub fn idle_timeout(&self) -> Option<Duration> {
        self.0.idle_timeout
    }

    /// Returns the tool's own limit of concurrent calls.
    pub fn max_parallel(&self) -> Option<usize> {
        self.0.max_parallel.map(NonZeroUsize::get)
    }

    /// Returns the aliases, each with its parameter.
    pub fn aliases(&self) -> &[(String, String)] {
        &self.0.aliases
    }

    /// Returns the arguments of example calls.
    pub fn examples(&self) -> &[Value] {
        &self.0.examples
    }

    /// Returns whether the model sees the definition only after a search has found the tool
    /// ([`Registry::searchable`](crate::Registry::searchable)). A [`Dialect`](crate::Dialect) of a provider without a search
    /// of its own omits such a definition.
    pub fn is_deferred(&self) -> bool {
        self.0.loading == Loading::Deferred
    }

    /// Returns whether this tool searches for the deferred ones, or calls them. A [`Dialect`](crate::Dialect) of a provider
    /// with its own search omits its definition.
    pub fn is_search(&self) -> bool {
        self.0.loading == Loading::Searching
    }

    /// Returns what a model needs for a call.
    #[cfg(feature = "validate")]
    pub(crate) fn shown(&self) -> Value {
        json!({"name": self.name(), "description": self.description(), "parameters": self.input_schema()})
    }

    /// Estimates the tokens of name, description and schema: one for every four bytes.
    pub fn estimated_tokens(&self) -> usize {
        let schema = self.input_schema().to_string();
        (self.name().len() + self.description().len() + schema.len()).div_ceil(4)
    }

    /// Returns the origin of the tool, if it is not the application.
    pub fn source(&self) -> Option<&str> {
        self.0.source.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn risk_determines_unset_hints() {
        let reading = ToolDefinition::new("a", "A", json!({})).with_risk(RiskLevel::ReadOnly);
        let writing = reading.clone().with_risk(RiskLevel::Dangerous);

        assert!(reading.hints().read_only);
        assert!(writing.hints().destructive);
    }

    #[test]
    fn hints_raise_unset_risk_and_never_lower_it() {
        let hinted = |risk| ToolDefinition::new("a", "A", json!({})).with_hints(Hints::of(risk));

        for (hints, risk) in [
            (RiskLevel::Dangerous, RiskLevel::Dangerous),
            (RiskLevel::SafeWrite, RiskLevel::SafeWrite),
            (RiskLevel::ReadOnly, RiskLevel::SafeWrite),
        ] {
            assert_eq!(hinted(hints).risk(), risk, "{hints}");
        }
        let set = hinted(RiskLevel::Dangerous).with_risk(RiskLevel::SafeWrite);
        assert_eq!(set.risk(), RiskLevel::SafeWrite);
    }

    #[test]
    fn editing_clone_preserves_original() {
        let first = ToolDefinition::new("a", "A", json!({}));
        let second = first.clone().with_name("b");

        assert_eq!((first.name(), second.name()), ("a", "b"));
    }
}
