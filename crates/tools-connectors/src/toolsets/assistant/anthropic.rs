//! Usage reports of Anthropic under the names of the source document.

use std::sync::Arc;

use serde_json::json;
use tool_core::{Presentation, Toolset};

use super::super::document::documented;
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
    let schemas = json!({
        "action": {
            "type": "string",
            "enum": ["usage", "cost", "claude_code"],
            "description": "Report: tokens, spending, or metrics of Claude Code",
        },
        "starting_at": {
            "type": "string",
            "description": "Start in UTC, such as 2026-11-02 or 2026-11-02T00:00:00Z",
        },
        "ending_at": {"type": "string", "description": "End in UTC, exclusive"},
        "bucket_width": {"type": "string", "description": "1m, 1h or 1d for usage, 1d for cost"},
        "group_by": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Groups, such as model or workspace_id",
        },
        "limit": {
            "type": "integer",
            "description": "Maximum number of buckets or records of one page",
        },
    });
    let description = "Query the Anthropic Admin API for organization usage and cost reports.";
    documented("anthropic_usage", description, &schemas, &[])
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
