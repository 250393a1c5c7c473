//! Tools for web pages and web search.

use std::num::NonZeroUsize;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{ToolContext, ToolError, Toolset, ToolsetError};

use crate::toolsets::document::{documented, integer};
use crate::toolsets::names::Names;
use crate::toolsets::wording::Wording;
use crate::web::{
    WebFetch, WebFetchInput, WebFetchOutput, WebSearch, WebSearchInput, WebTools, default_count,
    default_max_chars,
};

const FETCH: &str = "Fetch content from a URL and return it as readable text. Supports HTML (converted to plain text), JSON (pretty-printed), and plain text. GET requests only.";
const SEARCH: &str =
    "Search the web and return a list of results with titles, URLs, and descriptions.";

/// Adds `web_fetch`, and `web_search` if there is a search provider.
pub(super) fn with_tools(toolset: Toolset, web: &WebTools) -> Result<Toolset, ToolsetError> {
    let fetch = Arc::clone(&web.web_fetch);
    let toolset = toolset.with_tool(documented::<FetchPage, _>("web_fetch", FETCH, fetch))?;
    match web.web_search.clone() {
        Some(search) => toolset.with_tool(documented::<SearchWeb, _>("web_search", SEARCH, search)),
        None => Ok(toolset),
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct FetchPage {
    /// URL to fetch
    url: String,
    /// Maximum characters to return (default: 50000)
    #[serde(rename = "maxChars", default = "default_max_chars")]
    #[schemars(schema_with = "integer")]
    max_chars: NonZeroUsize,
}

impl Wording<WebFetch> for FetchPage {
    const NAMES: Names = Names::of(&[("max_chars", "maxChars")]).hiding(&[
        "offset",
        "format",
        "timeout_seconds",
        "max_bytes",
        "cut_long",
    ]);

    fn request(&self) -> Result<WebFetchInput, ToolError> {
        Ok(WebFetchInput {
            max_chars: self.max_chars,
            ..WebFetchInput::of(self.url.clone())
        })
    }

    fn text(&self, cx: &ToolContext, output: &WebFetchOutput) -> Result<String, ToolError> {
        cx.note("untrusted_origin", output.origin());
        Ok(output.with_notice(|more, shown| {
            format!(
                "[Content truncated at {shown} characters; {more} more. Use a larger maxChars.]"
            )
        }))
    }
}

// The source document truncates long queries without a warning.
#[derive(Debug, Deserialize, JsonSchema)]
struct SearchWeb {
    /// Search query, at most 400 characters
    query: String,
    /// Number of results, from 1 to 20
    #[serde(default = "default_count")]
    #[schemars(schema_with = "integer")]
    count: i64,
}

impl Wording<WebSearch> for SearchWeb {
    fn request(&self) -> Result<WebSearchInput, ToolError> {
        Ok(WebSearchInput {
            query: self.query.clone(),
            count: self.count,
        })
    }
}
