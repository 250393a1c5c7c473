//! Google Calendar under the names of the source document.

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::Toolset;

use super::super::document::{self, Documented, integer};
use crate::ConnectorsError;
use crate::calendar::{
    CalendarCreateEvent, CalendarGetEvent, CalendarListEvents, CreateEventInput, GetEventInput,
    ListEventsInput, primary,
};
use crate::google::{Google, OneOrMany};

/// Adds the tools of Google Calendar.
pub(crate) fn add(toolset: Toolset, google: &Google) -> Result<Toolset, ConnectorsError> {
    let account = google.calendar()?;
    let toolset = document::add::<ListEvents>(
        toolset,
        "calendar_list_events",
        "List Google Calendar events by date range or search query. Returns event ID, summary, start/end times, location, status, and organizer. Defaults to today's events if no time range is specified.",
        CalendarListEvents::of(account.clone()),
    )?;
    let toolset = document::add::<CreateEvent>(
        toolset,
        "calendar_create_event",
        "Create a Google Calendar event. Supports timed events (ISO 8601 with time) and all-day events (YYYY-MM-DD date only). Can add attendees by email.",
        CalendarCreateEvent::of(account.clone()),
    )?;
    document::add::<GetEvent>(
        toolset,
        "calendar_get_event",
        "Get full details of a Google Calendar event by its event ID, including attendees, conference links, and recurrence rules.",
        CalendarGetEvent::of(account),
    )
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct ListEvents {
    /// Start of the range: a date or an ISO 8601 time
    #[serde(rename = "timeMin")]
    time_min: Option<String>,
    /// End of the range: a date, which is included, or an ISO 8601 time
    #[serde(rename = "timeMax")]
    time_max: Option<String>,
    /// Search query
    query: Option<String>,
    /// ID of the calendar (default: primary)
    #[serde(rename = "calendarId")]
    calendar_id: Option<String>,
    /// Maximum number of events, from 1 to 250
    #[serde(rename = "maxResults", default = "twenty_five")]
    #[schemars(schema_with = "integer")]
    max_results: i64,
    /// IANA name of the time zone, such as `Europe/Berlin`. The default is the calendar's.
    time_zone: Option<String>,
    /// Token of the next page, from an earlier call with the same arguments.
    page_token: Option<String>,
}

fn twenty_five() -> i64 {
    25
}

impl Documented for ListEvents {
    type Tool = CalendarListEvents;

    const RENAMED: &[(&str, &str)] = &[
        ("start", "timeMin"),
        ("end", "timeMax"),
        ("limit", "maxResults"),
        ("calendar_id", "calendarId"),
    ];
    const HIDDEN: &[&str] = &["time_zone", "page_token"];

    fn request(self) -> ListEventsInput {
        ListEventsInput {
            start: self.time_min,
            end: self.time_max,
            query: self.query,
            calendar_id: self.calendar_id.unwrap_or_else(primary),
            limit: self.max_results,
            time_zone: self.time_zone,
            page_token: self.page_token,
        }
    }
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct CreateEvent {
    /// Title of the event
    summary: String,
    /// Start: an ISO 8601 time, or a date for an all-day event
    start: String,
    /// End, exclusive: an ISO 8601 time, or the day after the last day
    end: Option<String>,
    /// Description of the event
    description: Option<String>,
    /// Location of the event
    location: Option<String>,
    /// Email addresses of attendees, who receive invitations
    attendees: Option<Vec<String>>,
    /// IANA name of the time zone of local times. The default is the calendar's.
    time_zone: Option<String>,
    /// Recurrence rules, such as `RRULE:FREQ=WEEKLY;COUNT=5`.
    recurrence: Option<Vec<String>>,
    /// Whether to add a video conference.
    add_video_link: Option<bool>,
    /// Whether attendees receive invitations by mail.
    notify: Option<bool>,
    /// ID of the calendar.
    calendar_id: Option<String>,
    /// Whether to create an event again that was created in the last 10 minutes.
    allow_duplicate: Option<bool>,
}

impl Documented for CreateEvent {
    type Tool = CalendarCreateEvent;

    const HIDDEN: &[&str] = &[
        "time_zone",
        "recurrence",
        "add_video_link",
        "notify",
        "calendar_id",
        "allow_duplicate",
    ];

    fn request(self) -> CreateEventInput {
        CreateEventInput {
            summary: self.summary,
            start: self.start,
            end: self.end,
            description: self.description,
            location: self.location,
            attendees: OneOrMany::Many(self.attendees.unwrap_or_default()),
            time_zone: self.time_zone,
            recurrence: self.recurrence.unwrap_or_default(),
            add_video_link: self.add_video_link.unwrap_or_default(),
            notify: self.notify.unwrap_or(true),
            calendar_id: self.calendar_id.unwrap_or_else(primary),
            allow_duplicate: self.allow_duplicate.unwrap_or_default(),
        }
    }
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct GetEvent {
    /// ID of the event
    #[serde(rename = "eventId")]
    event_id: String,
    /// ID of the calendar.
    calendar_id: Option<String>,
    /// IANA name of the time zone for the times. The default is the calendar's.
    time_zone: Option<String>,
}

impl Documented for GetEvent {
    type Tool = CalendarGetEvent;

    const RENAMED: &[(&str, &str)] = &[("event_id", "eventId")];
    const HIDDEN: &[&str] = &["calendar_id", "time_zone"];

    fn request(self) -> GetEventInput {
        GetEventInput {
            event_id: self.event_id,
            calendar_id: self.calendar_id.unwrap_or_else(primary),
            time_zone: self.time_zone,
        }
    }
}
