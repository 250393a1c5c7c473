//! Web tools.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{CallPlan, Hints, RiskLevel, ToolContext, ToolError, TypedTool};

use crate::web::{
    PageFormat, WebFetch, WebFetchInput, WebFetchOutput, WebSearch, WebSearchInput, WebSearchOutput,
};

/// Fetches a page.
pub(super) struct FetchPage(pub(super) Arc<WebFetch>);

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct FetchPageInput {
    /// URL of the page, starting with http:// or https://.
    url: String,
    /// Maximum characters to return.
    #[serde(default = "fifty_thousand")]
    max_chars: NonZeroUsize,
    /// Characters to skip, to continue a page.
    #[serde(default)]
    offset: usize,
    /// Format for HTML: plain text, or Markdown with link addresses.
    #[serde(default)]
    format: PageFormat,
    /// Timeout in seconds.
    #[serde(default = "half_a_minute")]
    #[schemars(range(min = 1, max = 60))]
    timeout_seconds: u64,
}

fn fifty_thousand() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(49_999)
}

fn half_a_minute() -> u64 {
    30
}

impl FetchPageInput {
    fn request(self) -> WebFetchInput {
        WebFetchInput {
            max_chars: self.max_chars,
            offset: self.offset,
            format: self.format,
            timeout_seconds: self.timeout_seconds,
            ..WebFetchInput::of(self.url)
        }
    }
}

impl TypedTool for FetchPage {
    type Input = FetchPageInput;
    type Output = WebFetchOutput;

    const RISK: RiskLevel = WebFetch::RISK;
    const ALIASES: &'static [(&'static str, &'static str)] = &[("maxChars", "max_chars")];

    fn hints(&self) -> Hints {
        self.0.hints()
    }

    fn timeout(&self) -> Option<Duration> {
        self.0.timeout()
    }

    fn plan(&self, cx: &ToolContext, input: &FetchPageInput) -> Result<CallPlan, ToolError> {
        self.0.plan(cx, &input.clone().request())
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: FetchPageInput,
    ) -> Result<WebFetchOutput, ToolError> {
        let output = self.0.run(cx, input.request()).await?;
        cx.note("untrusted_origin", output.origin());
        cx.note("total_chars", output.total_chars());
        Ok(output)
    }

    fn render(output: &WebFetchOutput) -> String {
        WebFetch::render(output)
    }
}

/// Searches the web, with warnings about a truncated query and omitted results.
pub(super) struct SearchWeb(pub(super) Arc<WebSearch>);

impl TypedTool for SearchWeb {
    type Input = WebSearchInput;
    type Output = WebSearchOutput;

    const RISK: RiskLevel = WebSearch::RISK;

    fn hints(&self) -> Hints {
        self.0.hints()
    }

    fn plan(&self, cx: &ToolContext, input: &WebSearchInput) -> Result<CallPlan, ToolError> {
        self.0.plan(cx, input)
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: WebSearchInput,
    ) -> Result<WebSearchOutput, ToolError> {
        let output = self.0.run(cx, input).await?;
        let warnings = [
            output.truncated_query_warning(),
            output.omitted_results_warning(),
        ];
        for warning in warnings.into_iter().flatten() {
            cx.warn(warning);
        }
        Ok(output)
    }

    fn render(output: &WebSearchOutput) -> String {
        WebSearch::render(output)
    }
}
