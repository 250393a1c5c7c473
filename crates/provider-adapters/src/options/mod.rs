//! Options of a request, in addition to its tools.

mod icon;
mod model_traits;
mod strict_mode;
mod task_support;
mod tool_choice;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use icon::{Icon, IconTheme};
pub use model_traits::ModelTraits;
pub use strict_mode::{StrictMode, UnknownStrictMode};
pub use task_support::TaskSupport;
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
    /// Tools that do not block the model, by their names in the definitions. The model continues
    /// and receives their outputs later. Supported by `OpenAI` Responses and the Gemini Live API.
    pub non_blocking: Vec<String>,
    /// Allowed callers of each tool, by its name in the definition. A caller is `direct` for the
    /// model or the provider's name for code execution, such as `code_execution_20260120` for
    /// Anthropic and `programmatic` for `OpenAI` Responses. A tool without an entry, or with an
    /// empty one, uses the provider's default.
    pub allowed_callers: BTreeMap<String, Vec<String>>,
    /// Whether arguments are streamed before they are validated. Supported by Anthropic.
    pub eager_input: bool,
    /// Whether the provider returns invalid calls instead of an error. Applies to Groq, which then
    /// supports a required call but not a choice of the tool. All other providers return invalid
    /// calls.
    pub unchecked_calls: bool,
    /// Whether the model receives the examples of the definitions. They are added to the
    /// description if the provider has no field for them.
    pub examples: bool,
    /// Whether the model receives the output schemas of the tools.
    pub output_schemas: bool,
    /// Whether MCP tools have `"type": "tool"`, which is not part of the protocol but required by
    /// some hosts.
    pub tool_type: bool,
    /// Icons of MCP tools, by their names in the definitions.
    pub icons: BTreeMap<String, Vec<Icon>>,
    /// Task support of MCP tools, by their names in the definitions. Tools without an entry do not
    /// support tasks.
    pub task_support: BTreeMap<String, TaskSupport>,
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

    /// Sets the tools that do not block the model.
    #[must_use]
    pub fn with_non_blocking<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        self.non_blocking = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the allowed callers of one tool.
    #[must_use]
    pub fn with_allowed_callers<C: Into<String>>(
        mut self,
        tool: impl Into<String>,
        callers: impl IntoIterator<Item = C>,
    ) -> Self {
        let callers = callers.into_iter().map(Into::into).collect();
        self.allowed_callers.insert(tool.into(), callers);
        self
    }

    /// Sets whether arguments are streamed before they are validated.
    #[must_use]
    pub fn with_eager_input(mut self, eager_input: bool) -> Self {
        self.eager_input = eager_input;
        self
    }

    /// Sets whether the provider returns invalid calls instead of an error.
    #[must_use]
    pub fn with_unchecked_calls(mut self, unchecked_calls: bool) -> Self {
        self.unchecked_calls = unchecked_calls;
        self
    }

    /// Sets whether the model receives the examples of the definitions.
    #[must_use]
    pub fn with_examples(mut self, examples: bool) -> Self {
        self.examples = examples;
        self
    }

    /// Sets whether the model receives the output schemas of the tools.
    #[must_use]
    pub fn with_output_schemas(mut self, output_schemas: bool) -> Self {
        self.output_schemas = output_schemas;
        self
    }

    /// Sets whether MCP tools have `"type": "tool"`.
    #[must_use]
    pub fn with_tool_type(mut self, tool_type: bool) -> Self {
        self.tool_type = tool_type;
        self
    }

    /// Sets the icons of one MCP tool.
    #[must_use]
    pub fn with_icons(
        mut self,
        tool: impl Into<String>,
        icons: impl IntoIterator<Item = Icon>,
    ) -> Self {
        self.icons.insert(tool.into(), icons.into_iter().collect());
        self
    }

    /// Sets the task support of one MCP tool.
    #[must_use]
    pub fn with_task_support(mut self, tool: impl Into<String>, support: TaskSupport) -> Self {
        self.task_support.insert(tool.into(), support);
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
