//! Options of a request, in addition to its tools.

mod model_traits;

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tool_core::ToolDefinition;

pub use model_traits::ModelTraits;

/// Options of a request, in addition to its tools.
///
/// # Examples
/// ```
/// use provider_adapters::{Options, StrictMode, ToolChoice};
///
/// let options = Options::default()
///     .with_strict(StrictMode::Off)
///     .with_choice(ToolChoice::Required)
///     .with_parallel(Some(false));
/// assert_eq!(options.choice, ToolChoice::Required);
/// assert_eq!(serde_json::from_str::<Options>(r#"{"strict": "off", "choice": "required", "parallel": false}"#)?, options);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "the flags are independent")]
#[must_use]
pub struct Options {
    /// Use of the provider's strict mode.
    pub strict: StrictMode,
    /// Whether the model must call a tool.
    pub choice: ToolChoice,
    /// Whether the model may request several calls in one response. `None` keeps the provider's
    /// default.
    pub parallel: Option<bool>,
    /// Whether the tools, the system message and the end of the conversation are marked for the provider's prompt cache.
    pub cache: bool,
    /// Tools that the model finds by searching, by their names in the definitions. The provider's search tool is added.
    /// [`Registry::searchable`](tool_core::Registry::searchable) chooses them for you, and works with every provider.
    pub deferred: Vec<String>,
    /// Whether the model receives the examples of the definitions. A provider without a field for them is reported as a
    /// loss.
    pub examples: bool,
    /// Whether MCP tools have `"type": "tool"`. The protocol doesn't have it, but some hosts require it.
    pub tool_type: bool,
    /// Whether the model behind `OpenRouter` is a Gemini model, which supports only strings as
    /// fixed values. Other providers ignore this option.
    pub gemini_model: bool,
    /// Limits and features in which the model differs from the provider's defaults.
    pub model: ModelTraits,
}

impl Options {
    /// Sets the strict mode.
    pub fn with_strict(mut self, strict: StrictMode) -> Self {
        self.strict = strict;
        self
    }

    /// Sets whether the model must call a tool.
    pub fn with_choice(mut self, choice: ToolChoice) -> Self {
        self.choice = choice;
        self
    }

    /// Sets whether the model may request several calls in one response.
    pub fn with_parallel(mut self, parallel: Option<bool>) -> Self {
        self.parallel = parallel;
        self
    }

    /// Sets whether the tools, the system message and the end of the conversation are marked for the provider's prompt
    /// cache. Each request of a conversation then reads what the previous one wrote.
    pub fn with_cache(mut self, cache: bool) -> Self {
        self.cache = cache;
        self
    }

    /// Sets the tools that the model finds by searching.
    pub fn with_deferred<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.deferred = names.into_iter().map(Into::into).collect();
        self
    }

    /// Returns whether the model finds a tool by searching.
    pub(crate) fn defers(&self, definition: &ToolDefinition) -> bool {
        // By the name in the definition: the host does not know names on the wire.
        let listed = |names: &[String]| names.iter().any(|name| name == definition.name());
        // What the model must call cannot be deferred.
        let is_chosen = matches!(&self.choice, ToolChoice::Named(names) if listed(names));
        !is_chosen && (definition.is_deferred() || listed(&self.deferred))
    }

    /// Sets whether the model receives the examples of the definitions.
    pub fn with_examples(mut self, examples: bool) -> Self {
        self.examples = examples;
        self
    }

    /// Sets whether MCP tools have `"type": "tool"`.
    pub fn with_tool_type(mut self, tool_type: bool) -> Self {
        self.tool_type = tool_type;
        self
    }

    /// Sets whether the model behind `OpenRouter` is a Gemini model.
    pub fn with_gemini_model(mut self, gemini_model: bool) -> Self {
        self.gemini_model = gemini_model;
        self
    }

    /// Sets the limits and features in which the model differs from the provider's defaults.
    pub fn with_model(mut self, model: ModelTraits) -> Self {
        self.model = model;
        self
    }
}

/// Whether the model must call a tool, and which tools it may call.
///
/// # Examples
/// ```
/// use provider_adapters::ToolChoice;
///
/// assert_eq!(ToolChoice::default(), ToolChoice::Auto);
/// assert_eq!(ToolChoice::named(["search"]), ToolChoice::Named(vec!["search".to_owned()]));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides whether to call tools.
    #[default]
    Auto,
    /// The model must not call a tool.
    None,
    /// The model must call a tool.
    Required,
    /// The model must call one of these tools, given by their names in the definitions.
    Named(Vec<String>),
}

impl ToolChoice {
    /// Creates a choice among these tools.
    pub fn named<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::Named(names.into_iter().map(Into::into).collect())
    }
}

/// Selection of the tools whose schemas the provider enforces during generation.
///
/// # Examples
/// ```
/// use provider_adapters::StrictMode;
///
/// assert_eq!("on".parse(), Ok(StrictMode::On));
/// assert_eq!(StrictMode::default(), StrictMode::Auto);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StrictMode {
    /// All tools whose strict form loses nothing. Rules that move to the description don't count as lost.
    #[default]
    Auto,
    /// All tools that have a strict form, even if it loses something. The others are sent without, and reported.
    On,
    /// No tools.
    Off,
}

impl StrictMode {
    /// Returns the stable name of this mode.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::On => "on",
            Self::Off => "off",
        }
    }
}

impl FromStr for StrictMode {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let all = [Self::Auto, Self::On, Self::Off];
        UnknownName::find(text, "a strict mode", &all, Self::as_str)
    }
}

/// Error for text that names no [`Provider`](crate::Provider), [`StrictMode`] or
/// [`Effort`](crate::Effort).
///
/// # Examples
/// ```
/// use provider_adapters::{Effort, StrictMode};
///
/// let error = "yes".parse::<StrictMode>().unwrap_err();
/// assert_eq!(error.to_string(), "`yes` is not a strict mode; use one of auto, on, off");
/// let error = "max".parse::<Effort>().unwrap_err();
/// assert_eq!(error.to_string(), "`max` is not an effort; use one of low, medium, high");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not {kind}; use one of {}", .known.join(", "))]
pub struct UnknownName {
    name: String,
    /// What the name should be, with its article.
    kind: &'static str,
    known: Vec<&'static str>,
}

impl UnknownName {
    /// Returns the value of this name.
    pub(crate) fn find<T: Copy>(
        name: &str,
        kind: &'static str,
        values: &[T],
        name_of: fn(T) -> &'static str,
    ) -> Result<T, Self> {
        let mut known = values.iter().copied();
        known
            .find(|value| name_of(*value) == name)
            .ok_or_else(|| Self {
                name: name.to_owned(),
                kind,
                known: values.iter().copied().map(name_of).collect(),
            })
    }
}
