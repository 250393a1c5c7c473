//! Google Calendar under the names of the source document.

use std::sync::Arc;

use tool_core::{Presentation, Toolset};

use super::super::document::{documented, list, number, text};
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
    documented(
        "calendar_list_events",
        description,
        [
            (
                "start",
                "timeMin",
                text("Start of the range: a date or an ISO 8601 time"),
            ),
            (
                "end",
                "timeMax",
                text("End of the range: a date, which is included, or an ISO 8601 time"),
            ),
            ("query", "query", text("Search query")),
            (
                "limit",
                "maxResults",
                number("Maximum number of events, from 1 to 250", 25),
            ),
            (
                "calendar_id",
                "calendarId",
                text("ID of the calendar (default: primary)"),
            ),
        ],
    )
    .alias("time_zone", "time_zone")
    .alias("page_token", "page_token")
}

fn calendar_create_event() -> Presentation<EventDetails> {
    let description = "Create a Google Calendar event. Supports timed events (ISO 8601 with time) and all-day events (YYYY-MM-DD date only). Can add attendees by email.";
    documented(
        "calendar_create_event",
        description,
        [
            ("summary", "summary", text("Title of the event")),
            (
                "start",
                "start",
                text("Start: an ISO 8601 time, or a date for an all-day event"),
            ),
            (
                "end",
                "end",
                text("End, exclusive: an ISO 8601 time, or the day after the last day"),
            ),
            (
                "description",
                "description",
                text("Description of the event"),
            ),
            ("location", "location", text("Location of the event")),
            (
                "attendees",
                "attendees",
                list("Email addresses of attendees, who receive invitations"),
            ),
        ],
    )
    .alias("time_zone", "time_zone")
    .alias("recurrence", "recurrence")
    .alias("add_video_link", "add_video_link")
    .alias("notify", "notify")
    .alias("calendar_id", "calendar_id")
    .alias("allow_duplicate", "allow_duplicate")
}

fn calendar_get_event() -> Presentation<EventDetails> {
    let description = "Get full details of a Google Calendar event by its event ID, including attendees, conference links, and recurrence rules.";
    documented(
        "calendar_get_event",
        description,
        [("event_id", "eventId", text("ID of the event"))],
    )
    .alias("calendar_id", "calendar_id")
    .alias("time_zone", "time_zone")
}
