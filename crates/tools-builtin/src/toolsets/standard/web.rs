//! Web tools.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{ToolContext, ToolError, TypedTool};

use crate::toolsets::wording::Wording;
use crate::web::{
    PageFormat, WebFetch, WebFetchInput, WebFetchOutput, WebSearch, WebSearchInput,
    WebSearchOutput, default_max_chars, default_timeout_seconds,
};

/// Fetches a page.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct FetchPage {
    /// http or https.
    url: String,
    /// Maximum characters.
    #[serde(default = "default_max_chars")]
    max_chars: NonZeroUsize,
    /// Characters to skip.
    #[serde(default)]
    offset: Option<usize>,
    /// Format for HTML.
    #[serde(default)]
    format: PageFormat,
    /// Timeout.
    #[serde(default = "default_timeout_seconds")]
    #[schemars(range(min = 1, max = 60))]
    timeout_seconds: u64,
}

impl Wording<WebFetch> for FetchPage {
    const ALIASES: &'static [(&'static str, &'static str)] = &[("maxChars", "max_chars")];

    fn request(&self) -> Result<WebFetchInput, ToolError> {
        Ok(WebFetchInput {
            max_chars: self.max_chars,
            offset: self.offset.unwrap_or_default(),
            format: self.format,
            timeout_seconds: self.timeout_seconds,
            ..WebFetchInput::of(self.url.clone())
        })
    }

    fn text(&self, cx: &ToolContext, output: &WebFetchOutput) -> Result<String, ToolError> {
        cx.note("untrusted_origin", output.origin());
        cx.note("total_chars", output.total_chars());
        Ok(WebFetch::render(output))
    }
}

impl Wording<WebSearch> for WebSearchInput {
    fn request(&self) -> Result<WebSearchInput, ToolError> {
        Ok(self.clone())
    }

    fn text(&self, cx: &ToolContext, output: &WebSearchOutput) -> Result<String, ToolError> {
        if let Some(warning) = output.truncated_query_warning() {
            cx.warn(warning);
        }
        Ok(WebSearch::render(output))
    }
}
