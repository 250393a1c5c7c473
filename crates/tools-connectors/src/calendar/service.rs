//! Requests to Google Calendar.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use jiff::tz::TimeZone;
use tokio::sync::{Semaphore, SemaphorePermit};
use tool_core::{ToolContext, ToolError};

use super::wire::Page;
use crate::door::{Missing, Problem, Request};
use crate::google::{Account, CALENDAR, Purpose, domain_of, zone};

/// Maximum size of a response in bytes.
pub(super) const MAX_RESPONSE: usize = 16 * 1024 * 1024;
/// Concurrent calls of one tool.
const CALLS: usize = 4;
/// Time for which the zone of a calendar is kept.
const ZONE_KEPT: Duration = Duration::from_hours(1);
/// Number of calendars whose zones are kept.
const MAX_ZONES: usize = 100;
const MAX_CALENDAR_ID: usize = 254;

/// Purpose of all requests. A 404 may refer to the event or to the calendar.
pub(super) const PURPOSE: Purpose = Purpose {
    scope: CALENDAR,
    permission: "read and change calendar events",
    missing: Missing {
        code: "event_not_found",
        what: "The event or the calendar",
        is_deleted: false,
    },
    parameter: None,
};

/// Zone of a calendar and the time when it was read. Calendars with an unknown zone have UTC.
#[derive(Debug)]
struct KnownZone {
    read: Instant,
    zone: TimeZone,
    is_known: bool,
}

/// Calendars of one account.
#[derive(Debug, Clone)]
pub(super) struct Calendar {
    pub(super) account: Account,
    places: Arc<Semaphore>,
    zones: Arc<Mutex<HashMap<String, KnownZone>>>,
    /// Domain of the account, once it is known.
    domain: Arc<OnceLock<String>>,
}

impl Calendar {
    pub(super) fn new(account: Account) -> Self {
        Self {
            account,
            places: Arc::new(Semaphore::new(CALLS)),
            zones: Arc::default(),
            domain: Arc::default(),
        }
    }

    /// Waits until fewer than 4 calls of the tool are running.
    pub(super) async fn place(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        self.places.acquire().await.ok()
    }

    pub(super) fn get(&self, operation: &'static str, path: &[&str]) -> Request {
        Request::get(operation, &self.account.base, path).max_bytes(MAX_RESPONSE)
    }

    /// Returns the zone of a call: its own, the application's, the calendar's, or UTC.
    pub(super) async fn zone(
        &self,
        name: Option<&str>,
        calendar: &str,
        cx: &ToolContext,
    ) -> Result<TimeZone, ToolError> {
        if let Some(name) = name {
            return parse_zone(name);
        }
        if let Some(zone) = &self.account.zone {
            return Ok(zone.clone());
        }
        if let Some((zone, _)) = self.known_zone(calendar) {
            return Ok(zone);
        }
        let request = self
            .get("calendar zone", &["calendars", calendar, "events"])
            .query("maxResults", "1")
            .query("fields", "timeZone");
        let page: Result<Page, Problem> = self.account.fetch(request, PURPOSE, cx).await;
        let page = page.map_err(|problem| self.account.error(problem))?;
        self.learn_zone(calendar, page.time_zone.as_deref());
        let (zone, is_known) = self.known_zone(calendar).unwrap_or((TimeZone::UTC, false));
        if !is_known {
            cx.warn(
                "The time zone of the calendar is unknown, so times are in UTC. Pass `time_zone` for another one.",
            );
        }
        Ok(zone)
    }

    /// Returns the domain of the account from the title of its primary calendar, without a sign-in.
    pub(super) async fn domain(&self, cx: &ToolContext) -> Option<String> {
        if let Some(domain) = self.domain.get() {
            return Some(domain.clone());
        }
        if !self.account.is_signed_in() {
            return None;
        }
        let request = self
            .get("calendar title", &["calendars", "primary", "events"])
            .query("maxResults", "1")
            .query("fields", "summary");
        let page: Page = self.account.fetch(request, PURPOSE, cx).await.ok()?;
        let domain = domain_of(page.summary.as_deref()?)?;
        Some(self.domain.get_or_init(|| domain).clone())
    }

    /// Returns the zone of a calendar, and whether the service stated it.
    fn known_zone(&self, calendar: &str) -> Option<(TimeZone, bool)> {
        let zones = self.zones.lock().unwrap_or_else(PoisonError::into_inner);
        let known = zones.get(calendar)?;
        (known.read.elapsed() < ZONE_KEPT).then(|| (known.zone.clone(), known.is_known))
    }

    /// Keeps the zone of a calendar.
    pub(super) fn learn_zone(&self, calendar: &str, name: Option<&str>) {
        let found = name.and_then(|name| zone(name).ok());
        let mut zones = self.zones.lock().unwrap_or_else(PoisonError::into_inner);
        if zones.len() >= MAX_ZONES {
            zones.clear();
        }
        let known = KnownZone {
            read: Instant::now(),
            is_known: found.is_some(),
            zone: found.unwrap_or(TimeZone::UTC),
        };
        zones.insert(calendar.to_owned(), known);
    }
}

/// Returns the zone with this name.
fn parse_zone(name: &str) -> Result<TimeZone, ToolError> {
    zone(name).map_err(|similar| {
        ToolError::invalid_arguments("time_zone", "is not an IANA time zone")
            .suggest(format!("Use a name such as {similar}."))
    })
}

/// Returns the zone with this name, or UTC without a name.
pub(super) fn zone_or_utc(name: Option<&str>) -> Result<TimeZone, ToolError> {
    name.map_or(Ok(TimeZone::UTC), parse_zone)
}

/// Checks the ID of a calendar.
pub(super) fn check_calendar(id: &str) -> Result<(), ToolError> {
    let is_valid = !id.is_empty()
        && id.len() <= MAX_CALENDAR_ID
        && !id.contains(char::is_control)
        && !id.trim_matches('.').is_empty();
    if is_valid {
        return Ok(());
    }
    Err(
        ToolError::invalid_arguments("calendar_id", "is not the ID of a calendar")
            .suggest("Use `primary` or the address of a calendar."),
    )
}

/// Checks the ID of an event.
pub(super) fn check_event(id: &str) -> Result<(), ToolError> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '@' | '.' | '-');
    let is_valid = (1..=1024).contains(&id.len())
        && id.chars().all(is_allowed)
        && !id.trim_matches('.').is_empty();
    if is_valid {
        return Ok(());
    }
    Err(
        ToolError::invalid_arguments("event_id", "is not the ID of an event")
            .suggest("Use an ID from a list of events."),
    )
}

/// Returns the default calendar.
pub(crate) fn primary() -> String {
    "primary".to_owned()
}
