//! List of events, and details of one.

use std::fmt::Write as _;
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _, ZonedDateTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, Hints, RiskLevel, ToolContext, ToolError, TypedTool};

use super::when::{When, out_of_range, rfc3339};
use super::wire::Page;
use super::{Calendar, Event, PURPOSE, check_calendar, check_event, primary, wire, zone_or_utc};
use crate::arguments::{check_line, check_token, require};
use crate::door::{Problem, hints_of, one_line};
use crate::google::{Account, Purpose, TIMEOUT};

const MAX_LIMIT: i64 = 250;
const MAX_PAGES: usize = 10;
const MAX_QUERY: usize = 1000;
/// Range of a search without start and end.
const SEARCH_DAYS: i64 = 365;

/// Range and search terms.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) struct ListEventsInput {
    /// Start of the range: a date, a local time or a time with offset. Without start and end, the
    /// range is today, or 365 days if there is a `query`.
    #[serde(default)]
    pub(crate) start: Option<String>,
    /// End of the range. A date includes its day. Omit it for an open end.
    #[serde(default)]
    pub(crate) end: Option<String>,
    /// Search terms.
    #[serde(default)]
    pub(crate) query: Option<String>,
    /// ID of the calendar.
    #[serde(default = "primary")]
    pub(crate) calendar_id: String,
    /// Maximum number of events, from 1 to 250. Values out of range are clamped.
    #[serde(default = "default_limit")]
    pub(crate) limit: i64,
    /// IANA name of the time zone, such as `Europe/Berlin`. The default is the calendar's.
    #[serde(default)]
    pub(crate) time_zone: Option<String>,
    /// Token of the next page, from an earlier call with the same arguments.
    #[serde(default)]
    pub(crate) page_token: Option<String>,
}

fn default_limit() -> i64 {
    25
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
pub(crate) struct CalendarListEvents(Calendar);

impl CalendarListEvents {
    pub(crate) fn of(account: Account) -> Self {
        Self(Calendar::new(account))
    }

    /// Reads pages up to the limit. A page may be empty and still have a successor.
    async fn events(
        &self,
        input: &ListEventsInput,
        range: &EventRange,
        zone: &TimeZone,
        cx: &ToolContext,
    ) -> Result<(Vec<Event>, Option<String>), Problem> {
        let path = ["calendars", &input.calendar_id, "events"];
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
        let limit = usize::try_from(input.limit.clamp(1, MAX_LIMIT)).unwrap_or(1);
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

    fn hints(&self) -> Hints {
        hints_of(Self::RISK)
    }

    fn timeout(&self) -> Option<Duration> {
        Some(TIMEOUT)
    }

    fn plan(&self, _cx: &ToolContext, input: &ListEventsInput) -> Result<CallPlan, ToolError> {
        check_calendar(&input.calendar_id)?;
        check_line(
            "query",
            input.query.as_deref().unwrap_or_default(),
            MAX_QUERY,
        )?;
        check_token("page_token", input.page_token.as_deref())?;
        let zone = zone_or_utc(input.time_zone.as_deref())?;
        range(input, &zone)?;
        Ok(CallPlan::of(Self::RISK))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ListEventsInput,
    ) -> Result<ListEventsOutput, ToolError> {
        let zone = self
            .0
            .zone(input.time_zone.as_deref(), &input.calendar_id, cx)
            .await?;
        let range = range(&input, &zone)?;
        let found = self.events(&input, &range, &zone, cx).await;
        let (events, next) = found.map_err(|problem| self.0.account.error(problem))?;
        cx.note(
            "untrusted_origin",
            format!("calendar:{}", one_line(&input.calendar_id, 254)),
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
        let mut text = match output.events.len() {
            0 => format!("No events {range}."),
            1 => format!("1 event {range}:"),
            many => format!("{many} events {range}:"),
        };
        for (number, event) in (1..).zip(&output.events) {
            // Writing to a String cannot fail.
            let _ = write!(text, "\n\n{number}. ");
            event.write(&mut text, "   ");
        }
        if let Some(token) = &output.next_page_token {
            let _ = write!(text, "\n\nMore events: `page_token` {token}");
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
    let (start, end) = (moment("start", &input.start)?, moment("end", &input.end)?);
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
    let (start, end) = found.map_err(|_| out_of_range("start"))?;
    let is_later = end.as_ref().is_none_or(|end| *end > start);
    let problem = format!("is not after the start, {}", rfc3339(&start));
    require(is_later, "end", problem, "Use a later end.")?;
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
        hints_of(Self::RISK)
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
