//! Google Calendar under the names of the source document.

use std::sync::Arc;

use serde_json::json;
use tool_core::{Presentation, Toolset};

use super::super::document::documented;
use crate::ConnectorsError;
use crate::calendar::{
    CalendarCreateEvent, CalendarGetEvent, CalendarListEvents, EventDetails, ListEventsOutput,
};
use crate::google::Google;

/// Adds the tools of Google Calendar.
pub(crate) fn add(toolset: Toolset, google: &Google) -> Result<Toolset, ConnectorsError> {
    let account = google.calendar()?;
    Ok(toolset
        .tool(
            &Arc::new(CalendarListEvents::of(account.clone())),
            calendar_list_events(),
        )?
        .tool(
            &Arc::new(CalendarCreateEvent::of(account.clone())),
            calendar_create_event(),
        )?
        .tool(
            &Arc::new(CalendarGetEvent::of(account)),
            calendar_get_event(),
        )?)
}

fn calendar_list_events() -> Presentation<ListEventsOutput> {
    let description = "List Google Calendar events by date range or search query. Returns event ID, summary, start/end times, location, status, and organizer. Defaults to today's events if no time range is specified.";
    let schemas = json!({
        "start": {
            "type": "string",
            "description": "Start of the range: a date or an ISO 8601 time",
        },
        "end": {
            "type": "string",
            "description": "End of the range: a date, which is included, or an ISO 8601 time",
        },
        "query": {"type": "string", "description": "Search query"},
        "limit": {
            "type": "integer",
            "description": "Maximum number of events, from 1 to 250",
            "default": 25,
        },
        "calendar_id": {"type": "string", "description": "ID of the calendar (default: primary)"},
    });
    let renamed = [
        ("start", "timeMin"),
        ("end", "timeMax"),
        ("limit", "maxResults"),
        ("calendar_id", "calendarId"),
    ];
    documented("calendar_list_events", description, &schemas, &renamed)
        .alias("time_zone", "time_zone")
        .alias("page_token", "page_token")
}

fn calendar_create_event() -> Presentation<EventDetails> {
    let description = "Create a Google Calendar event. Supports timed events (ISO 8601 with time) and all-day events (YYYY-MM-DD date only). Can add attendees by email.";
    let schemas = json!({
        "summary": {"type": "string", "description": "Title of the event"},
        "start": {
            "type": "string",
            "description": "Start: an ISO 8601 time, or a date for an all-day event",
        },
        "end": {
            "type": "string",
            "description": "End, exclusive: an ISO 8601 time, or the day after the last day",
        },
        "description": {"type": "string", "description": "Description of the event"},
        "location": {"type": "string", "description": "Location of the event"},
        "attendees": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Email addresses of attendees, who receive invitations",
        },
    });
    documented("calendar_create_event", description, &schemas, &[])
        .alias("time_zone", "time_zone")
        .alias("recurrence", "recurrence")
        .alias("add_video_link", "add_video_link")
        .alias("notify", "notify")
        .alias("calendar_id", "calendar_id")
        .alias("allow_duplicate", "allow_duplicate")
}

fn calendar_get_event() -> Presentation<EventDetails> {
    let description = "Get full details of a Google Calendar event by its event ID, including attendees, conference links, and recurrence rules.";
    let schemas = json!({"event_id": {"type": "string", "description": "ID of the event"}});
    let renamed = [("event_id", "eventId")];
    documented("calendar_get_event", description, &schemas, &renamed)
        .alias("calendar_id", "calendar_id")
        .alias("time_zone", "time_zone")
}
