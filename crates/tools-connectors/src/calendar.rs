//! Google Calendar: list, create and get events.

mod create;
mod draft;
mod event;
mod read;
#[cfg(test)]
mod testing;
mod when;

use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::Value;
use tool_core::{ToolContext, ToolError};

use self::event::Event;
use crate::arguments::check_id;
use crate::door::{Missing, Problem, Request};
use crate::google::{Account, CALENDAR, Purpose, zone};

pub(crate) use create::CalendarCreateEvent;
pub(crate) use read::{CalendarGetEvent, CalendarListEvents};

/// Maximum size of a response in bytes.
const MAX_RESPONSE: usize = 16 * 1024 * 1024;

/// Purpose of all requests. A 404 may refer to the event or to the calendar.
const PURPOSE: Purpose = Purpose {
    scope: CALENDAR,
    permission: "read and change calendar events",
    missing: Missing {
        code: "event_not_found",
        what: "The event or the calendar",
        is_deleted: false,
    },
    parameter: None,
};

/// Page of events.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Page {
    items: Vec<Value>,
    next_page_token: Option<String>,
    time_zone: Option<String>,
}

/// Calendars of one account.
#[derive(Debug, Clone)]
pub(crate) struct Calendar {
    pub(crate) account: Account,
}

impl Calendar {
    fn get(&self, operation: &'static str, path: &[&str]) -> Request {
        Request::get(operation, &self.account.base, path).max_bytes(MAX_RESPONSE)
    }

    /// Returns the domain of the account, for a preview. The title of the primary calendar is the
    /// address of its user, unless the user has renamed it.
    async fn domain(&self) -> Option<String> {
        let request = self
            .get("calendar title", &["calendars", "primary", "events"])
            .query("maxResults", "1")
            .query("fields", "summary");
        self.account.domain(request, "/summary").await
    }

    /// Returns the zone of a call if no request is needed: its own, or the application's.
    fn known_zone(&self, name: Option<&str>) -> Result<Option<TimeZone>, ToolError> {
        let own = name.map(parse_zone).transpose()?;
        Ok(own.or_else(|| self.account.zone.clone()))
    }

    /// Returns the zone of a call: its own, the application's, the calendar's, or UTC.
    async fn zone(
        &self,
        name: Option<&str>,
        calendar: &str,
        cx: &ToolContext,
    ) -> Result<TimeZone, ToolError> {
        if let Some(zone) = self.known_zone(name)? {
            return Ok(zone);
        }
        let request = self
            .get("calendar zone", &["calendars", calendar, "events"])
            .query("maxResults", "1")
            .query("fields", "timeZone");
        let page: Result<Page, Problem> = self.account.fetch(request, PURPOSE, cx).await;
        let page = page.map_err(|problem| self.account.error(problem))?;
        let stated = page.time_zone.and_then(|name| zone(&name));
        Ok(stated.unwrap_or_else(|| {
            cx.warn("The time zone of the calendar is unknown, so times are in UTC.");
            TimeZone::UTC
        }))
    }
}

fn parse_zone(name: &str) -> Result<TimeZone, ToolError> {
    zone(name).ok_or_else(|| {
        ToolError::invalid_arguments("timeZone", "is not an IANA time zone")
            .suggest("Use a name such as `Europe/Berlin`.")
    })
}

/// Returns the zone with this name, or UTC without a name.
fn zone_or_utc(name: Option<&str>) -> Result<TimeZone, ToolError> {
    name.map_or(Ok(TimeZone::UTC), parse_zone)
}

/// Checks the ID of a calendar.
fn check_calendar(id: &str) -> Result<(), ToolError> {
    let suggestion = "Use `primary` or the address of a calendar.";
    check_id("calendarId", id, |c| !c.is_control(), suggestion)
}

/// Checks the ID of an event.
fn check_event(id: &str) -> Result<(), ToolError> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '@' | '.' | '-');
    let suggestion = "Use an ID from a list of events.";
    check_id("eventId", id, is_allowed, suggestion)
}

/// Returns the ID of the calendar, by default that of the user.
fn calendar_of(id: Option<&String>) -> &str {
    id.map_or("primary", String::as_str)
}
