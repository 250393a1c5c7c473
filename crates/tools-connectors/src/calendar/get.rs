//! Details of one event.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{CallPlan, Hints, RiskLevel, ToolContext, ToolError, TypedTool};

use super::service::{Calendar, PURPOSE, check_calendar, check_event, primary, zone_or_utc};
use super::{Event, wire};
use crate::door::{Problem, hints_of_reading};
use crate::google::{Account, TIMEOUT};

/// Event to read.
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) struct GetEventInput {
    /// ID of the event, from a list.
    pub(crate) event_id: String,
    /// ID of the calendar.
    #[serde(default = "primary")]
    pub(crate) calendar_id: String,
    /// IANA name of the time zone for the times. The default is the calendar's.
    #[serde(default)]
    pub(crate) time_zone: Option<String>,
}

/// Tool that reads one event.
#[derive(Debug, Clone)]
pub(crate) struct CalendarGetEvent(Calendar);

impl CalendarGetEvent {
    pub(crate) fn of(account: Account) -> Self {
        Self(Calendar::new(account))
    }
}

impl TypedTool for CalendarGetEvent {
    type Input = GetEventInput;
    type Output = Event;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn hints(&self) -> Hints {
        hints_of_reading()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(TIMEOUT)
    }

    fn plan(&self, _cx: &ToolContext, input: &GetEventInput) -> Result<CallPlan, ToolError> {
        check_event(&input.event_id)?;
        check_calendar(&input.calendar_id)?;
        zone_or_utc(input.time_zone.as_deref())?;
        Ok(CallPlan::of(Self::RISK))
    }

    async fn run(&self, cx: &ToolContext, input: GetEventInput) -> Result<Event, ToolError> {
        let configured = self
            .0
            .account
            .zone
            .as_ref()
            .and_then(|zone| zone.iana_name());
        let request = self
            .0
            .get(
                "event",
                &["calendars", &input.calendar_id, "events", &input.event_id],
            )
            .maybe_query("timeZone", input.time_zone.as_deref().or(configured));
        let event: Result<wire::Event, Problem> = self.0.account.fetch(request, PURPOSE, cx).await;
        let event = event
            .and_then(wire::Event::identified)
            .map_err(|problem| self.0.account.error(problem))?;
        cx.note("untrusted_origin", format!("calendar:{}", input.event_id));
        Ok(Event::of(&event))
    }

    fn render(output: &Event) -> String {
        output.text()
    }
}

#[cfg(test)]
mod tests;
