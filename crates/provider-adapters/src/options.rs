//! What a request may ask for beside the tools themselves.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::ModelTraits;

/// Whether the provider is to hold the model to the schema while it writes.
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
    /// For each tool that loses nothing by it but what its descriptions then say.
    #[default]
    Auto,
    /// For each tool that can be said strictly at all; the others are reported.
    On,
    /// Never.
    Off,
}

/// A text that names no strict mode.
///
/// # Examples
/// ```
/// use provider_adapters::StrictMode;
///
/// let error = "yes".parse::<StrictMode>().unwrap_err();
/// assert_eq!(error.to_string(), "`yes` is not a strict mode; use one of auto, on, off");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a strict mode; use one of auto, on, off")]
pub struct UnknownStrictMode(String);

impl StrictMode {
    /// The stable text of this mode.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::On => "on",
            Self::Off => "off",
        }
    }
}

impl FromStr for StrictMode {
    type Err = UnknownStrictMode;

    fn from_str(text: &str) -> Result<Self, UnknownStrictMode> {
        [Self::Auto, Self::On, Self::Off]
            .into_iter()
            .find(|mode| mode.as_str() == text)
            .ok_or_else(|| UnknownStrictMode(text.to_owned()))
    }
}

/// Whether the model must call, and what.
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
    /// The model decides.
    #[default]
    Auto,
    /// The model calls nothing.
    None,
    /// The model calls something.
    Required,
    /// The model calls one of these, by the names that the definitions bear.
    Named(Vec<String>),
}

impl ToolChoice {
    /// A choice among these tools.
    #[must_use]
    pub fn named<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::Named(names.into_iter().map(Into::into).collect())
    }
}

/// `auto`, `none`, `required`, or names of tools with commas between them.
impl From<&str> for ToolChoice {
    fn from(text: &str) -> Self {
        match text {
            "auto" => Self::Auto,
            "none" => Self::None,
            "required" => Self::Required,
            names => Self::named(names.split(',').map(str::trim)),
        }
    }
}

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
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
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
    /// Whether the model is shown the examples of the definitions; in the description where a provider has no place
    /// for them.
    pub examples: bool,
    /// Whether the model is told what the tools answer.
    pub output_schemas: bool,
    /// Whether a tool of MCP says `"type": "tool"`, which the protocol does not know and some hosts look for.
    pub tool_type: bool,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_a_word_or_names() {
        for (text, choice) in [
            ("auto", ToolChoice::Auto),
            ("none", ToolChoice::None),
            ("required", ToolChoice::Required),
            ("add, now", ToolChoice::named(["add", "now"])),
        ] {
            assert_eq!(ToolChoice::from(text), choice);
        }
    }
}
