//! Usage reports of Anthropic under the names of the source document.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use tool_core::Toolset;

use super::super::document::{self, Documented, integer};
use crate::ConnectorsError;
use crate::anthropic::{AnthropicAdmin, AnthropicUsage, UsageAction, UsageInput};

/// Adds the tool of Anthropic's usage reports.
pub(crate) fn add(toolset: Toolset, admin: &AnthropicAdmin) -> Result<Toolset, ConnectorsError> {
    document::add::<Usage>(
        toolset,
        "anthropic_usage",
        "Query the Anthropic Admin API for organization usage and cost reports.",
        AnthropicUsage::new(admin.clone()),
    )
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Usage {
    /// Report: tokens, spending, or metrics of Claude Code
    #[schemars(schema_with = "actions")]
    action: UsageAction,
    /// Start in UTC, such as 2026-11-02 or 2026-11-02T00:00:00Z
    starting_at: String,
    /// End in UTC, exclusive
    ending_at: Option<String>,
    /// 1m, 1h or 1d for usage, 1d for cost
    bucket_width: Option<String>,
    /// Groups, such as model or workspace_id
    group_by: Option<Vec<String>>,
    /// Maximum number of buckets or records of one page
    #[serde(default)]
    #[schemars(schema_with = "integer")]
    limit: Option<u32>,
    /// Token of the next page, from an earlier call.
    page: Option<String>,
    /// Models to include; `usage` only, like the following filters.
    models: Option<Vec<String>>,
    /// Workspaces to include.
    workspace_ids: Option<Vec<String>>,
    /// API keys to include.
    api_key_ids: Option<Vec<String>>,
    /// Accounts to include.
    account_ids: Option<Vec<String>>,
    /// Service accounts to include.
    service_account_ids: Option<Vec<String>>,
    /// Service tiers to include, such as `batch`.
    service_tiers: Option<Vec<String>>,
    /// Context windows to include, such as `0-200k`.
    context_window: Option<Vec<String>>,
    /// Regions of inference to include.
    inference_geos: Option<Vec<String>>,
    /// Speeds to include.
    speeds: Option<Vec<String>>,
}

/// Returns the schema of a report, without the meanings of the values.
fn actions(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": ["usage", "cost", "claude_code"]})
}

impl Documented for Usage {
    type Tool = AnthropicUsage;

    const HIDDEN: &[&str] = &[
        "page",
        "models",
        "workspace_ids",
        "api_key_ids",
        "account_ids",
        "service_account_ids",
        "service_tiers",
        "context_window",
        "inference_geos",
        "speeds",
    ];

    fn request(self) -> UsageInput {
        UsageInput {
            action: self.action,
            starting_at: self.starting_at,
            ending_at: self.ending_at,
            bucket_width: self.bucket_width,
            group_by: self.group_by.unwrap_or_default(),
            limit: self.limit,
            page: self.page,
            models: self.models.unwrap_or_default(),
            workspace_ids: self.workspace_ids.unwrap_or_default(),
            api_key_ids: self.api_key_ids.unwrap_or_default(),
            account_ids: self.account_ids.unwrap_or_default(),
            service_account_ids: self.service_account_ids.unwrap_or_default(),
            service_tiers: self.service_tiers.unwrap_or_default(),
            context_window: self.context_window.unwrap_or_default(),
            inference_geos: self.inference_geos.unwrap_or_default(),
            speeds: self.speeds.unwrap_or_default(),
        }
    }
}
