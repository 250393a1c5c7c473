//! Arguments of a report, and its period.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use tool_core::ToolError;

use crate::arguments::{integer, require};

/// Kind of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UsageAction {
    Usage,
    Cost,
    ClaudeCode,
}

/// Report to request.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct UsageInput {
    /// Report: tokens, spending, or metrics of Claude Code
    #[schemars(schema_with = "actions")]
    pub(super) action: UsageAction,
    /// Start in UTC, such as 2026-11-02 or 2026-11-02T00:00:00Z
    starting_at: String,
    /// End in UTC, exclusive
    ending_at: Option<String>,
    /// 1m, 1h or 1d for usage, 1d for cost
    pub(super) bucket_width: Option<String>,
    /// Groups, such as model or workspace_id
    pub(super) group_by: Option<Vec<String>>,
    /// Maximum number of buckets or records of one page
    #[serde(default)]
    #[schemars(schema_with = "integer")]
    pub(super) limit: Option<u32>,
    /// Token of the next page, from an earlier call
    pub(super) page: Option<String>,
}

/// Returns the schema of a report, without the meanings of the values.
fn actions(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": ["usage", "cost", "claude_code"]})
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
    let limit = input.limit.unwrap_or(most);
    let problem = format!("is {limit}; it must be from 1 to {most}");
    let suggestion = format!("Use {most}, or omit it.");
    require((1..=most).contains(&limit), "limit", problem, &suggestion)?;
    Ok(most)
}

/// Maximum number of days of a `claude_code` report.
const MAX_DAYS: usize = 31;

/// Period in UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Period {
    pub(super) start: Timestamp,
    pub(super) end: Option<Timestamp>,
}

impl Period {
    pub(super) fn parse(input: &UsageInput) -> Result<Self, ToolError> {
        let start = moment("starting_at", &input.starting_at)?;
        let end = input
            .ending_at
            .as_deref()
            .map(|end| moment("ending_at", end))
            .transpose()?;
        let is_later = end.is_none_or(|end| end > start);
        let problem = "is not after `starting_at`";
        let suggestion = "Use a later time, or omit it.";
        require(is_later, "ending_at", problem, suggestion)?;
        let period = Self { start, end };
        if input.action == UsageAction::ClaudeCode {
            period.days()?;
        }
        Ok(period)
    }

    /// Returns the days of the period, from the day of the start to the day before the end.
    pub(super) fn days(&self) -> Result<Vec<Date>, ToolError> {
        let day = |time: Timestamp| time.to_zoned_datetime(TimeZone::UTC).date();
        let first = day(self.start);
        let Some(end) = self.end else {
            return Ok(vec![first]);
        };
        let last = day(end.checked_sub(1.nanosecond()).unwrap_or(end));
        let mut days = Vec::new();
        let mut next = Some(first);
        while let Some(day) = next.filter(|day| *day <= last) {
            let problem = format!("is more than {MAX_DAYS} days after `starting_at`");
            let suggestion = "Split the period.";
            require(days.len() < MAX_DAYS, "ending_at", problem, suggestion)?;
            days.push(day);
            next = day.tomorrow().ok();
        }
        Ok(days)
    }
}

/// Parses a time with offset, or a date, which means midnight in UTC.
fn moment(parameter: &str, text: &str) -> Result<Timestamp, ToolError> {
    let text = text.trim();
    if text.len() <= 40 && !text.contains('[') {
        if let Ok(time) = text.parse() {
            return Ok(time);
        }
        let date = Some(text).filter(|text| text.len() == 10);
        let date = date.and_then(|text| text.parse::<Date>().ok());
        if let Some(Ok(midnight)) = date.map(|date| date.to_zoned_datetime(TimeZone::UTC)) {
            return Ok(midnight.timestamp());
        }
    }
    Err(
        ToolError::invalid_arguments(parameter, "is not a time in UTC")
            .suggest("Use a date such as `2026-11-02`, or a time such as `2026-11-02T00:00:00Z`."),
    )
}
