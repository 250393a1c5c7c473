//! Tools for web pages and web search.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{
    CallPlan, Hints, RiskLevel, ToolContext, ToolError, Toolset, ToolsetError, TypedTool,
};

use crate::toolsets::document::{documented_tool, integer};
use crate::toolsets::names::Names;
use crate::web::{
    WebFetch, WebFetchInput, WebFetchOutput, WebSearch, WebSearchInput, WebSearchOutput, WebTools,
};

const FETCH: &str = "Fetch content from a URL and return it as readable text. Supports HTML (converted to plain text), JSON (pretty-printed), and plain text. GET requests only.";
const SEARCH: &str =
    "Search the web and return a list of results with titles, URLs, and descriptions.";

/// Adds `web_fetch`, and `web_search` if there is a search provider.
pub(super) fn with_tools(toolset: Toolset, web: &WebTools) -> Result<Toolset, ToolsetError> {
    let fetch = FetchPage(Arc::clone(&web.web_fetch));
    let toolset = toolset.with_tool(documented_tool("web_fetch", FETCH, fetch))?;
    match &web.web_search {
        Some(search) => {
            let search = SearchWeb(Arc::clone(search));
            toolset.with_tool(documented_tool("web_search", SEARCH, search))
        }
        None => Ok(toolset),
    }
}

struct FetchPage(Arc<WebFetch>);

#[derive(Debug, Deserialize, JsonSchema)]
struct FetchPageInput {
    /// URL to fetch
    url: String,
    /// Maximum characters to return (default: 50000)
    #[serde(rename = "maxChars", default = "default_max_chars")]
    #[schemars(schema_with = "integer")]
    max_chars: NonZeroUsize,
}

fn default_max_chars() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(49_999)
}

impl FetchPageInput {
    fn request(&self) -> WebFetchInput {
        WebFetchInput {
            max_chars: self.max_chars,
            ..WebFetchInput::of(self.url.clone())
        }
    }
}

impl FetchPage {
    const NAMES: Names = Names::of(&[("max_chars", "maxChars")]).hiding(&[
        "offset",
        "format",
        "timeout_seconds",
        "max_bytes",
        "cut_long",
    ]);
}

impl TypedTool for FetchPage {
    type Input = FetchPageInput;
    type Output = WebFetchOutput;

    const RISK: RiskLevel = WebFetch::RISK;

    fn hints(&self) -> Hints {
        self.0.hints()
    }

    fn timeout(&self) -> Option<Duration> {
        self.0.timeout()
    }

    fn plan(&self, cx: &ToolContext, input: &FetchPageInput) -> Result<CallPlan, ToolError> {
        Self::NAMES.plan(self.0.plan(cx, &input.request()))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: FetchPageInput,
    ) -> Result<WebFetchOutput, ToolError> {
        let run = self.0.run(cx, input.request());
        let output = Self::NAMES.run(cx, run).await?;
        cx.note("untrusted_origin", output.origin());
        Ok(output)
    }

    fn render(output: &WebFetchOutput) -> String {
        output.with_notice(|more, shown| {
            format!(
                "[Content truncated at {shown} characters; {more} more. Use a larger maxChars.]"
            )
        })
    }
}

struct SearchWeb(Arc<WebSearch>);

// The source document truncates long queries without a warning.
#[derive(Debug, Deserialize, JsonSchema)]
struct SearchWebInput {
    /// Search query, at most 400 characters
    query: String,
    /// Number of results, from 1 to 20
    #[serde(default = "default_count")]
    #[schemars(schema_with = "integer")]
    count: i64,
}

fn default_count() -> i64 {
    5
}

impl SearchWebInput {
    fn request(&self) -> WebSearchInput {
        WebSearchInput {
            query: self.query.clone(),
            count: self.count,
        }
    }
}

impl TypedTool for SearchWeb {
    type Input = SearchWebInput;
    type Output = WebSearchOutput;

    const RISK: RiskLevel = WebSearch::RISK;

    fn hints(&self) -> Hints {
        self.0.hints()
    }

    fn plan(&self, cx: &ToolContext, input: &SearchWebInput) -> Result<CallPlan, ToolError> {
        self.0.plan(cx, &input.request())
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: SearchWebInput,
    ) -> Result<WebSearchOutput, ToolError> {
        self.0.run(cx, input.request()).await
    }

    fn render(output: &WebSearchOutput) -> String {
        WebSearch::render(output)
    }
}
