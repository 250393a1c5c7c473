//! Search among many tools: a model sees a few definitions and finds the others.
//!
//! Definitions of dozens of servers fill the context of a model, and models choose worse among more than about thirty
//! tools. [`Registry::searchable`](crate::Registry::searchable) defers the definitions: a provider with its own search
//! gets them marked as deferred, and every other one gets two tools in their place, `search_tools` and `call_tool`.

mod index;
mod words;

use serde_json::Value;

pub use self::index::{FoundTool, ToolIndex};
#[cfg(feature = "validate")]
use crate::ToolDefinition;

/// Name of the tool that finds tools.
pub const SEARCH_TOOLS: &str = "search_tools";

/// Name of the tool that calls a found tool. Its call becomes the call of that tool.
pub const CALL_TOOL: &str = "call_tool";

/// Maximum number of tools that a search returns.
pub(crate) const MAX_LIMIT: usize = 20;

/// How a model uses the tools that it finds, where the provider has no search of its own.
///
/// # Examples
/// ```
/// use tool_core::search::SearchForm;
///
/// assert_eq!(SearchForm::default(), SearchForm::Call);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchForm {
    /// Through `call_tool`. The definitions of a conversation never change, so the provider's prompt cache keeps them.
    #[default]
    Call,
    /// By name: the next request has the definitions of the tools found after all others. The agent loop does this; other
    /// loops call [`Registry::revealing`](crate::Registry::revealing).
    Append,
}

/// When definitions are deferred, and which of them never are.
///
/// # Examples
/// ```
/// use tool_core::search::SearchOptions;
///
/// let options = SearchOptions::default().with_always(["read", "edit"]).with_limit(8);
/// assert_eq!((options.min_tools, options.min_tokens, options.limit), (30, 10_000, 8));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct SearchOptions {
    /// Names of the tools whose definitions are never deferred.
    pub always: Vec<String>,
    /// How the model uses the tools that it finds.
    pub form: SearchForm,
    /// Number of tools up to which no definition is deferred. The default is 30.
    pub min_tools: usize,
    /// Estimated tokens of all definitions up to which none is deferred. The default is 10,000.
    pub min_tokens: usize,
    /// Number of tools that a search returns, unless the model asks for another one. The default is 5.
    pub limit: usize,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            always: Vec::new(),
            form: SearchForm::default(),
            min_tools: 30,
            min_tokens: 10_000,
            limit: 5,
        }
    }
}

impl SearchOptions {
    /// Sets the tools whose definitions are never deferred.
    pub fn with_always<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.always = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets how the model uses the tools that it finds.
    pub fn with_form(mut self, form: SearchForm) -> Self {
        self.form = form;
        self
    }

    /// Sets the number of tools and the estimated tokens up to which no definition is deferred. Both must hold.
    pub fn with_threshold(mut self, tools: usize, tokens: usize) -> Self {
        (self.min_tools, self.min_tokens) = (tools, tokens);
        self
    }

    /// Sets the number of tools that a search returns.
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit.clamp(1, MAX_LIMIT);
        self
    }

    /// Returns whether definitions are deferred.
    #[cfg(feature = "validate")]
    pub(crate) fn apply_to(&self, definitions: &[ToolDefinition]) -> bool {
        let tokens = || definitions.iter().map(ToolDefinition::estimated_tokens);
        definitions.len() > self.min_tools || tokens().sum::<usize>() > self.min_tokens
    }
}

/// Returns the names in an output of `search_tools`, the best first; none if the text is something else.
///
/// # Examples
/// ```
/// use tool_core::search::found_in;
///
/// assert_eq!(found_in(r#"[{"name": "get_weather"}]"#), ["get_weather"]);
/// assert!(found_in("No tool was found.").is_empty());
/// ```
#[must_use]
pub fn found_in(text: &str) -> Vec<String> {
    let found: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
    let names = found.iter().filter_map(|tool| tool.get("name")?.as_str());
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
