//! Usage reports of Anthropic under the names of the source document.

use std::sync::Arc;

use tool_core::{Presentation, Toolset};

use super::super::document::{described, documented, list, text};
use crate::ConnectorsError;
use crate::anthropic::{AnthropicAdmin, AnthropicUsage, UsageOutput};

/// Adds the tool of Anthropic's usage reports.
pub(crate) fn add(toolset: Toolset, admin: &AnthropicAdmin) -> Result<Toolset, ConnectorsError> {
    Ok(toolset.tool(
        &Arc::new(AnthropicUsage::new(admin.clone())),
        anthropic_usage(),
    )?)
}

fn anthropic_usage() -> Presentation<UsageOutput> {
    let action = serde_json::json!({
        "type": "string",
        "enum": ["usage", "cost", "claude_code"],
        "description": "Report: tokens, spending, or metrics of Claude Code",
    });
    documented(
        "anthropic_usage",
        "Query the Anthropic Admin API for organization usage and cost reports.",
        [
            ("action", "action", action),
            (
                "starting_at",
                "starting_at",
                text("Start in UTC, such as 2026-11-02 or 2026-11-02T00:00:00Z"),
            ),
            ("ending_at", "ending_at", text("End in UTC, exclusive")),
            (
                "bucket_width",
                "bucket_width",
                text("1m, 1h or 1d for usage, 1d for cost"),
            ),
            (
                "group_by",
                "group_by",
                list("Groups, such as model or workspace_id"),
            ),
            (
                "limit",
                "limit",
                described(
                    "integer",
                    "Maximum number of buckets or records of one page",
                ),
            ),
        ],
    )
    .alias("page", "page")
    .alias("models", "models")
    .alias("workspace_ids", "workspace_ids")
    .alias("api_key_ids", "api_key_ids")
    .alias("account_ids", "account_ids")
    .alias("service_account_ids", "service_account_ids")
    .alias("service_tiers", "service_tiers")
    .alias("context_window", "context_window")
    .alias("inference_geos", "inference_geos")
    .alias("speeds", "speeds")
}
