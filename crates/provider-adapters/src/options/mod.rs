//! What a request may ask for beside the tools themselves.

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

/// What a request asks for beside the tools themselves.
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
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is asked for or not, whatever the others are"
)]
pub struct Options {
    /// Whether the provider holds the model to the schemas.
    pub strict: StrictMode,
    /// Whether the model must call.
    pub choice: ToolChoice,
    /// Whether the model may ask for several calls at once; the provider's own default when not set.
    pub parallel: Option<bool>,
    /// Whether the tools are marked for the provider's cache of prompts.
    pub cache: bool,
    /// The tools that the model finds by searching, by the names that the definitions bear. The request also needs
    /// the provider's own search tool, and one tool that is not deferred.
    pub deferred: Vec<String>,
    /// The tools for whose answers the model does not wait, by the names that the definitions bear: it goes on, and is
    /// told of them as they come. Of `OpenAI` Responses and of the live API of Gemini.
    pub non_blocking: Vec<String>,
    /// Who may call a tool, by the name that its definition bears: `direct` for the model itself, and what the provider
    /// calls its code execution, such as `code_execution_20260120` for Anthropic and `programmatic` for `OpenAI`
    /// Responses. A tool that is not named here, or with nobody, is left to the provider.
    pub allowed_callers: BTreeMap<String, Vec<String>>,
    /// Whether arguments are streamed as they are written, before anything of them is checked. Of Anthropic.
    pub eager_input: bool,
    /// Whether the provider gives calls back that it found wrong. Of Groq, which else answers with an error; it can then
    /// be told that there must be a call, and not which. The others give every call back.
    pub unchecked_calls: bool,
    /// Whether the model is shown the examples of the definitions; in the description where a provider has no place
    /// for them.
    pub examples: bool,
    /// Whether the model is told what the tools answer.
    pub output_schemas: bool,
    /// Whether a tool of MCP says `"type": "tool"`, which the protocol does not know and some hosts look for.
    pub tool_type: bool,
    /// What hosts of MCP show for a tool, by the name that its definition bears.
    pub icons: BTreeMap<String, Vec<Icon>>,
    /// Whether hosts of MCP may run a tool as a task, by the name that its definition bears; not one of those that are
    /// not named here.
    pub task_support: BTreeMap<String, TaskSupport>,
    /// Whether the request asks the model to think, which some providers take only without a forced choice.
    pub thinking: bool,
    /// Whether the model behind a gateway is one of Gemini, which takes fixed values only where they are texts. Of
    /// `OpenRouter` alone; Gemini itself needs no such word.
    pub gemini_model: bool,
    /// What the model takes where that differs from its provider's usual.
    pub model: ModelTraits,
}

impl Options {
    /// Sets the strict mode.
    #[must_use]
    pub fn with_strict(mut self, strict: StrictMode) -> Self {
        self.strict = strict;
        self
    }

    /// Sets whether the model must call.
    #[must_use]
    pub fn with_choice(mut self, choice: ToolChoice) -> Self {
        self.choice = choice;
        self
    }

    /// Sets whether the model may ask for several calls at once.
    #[must_use]
    pub fn with_parallel(mut self, parallel: Option<bool>) -> Self {
        self.parallel = parallel;
        self
    }

    /// Sets whether the tools are marked for the provider's cache of prompts.
    #[must_use]
    pub fn with_cache(mut self, cache: bool) -> Self {
        self.cache = cache;
        self
    }

    /// Sets which tools the model finds by searching.
    #[must_use]
    pub fn with_deferred<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.deferred = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets for which tools' answers the model does not wait.
    #[must_use]
    pub fn with_non_blocking<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        self.non_blocking = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets who may call one tool.
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

    /// Sets whether arguments are streamed before they are checked.
    #[must_use]
    pub fn with_eager_input(mut self, eager_input: bool) -> Self {
        self.eager_input = eager_input;
        self
    }

    /// Sets whether the provider gives calls back that it found wrong.
    #[must_use]
    pub fn with_unchecked_calls(mut self, unchecked_calls: bool) -> Self {
        self.unchecked_calls = unchecked_calls;
        self
    }

    /// Sets whether the model is shown the examples of the definitions.
    #[must_use]
    pub fn with_examples(mut self, examples: bool) -> Self {
        self.examples = examples;
        self
    }

    /// Sets whether the model is told what the tools answer.
    #[must_use]
    pub fn with_output_schemas(mut self, output_schemas: bool) -> Self {
        self.output_schemas = output_schemas;
        self
    }

    /// Sets whether a tool of MCP says `"type": "tool"`.
    #[must_use]
    pub fn with_tool_type(mut self, tool_type: bool) -> Self {
        self.tool_type = tool_type;
        self
    }

    /// Sets what hosts of MCP show for one tool.
    #[must_use]
    pub fn with_icons(
        mut self,
        tool: impl Into<String>,
        icons: impl IntoIterator<Item = Icon>,
    ) -> Self {
        self.icons.insert(tool.into(), icons.into_iter().collect());
        self
    }

    /// Sets whether hosts of MCP may run one tool as a task.
    #[must_use]
    pub fn with_task_support(mut self, tool: impl Into<String>, support: TaskSupport) -> Self {
        self.task_support.insert(tool.into(), support);
        self
    }

    /// Says whether the request asks the model to think.
    #[must_use]
    pub fn with_thinking(mut self, thinking: bool) -> Self {
        self.thinking = thinking;
        self
    }

    /// Says whether the model behind a gateway is one of Gemini.
    #[must_use]
    pub fn with_gemini_model(mut self, gemini_model: bool) -> Self {
        self.gemini_model = gemini_model;
        self
    }

    /// Says what the model takes where that differs from its provider's usual.
    #[must_use]
    pub fn with_model(mut self, model: ModelTraits) -> Self {
        self.model = model;
        self
    }
}
