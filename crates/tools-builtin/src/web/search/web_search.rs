//! Web search tool. Providers return markup, which is converted to plain text.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, Hints, RiskLevel, ToolContext, ToolError, TypedTool};
use tool_json::text::one_line;

use super::{SearchError, SearchProvider, SearchResult};

/// Maximum number of characters in a query.
const MAX_QUERY_CHARS: usize = 400;
/// Maximum number of results per call.
const MAX_COUNT: i64 = 20;
/// Maximum number of provider results to process.
const MAX_FOUND: usize = 100;
const MAX_TITLE_CHARS: usize = 300;
const MAX_URL_CHARS: usize = 8192;
const MAX_DESCRIPTION_CHARS: usize = 1000;
/// Timeout of a provider.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Query and number of results.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) struct WebSearchInput {
    /// At most 400 characters.
    pub(crate) query: String,
    /// Results, at most 20.
    #[serde(default = "default_count")]
    pub(crate) count: i64,
}

pub(crate) fn default_count() -> i64 {
    5
}

/// Results of a search, the best one first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct WebSearchOutput {
    /// Results of the search. Their text is untrusted.
    pub(crate) results: Vec<SearchResult>,
    #[serde(skip)]
    query: String,
    #[serde(skip)]
    cut_chars: usize,
}

impl WebSearchOutput {
    /// Returns a message for the model if the query was truncated.
    pub(crate) fn truncated_query_warning(&self) -> Option<String> {
        (self.cut_chars > 0).then(|| {
            format!(
                "`query` was truncated to {MAX_QUERY_CHARS} characters; {} were omitted. Use a shorter query.",
                self.cut_chars
            )
        })
    }
}

/// Web search with one provider.
#[derive(Debug, Clone)]
pub(crate) struct WebSearch {
    provider: Arc<dyn SearchProvider>,
}

impl WebSearch {
    /// Creates a search with `provider`.
    pub(crate) fn new(provider: Arc<dyn SearchProvider>) -> Self {
        Self { provider }
    }
}

impl TypedTool for WebSearch {
    type Input = WebSearchInput;
    type Output = WebSearchOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn hints(&self) -> Hints {
        Hints {
            open_world: true,
            ..Hints::of(Self::RISK)
        }
    }

    fn plan(&self, _cx: &ToolContext, input: &WebSearchInput) -> Result<CallPlan, ToolError> {
        Query::parse(&input.query)?;
        Ok(CallPlan::of(Self::RISK))
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let query = Query::parse(&input.query)?;
        let count = usize::try_from(input.count.clamp(1, MAX_COUNT)).unwrap_or(1);
        cx.note(
            "search_provider",
            one_line(self.provider.provider_name(), 60),
        );
        let searching = self.provider.search(&query.text, count);
        let found = tokio::time::timeout(TIMEOUT, searching)
            .await
            .unwrap_or(Err(SearchError::Timeout(TIMEOUT)))?;
        let usable = found.iter().take(MAX_FOUND).filter_map(cleaned);
        Ok(WebSearchOutput {
            results: usable.take(count).collect(),
            query: query.text,
            cut_chars: query.cut_chars,
        })
    }

    fn render(output: &WebSearchOutput) -> String {
        let query = &output.query;
        let count = match output.results.len() {
            0 => return format!("No results for \"{query}\"."),
            1 => "1 result".to_owned(),
            many => format!("{many} results"),
        };
        let mut text = format!("Search results for \"{query}\" ({count}):");
        for (number, result) in (1..).zip(&output.results) {
            // Writing to a String cannot fail.
            let _ = write!(text, "\n\n{number}. {}\n   {}", result.title, result.url);
            if !result.description.is_empty() {
                let _ = write!(text, "\n   {}", result.description);
            }
        }
        text
    }
}

/// Query that is neither empty nor too long.
struct Query {
    text: String,
    cut_chars: usize,
}

impl Query {
    fn parse(written: &str) -> Result<Self, ToolError> {
        let line = one_line(written, usize::MAX);
        if line.is_empty() {
            let error = ToolError::invalid_arguments("query", "is empty");
            return Err(error.suggest("Pass a few search terms."));
        }
        let text: String = line.chars().take(MAX_QUERY_CHARS).collect();
        let cut_chars = line.chars().count().saturating_sub(MAX_QUERY_CHARS);
        Ok(Self { text, cut_chars })
    }
}

/// Returns the result as safe text, or `None` if its URL is unusable.
fn cleaned(found: &SearchResult) -> Option<SearchResult> {
    let url = one_line(&found.url, MAX_URL_CHARS);
    let is_usable = !url.is_empty() && !url.contains(' ') && !url.ends_with('…');
    let title = match one_line(&found.title, MAX_TITLE_CHARS) {
        title if title.is_empty() => one_line(&url, MAX_TITLE_CHARS),
        title => title,
    };
    is_usable.then(|| SearchResult {
        title,
        url,
        description: one_line(&found.description, MAX_DESCRIPTION_CHARS),
    })
}
