//! List of events, and details of one.

use std::fmt::Write as _;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _, ZonedDateTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::when::{When, out_of_range, rfc3339};
use super::{
    Calendar, Event, PURPOSE, Page, calendar_of, check_calendar, check_event, zone_or_utc,
};
use crate::arguments::{check_line, check_token, integer, require};
use crate::door::{Problem, heading, one_line};
use crate::google::Purpose;

const MAX_LIMIT: i64 = 250;
const MAX_PAGES: usize = 10;
const MAX_QUERY: usize = 1000;
/// Range of a search without start and end.
const SEARCH_DAYS: i64 = 365;

/// Range and search terms.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListEventsInput {
    /// Start of the range: a date or an ISO 8601 time
    time_min: Option<String>,
    /// End of the range: a date, which is included, or an ISO 8601 time
    time_max: Option<String>,
    /// Search query
    query: Option<String>,
    /// ID of the calendar (default: primary)
    calendar_id: Option<String>,
    /// Maximum number of events, from 1 to 250
    #[serde(default = "default_limit")]
    #[schemars(schema_with = "integer")]
    max_results: i64,
    /// IANA name of the time zone (default: that of the calendar)
    time_zone: Option<String>,
    /// Token of the next page, from an earlier call with the same arguments
    page_token: Option<String>,
}

fn default_limit() -> i64 {
    25
}

impl ListEventsInput {
    fn calendar(&self) -> &str {
        calendar_of(self.calendar_id.as_ref())
    }
}

/// Events in order of their start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ListEventsOutput {
    /// Events. Their text is untrusted.
    pub(crate) events: Vec<Event>,
    /// Range of the list.
    pub(crate) range: EventRange,
    /// Time zone of the call.
    pub(crate) time_zone: String,
    /// Token of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_page_token: Option<String>,
    /// Whether there are further events.
    pub(crate) truncated: bool,
}

/// Range of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct EventRange {
    /// Start with offset.
    pub(crate) start: String,
    /// End with offset; missing if the range is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<String>,
}

/// Tool that lists events.
#[derive(Debug, Clone)]
pub(crate) struct CalendarListEvents(pub(crate) Calendar);

impl CalendarListEvents {
    /// Reads pages up to the limit. A page may be empty and still have a successor.
    async fn events(
        &self,
        input: &ListEventsInput,
        range: &EventRange,
        zone: &TimeZone,
        cx: &ToolContext,
    ) -> Result<(Vec<Event>, Option<String>), Problem> {
        let path = ["calendars", input.calendar(), "events"];
        let request = self
            .0
            .get("list events", &path)
            // `orderBy` requires single events, and a series would be one entry without dates.
            .query("singleEvents", "true")
            .query("orderBy", "startTime")
            .query("timeMin", &range.start)
            .maybe_query("timeMax", range.end.as_deref())
            .maybe_query("timeZone", zone.iana_name())
            .maybe_query("q", input.query.as_deref());
        let purpose = Purpose {
            parameter: input.query.as_ref().map(|_| "query"),
            ..PURPOSE
        };
        let limit = usize::try_from(input.max_results.clamp(1, MAX_LIMIT)).unwrap_or(1);
        let mut events = Vec::new();
        let mut token = input.page_token.clone();
        for _ in 0..MAX_PAGES {
            let wanted = limit - events.len();
            let request = request
                .clone()
                .query("maxResults", &wanted.to_string())
                .maybe_query("pageToken", token.as_deref());
            let page: Page = self.0.account.fetch(request, purpose, cx).await?;
            events.extend(page.items.iter().take(wanted).map(Event::summary_of));
            let next = page.next_page_token;
            // A service that returns the same page forever must not keep the call busy.
            let is_repeated = next == token;
            token = next;
            if token.is_none() || is_repeated || events.len() >= limit {
                break;
            }
        }
        Ok((events, token))
    }
}

impl TypedTool for CalendarListEvents {
    type Input = ListEventsInput;
    type Output = ListEventsOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn plan(&self, _cx: &ToolContext, input: &ListEventsInput) -> Result<CallPlan, ToolError> {
        check_calendar(input.calendar())?;
        check_line(
            "query",
            input.query.as_deref().unwrap_or_default(),
            MAX_QUERY,
        )?;
        check_token("pageToken", input.page_token.as_deref())?;
        let zone = zone_or_utc(input.time_zone.as_deref())?;
        range(input, &zone)?;
        Ok(CallPlan::of(Self::RISK))
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let zone = self
            .0
            .zone(input.time_zone.as_deref(), input.calendar(), cx)
            .await?;
        let range = range(&input, &zone)?;
        let found = self.events(&input, &range, &zone, cx).await;
        let (events, next) = found.map_err(|problem| self.0.account.error(problem))?;
        cx.note(
            "untrusted_origin",
            format!("calendar:{}", one_line(input.calendar(), 254)),
        );
        Ok(ListEventsOutput {
            events,
            range,
            time_zone: zone.iana_name().unwrap_or("UTC").to_owned(),
            truncated: next.is_some(),
            next_page_token: next.map(|token| one_line(&token, 2000)),
        })
    }

