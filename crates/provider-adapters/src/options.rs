//! Options of a request, in addition to its tools.

mod model_traits;
mod strict_mode;
mod tool_choice;

use serde::{Deserialize, Serialize};

pub use model_traits::ModelTraits;
pub use strict_mode::StrictMode;
pub use tool_choice::ToolChoice;

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
    /// Tools that the model finds by searching, by their names in the definitions. The request also
    /// requires the provider's search tool and one tool that is not deferred.
    pub deferred: Vec<String>,
    /// Whether the model receives the examples of the definitions. They are added to the
    /// description if the provider has no field for them.
    pub examples: bool,
    /// Whether MCP tools have `"type": "tool"`, which is not part of the protocol but required by
    /// some hosts.
    pub tool_type: bool,
    /// Whether the request enables reasoning, with which some providers reject a forced tool
    /// choice.
    pub thinking: bool,
    /// Whether the model behind `OpenRouter` is a Gemini model, which supports only strings as
    /// fixed values. Other providers ignore this option.
    pub gemini_model: bool,
    /// Limits and features in which the model differs from the provider's defaults.
    pub model: ModelTraits,
}

impl Options {
    /// Sets the strict mode.
    #[must_use]
    pub fn with_strict(mut self, strict: StrictMode) -> Self {
        self.strict = strict;
        self
    }

    /// Sets whether the model must call a tool.
    #[must_use]
    pub fn with_choice(mut self, choice: ToolChoice) -> Self {
        self.choice = choice;
        self
    }

    /// Sets whether the model may request several calls in one response.
    #[must_use]
    pub fn with_parallel(mut self, parallel: Option<bool>) -> Self {
        self.parallel = parallel;
        self
    }

    /// Sets whether the tools, the system message and the end of the conversation are marked for the provider's prompt
    /// cache. Each request of a conversation then reads what the previous one wrote.
    #[must_use]
    pub fn with_cache(mut self, cache: bool) -> Self {
        self.cache = cache;
        self
    }

    /// Sets the tools that the model finds by searching.
    #[must_use]
    pub fn with_deferred<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.deferred = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets whether the model receives the examples of the definitions.
    #[must_use]
    pub fn with_examples(mut self, examples: bool) -> Self {
        self.examples = examples;
        self
    }

    /// Sets whether MCP tools have `"type": "tool"`.
    #[must_use]
    pub fn with_tool_type(mut self, tool_type: bool) -> Self {
        self.tool_type = tool_type;
        self
    }

    /// Sets whether the request enables reasoning.
    #[must_use]
    pub fn with_thinking(mut self, thinking: bool) -> Self {
        self.thinking = thinking;
        self
    }

    /// Sets whether the model behind `OpenRouter` is a Gemini model.
    #[must_use]
    pub fn with_gemini_model(mut self, gemini_model: bool) -> Self {
        self.gemini_model = gemini_model;
        self
    }

    /// Sets the limits and features in which the model differs from the provider's defaults.
    #[must_use]
    pub fn with_model(mut self, model: ModelTraits) -> Self {
        self.model = model;
        self
    }
}
