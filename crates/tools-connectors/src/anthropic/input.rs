//! Arguments of a report.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::ToolError;

const MAX_VALUES: usize = 100;
const MAX_TEXT: usize = 200;

/// Kind of a report.
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum UsageAction {
    /// Tokens.
    Usage,
    /// Costs.
    Cost,
    /// Productivity metrics of Claude Code.
    ClaudeCode,
}

/// Report to request.
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) struct UsageInput {
    /// Report: `usage` for tokens, `cost` for spending, or `claude_code` for metrics of Claude Code.
    pub(crate) action: UsageAction,
    /// Start in UTC, inclusive: a date or a time such as `2026-11-02T00:00:00Z`.
    pub(crate) starting_at: String,
    /// End in UTC, exclusive. Without it, `claude_code` returns one day.
    #[serde(default)]
    pub(crate) ending_at: Option<String>,
    /// Width of a bucket: `1m`, `1h` or `1d` for `usage`, `1d` for `cost`. The default is `1d`.
    #[serde(default)]
    pub(crate) bucket_width: Option<String>,
    /// Groups of the results, such as `model` or `workspace_id`.
    #[serde(default)]
    pub(crate) group_by: Vec<String>,
    /// Maximum number of buckets or records of one page. Omit it to read all pages.
    #[serde(default)]
    pub(crate) limit: Option<u32>,
    /// Token of the next page, from an earlier call.
    #[serde(default)]
    pub(crate) page: Option<String>,
    /// Models to include; `usage` only, like the following filters.
    #[serde(default)]
    pub(crate) models: Vec<String>,
    /// Workspaces to include.
    #[serde(default)]
    pub(crate) workspace_ids: Vec<String>,
    /// API keys to include.
    #[serde(default)]
    pub(crate) api_key_ids: Vec<String>,
}

impl UsageAction {
    pub(super) fn path(self) -> &'static [&'static str] {
        match self {
            Self::Usage => &["usage_report", "messages"],
            Self::Cost => &["cost_report"],
            Self::ClaudeCode => &["usage_report", "claude_code"],
        }
    }
}

impl UsageInput {
    /// Returns the lists and their names in the API.
    pub(super) fn lists(&self) -> [(&'static str, &Vec<String>); 4] {
        [
            ("group_by", &self.group_by),
            ("models", &self.models),
            ("workspace_ids", &self.workspace_ids),
            ("api_key_ids", &self.api_key_ids),
        ]
    }

    /// Checks lists and page tokens.
    pub(super) fn check_lists(&self) -> Result<(), ToolError> {
        for (name, values) in self.lists() {
            let is_valid = |value: &String| {
                !value.is_empty() && value.len() <= MAX_TEXT && !value.contains(char::is_control)
            };
            if values.len() > MAX_VALUES || !values.iter().all(is_valid) {
                let sentence = "has an empty or long value, or more than 100 values";
                return Err(
                    ToolError::invalid_arguments(name, sentence).suggest("Use fewer values.")
                );
            }
            let is_filter = name != "group_by";
            let is_unsupported = match self.action {
                UsageAction::Usage => false,
                UsageAction::Cost => is_filter,
                UsageAction::ClaudeCode => true,
            };
            if is_unsupported && !values.is_empty() {
                let error = ToolError::invalid_arguments(name, "is not supported by this `action`");
                return Err(error.suggest("Omit it."));
            }
        }
        crate::door::check_token("page", self.page.as_deref())
    }
}

/// Returns the maximum of `limit`, after a check of `bucket_width` and `limit`.
pub(super) fn most(input: &UsageInput) -> Result<u32, ToolError> {
    let width = input.bucket_width.as_deref();
    let most = match (input.action, width) {
        (UsageAction::Usage | UsageAction::Cost, None | Some("1d")) => 31,
        (UsageAction::Usage, Some("1h")) => 168,
        (UsageAction::Usage, Some("1m")) => 1440,
        (UsageAction::ClaudeCode, None) => 1000,
        (action, Some(_)) => {
            let (sentence, suggestion) = match action {
                UsageAction::Usage => ("is not a width", "Use `1m`, `1h` or `1d`."),
                UsageAction::Cost => ("must be `1d` for `cost`", "Use `1d`, or omit it."),
                UsageAction::ClaudeCode => ("is not supported by `claude_code`", "Omit it."),
            };
            return Err(ToolError::invalid_arguments("bucket_width", sentence).suggest(suggestion));
        }
    };
    match input.limit {
        Some(limit) if !(1..=most).contains(&limit) => {
            let sentence = format!("is {limit}; it must be from 1 to {most}");
            Err(ToolError::invalid_arguments("limit", sentence)
                .suggest(format!("Use {most}, or omit it.")))
        }
        _ => Ok(most),
    }
}