    fn render(output: &ListEventsOutput) -> String {
        let end = output
            .range
            .end
            .as_deref()
            .map_or(String::new(), |end| format!(" to {end}"));
        let range = format!("from {}{end} ({})", output.range.start, output.time_zone);
        let mut text = heading(output.events.len(), "event", &range);
        for (number, event) in (1..).zip(&output.events) {
            // Writing to a String cannot fail.
            let _ = write!(text, "\n\n{number}. ");
            event.write(&mut text, "   ");
        }
        if let Some(token) = &output.next_page_token {
            let _ = write!(text, "\n\nMore events: `pageToken` {token}");
        }
        text
    }
}

/// Returns the range of a call.
fn range(input: &ListEventsInput, zone: &TimeZone) -> Result<EventRange, ToolError> {
    let moment = |parameter: &'static str, text: &Option<String>| {
        text.as_deref()
            .map(|text| When::parse(parameter, text))
            .transpose()
    };
    let start = moment("timeMin", &input.time_min)?;
    let end = moment("timeMax", &input.time_max)?;
    let now = Timestamp::now().to_zoned_datetime(zone.clone());
    let found = match (&start, &end) {
        (None, None) => {
            default_range(&now, input.query.is_some()).map(|(start, end)| (start, Some(end)))
        }
        (Some(start), None) => start.start(zone).map(|start| (start, None)),
        (None, Some(end)) => end.end(zone).map(|end| (now, Some(end))),
        (Some(start), Some(end)) => start
            .start(zone)
            .and_then(|start| Ok((start, Some(end.end(zone)?)))),
    };
    let (start, end) = found.map_err(|_| out_of_range("timeMin"))?;
    let is_later = end.as_ref().is_none_or(|end| *end > start);
    let problem = format!("is not after the start, {}", rfc3339(&start));
    require(is_later, "timeMax", problem, "Use a later end.")?;
    Ok(EventRange {
        start: rfc3339(&start),
        end: end.as_ref().map(rfc3339),
    })
}

/// Returns today, or a year for a search.
fn default_range(
    now: &ZonedDateTime,
    is_search: bool,
) -> Result<(ZonedDateTime, ZonedDateTime), jiff::Error> {
    let days = if is_search { SEARCH_DAYS } else { 1 };
    let start = now.start_of_day()?;
    let end = now.date().checked_add(days.days())?;
    Ok((start, end.to_zoned_datetime(now.time_zone().clone())?))
}

/// Event to read.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GetEventInput {
    /// ID of the event
    event_id: String,
    /// ID of the calendar (default: primary)
    calendar_id: Option<String>,
    /// IANA name of the time zone (default: that of the calendar)
    time_zone: Option<String>,
}

/// Tool that reads one event.
#[derive(Debug, Clone)]
pub(crate) struct CalendarGetEvent(pub(crate) Calendar);

impl TypedTool for CalendarGetEvent {
    type Input = GetEventInput;
    type Output = Event;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn plan(&self, _cx: &ToolContext, input: &GetEventInput) -> Result<CallPlan, ToolError> {
        check_event(&input.event_id)?;
        check_calendar(calendar_of(input.calendar_id.as_ref()))?;
        zone_or_utc(input.time_zone.as_deref())?;
        Ok(CallPlan::of(Self::RISK))
    }

    async fn run(&self, cx: &ToolContext, input: GetEventInput) -> Result<Event, ToolError> {
        let account = &self.0.account;
        let configured = account.zone.as_ref().and_then(|zone| zone.iana_name());
        let calendar = calendar_of(input.calendar_id.as_ref());
        let request = self
            .0
            .get("event", &["calendars", calendar, "events", &input.event_id])
            .maybe_query("timeZone", input.time_zone.as_deref().or(configured));
        let event: Result<Value, Problem> = account.fetch(request, PURPOSE, cx).await;
        let event = event
            .and_then(|event| Event::of(&event))
            .map_err(|problem| account.error(problem))?;
        cx.note("untrusted_origin", format!("calendar:{}", input.event_id));
        Ok(event)
    }

    fn render(output: &Event) -> String {
        output.text()
    }
}

#[cfg(test)]
mod tests;
