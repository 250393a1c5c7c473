//! Google Calendar: list, create and get events.

mod create;
mod draft;
mod event;
mod read;
#[cfg(test)]
mod testing;
mod when;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::Value;
use tool_core::{ToolContext, ToolError};

use self::event::Event;
use crate::arguments::require;
use crate::door::{Missing, Problem, Request};
use crate::google::{Account, CALENDAR, Purpose, zone};

pub(crate) use create::CalendarCreateEvent;
pub(crate) use read::{CalendarGetEvent, CalendarListEvents};

/// Maximum size of a response in bytes.
const MAX_RESPONSE: usize = 16 * 1024 * 1024;
/// Time for which the zone of a calendar is kept.
const ZONE_KEPT: Duration = Duration::from_hours(1);
/// Number of calendars whose zones are kept.
const MAX_ZONES: usize = 100;
const MAX_CALENDAR_ID: usize = 254;

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
struct Calendar {
    account: Account,
    /// Zones of calendars, and when they were read.
    zones: Arc<Mutex<HashMap<String, (Instant, TimeZone)>>>,
}

impl Calendar {
    fn new(account: Account) -> Self {
        Self {
            account,
            zones: Arc::default(),
        }
    }

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

    /// Returns the zone of a call if no request is needed: its own, the application's, or the
    /// calendar's if it is known.
    fn known_zone(
        &self,
        name: Option<&str>,
        calendar: &str,
    ) -> Result<Option<TimeZone>, ToolError> {
        if let Some(name) = name {
            return parse_zone(name).map(Some);
        }
        if let Some(zone) = &self.account.zone {
            return Ok(Some(zone.clone()));
        }
        let zones = self.zones.lock().unwrap_or_else(PoisonError::into_inner);
        let known = zones.get(calendar);
        let fresh = known.filter(|(read, _)| read.elapsed() < ZONE_KEPT);
        Ok(fresh.map(|(_, zone)| zone.clone()))
    }

    /// Returns the zone of a call: its own, the application's, the calendar's, or UTC.
    async fn zone(
        &self,
        name: Option<&str>,
        calendar: &str,
        cx: &ToolContext,
    ) -> Result<TimeZone, ToolError> {
        if let Some(zone) = self.known_zone(name, calendar)? {
            return Ok(zone);
        }
        let request = self
            .get("calendar zone", &["calendars", calendar, "events"])
            .query("maxResults", "1")
            .query("fields", "timeZone");
        let page: Result<Page, Problem> = self.account.fetch(request, PURPOSE, cx).await;
        let page = page.map_err(|problem| self.account.error(problem))?;
        let stated = page.time_zone.and_then(|name| zone(&name));
        let found = stated.unwrap_or_else(|| {
            cx.warn("The time zone of the calendar is unknown, so times are in UTC.");
            TimeZone::UTC
        });
        let mut zones = self.zones.lock().unwrap_or_else(PoisonError::into_inner);
        // Simpler than counting uses, and nobody has a hundred calendars.
        if zones.len() >= MAX_ZONES {
            zones.clear();
        }
        zones.insert(calendar.to_owned(), (Instant::now(), found.clone()));
        Ok(found)
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
    let is_valid = !id.is_empty()
        && id.len() <= MAX_CALENDAR_ID
        && !id.contains(char::is_control)
        && !id.trim_matches('.').is_empty();
    let suggestion = "Use `primary` or the address of a calendar.";
    let problem = "is not the ID of a calendar";
    require(is_valid, "calendarId", problem, suggestion)
}

/// Checks the ID of an event.
fn check_event(id: &str) -> Result<(), ToolError> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '@' | '.' | '-');
    let is_valid = (1..=1024).contains(&id.len())
        && id.chars().all(is_allowed)
        && !id.trim_matches('.').is_empty();
    let suggestion = "Use an ID from a list of events.";
    let problem = "is not the ID of an event";
    require(is_valid, "eventId", problem, suggestion)
}

/// Returns the ID of the calendar, by default that of the user.
fn calendar_of(id: Option<&String>) -> &str {
    id.map_or("primary", String::as_str)
}
