//! Period of a report.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use tool_core::ToolError;

use super::input::{UsageAction, UsageInput};

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
        if end.is_some_and(|end| end <= start) {
            return Err(
                ToolError::invalid_arguments("ending_at", "is not after `starting_at`")
                    .suggest("Use a later time, or omit it."),
            );
        }
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
            if days.len() >= MAX_DAYS {
                let sentence = format!("is more than {MAX_DAYS} days after `starting_at`");
                return Err(ToolError::invalid_arguments("ending_at", sentence)
                    .suggest("Split the period."));
            }
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
