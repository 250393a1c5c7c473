//! Gmail and Google Calendar under the names of the source document.

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::Toolset;

use super::{Documented, add as documented, integer};
use crate::ConnectorsError;
use crate::arguments::OneOrMany;
use crate::calendar::{
    CalendarCreateEvent, CalendarGetEvent, CalendarListEvents, CreateEventInput, GetEventInput,
    ListEventsInput,
};
use crate::gmail::{
    GmailRead, GmailSearch, GmailSend, ReadMailInput, SearchMailInput, SendMailInput,
};
use crate::google::{GmailAccess, Google};

/// Adds the tools of Gmail and Google Calendar.
pub(crate) fn add(toolset: Toolset, google: &Google) -> Result<Toolset, ConnectorsError> {
    let mail = google.gmail()?;
    let toolset = documented::<Search>(
        toolset,
        "gmail_search",
        "Search Gmail using Gmail search syntax (e.g., is:unread, from:someone@example.com).",
        GmailSearch::of(mail.clone()),
    )?;
    let mut toolset = documented::<Read>(
        toolset,
        "gmail_read",
        "Read the full content of a Gmail message by its ID.",
        GmailRead::of(mail.clone()),
    )?;
    if google.gmail_access() != GmailAccess::ReadOnly {
        toolset = documented::<Send>(
            toolset,
            "gmail_send",
            "Send a plain-text email.",
            GmailSend::of(mail),
        )?;
    }
    let calendar = google.calendar()?;
    let toolset = documented::<ListEvents>(
        toolset,
        "calendar_list_events",
        "List Google Calendar events by date range or search query. Returns event ID, summary, start/end times, location, status, and organizer. Defaults to today's events if no time range is specified.",
        CalendarListEvents::of(calendar.clone()),
    )?;
    let toolset = documented::<CreateEvent>(
        toolset,
        "calendar_create_event",
        "Create a Google Calendar event. Supports timed events (ISO 8601 with time) and all-day events (YYYY-MM-DD date only). Can add attendees by email.",
        CalendarCreateEvent::of(calendar.clone()),
    )?;
    documented::<GetEvent>(
        toolset,
        "calendar_get_event",
        "Get full details of a Google Calendar event by its event ID, including attendees, conference links, and recurrence rules.",
        CalendarGetEvent::of(calendar),
    )
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Search {
    /// Gmail search query
    query: String,
    /// Maximum number of messages, from 1 to 50
    #[serde(rename = "maxResults", default = "ten")]
    #[schemars(schema_with = "integer")]
    max_results: i64,
    /// Token of the next page, from an earlier search with the same query.
    page_token: Option<String>,
}

fn ten() -> i64 {
    10
}

impl Documented for Search {
    type Tool = GmailSearch;

    const RENAMED: &[(&str, &str)] = &[("limit", "maxResults")];
    const HIDDEN: &[&str] = &["page_token"];

    fn request(self) -> SearchMailInput {
        SearchMailInput {
            query: self.query,
            limit: self.max_results,
            page_token: self.page_token,
            include_spam_trash: false,
        }
    }
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Read {
    /// ID of the message
    #[serde(rename = "messageId")]
    message_id: String,
    /// Number of characters to skip, from the `next_offset` of an earlier call.
    offset: Option<usize>,
}

impl Documented for Read {
    type Tool = GmailRead;

    const RENAMED: &[(&str, &str)] = &[("id", "messageId")];
    const HIDDEN: &[&str] = &["offset"];

    fn request(self) -> ReadMailInput {
        ReadMailInput {
            id: self.message_id,
            max_chars: 200_000,
            offset: self.offset.unwrap_or_default(),
        }
    }
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Send {
    /// Recipient address, or several separated by commas
    to: Option<String>,
    /// Subject of the email
    subject: Option<String>,
    /// Plain-text body of the email
    body: String,
    /// Addresses of copies, separated by commas
    cc: Option<String>,
    /// Addresses of hidden copies, separated by commas
    bcc: Option<String>,
    /// Whether to send a message that was sent in the last 10 minutes again.
    allow_duplicate: Option<bool>,
}

impl Documented for Send {
    type Tool = GmailSend;

    const HIDDEN: &[&str] = &["allow_duplicate"];

    fn request(self) -> SendMailInput {
        let addresses = |list: Option<String>| list.map(OneOrMany::One).unwrap_or_default();
        SendMailInput {
            to: addresses(self.to),
            subject: self.subject.unwrap_or_default(),
            body: self.body,
            cc: addresses(self.cc),
            bcc: addresses(self.bcc),
            reply_to_message_id: None,
            allow_duplicate: self.allow_duplicate.unwrap_or_default(),
        }
    }
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
    /// Token of the next page, from an earlier call with the same arguments.
    page_token: Option<String>,
}

fn twenty_five() -> i64 {
    25
}

fn primary() -> String {
    "primary".to_owned()
}

impl Documented for ListEvents {
    type Tool = CalendarListEvents;

    const RENAMED: &[(&str, &str)] = &[
        ("start", "timeMin"),
        ("end", "timeMax"),
        ("limit", "maxResults"),
        ("calendar_id", "calendarId"),
    ];
    const HIDDEN: &[&str] = &["page_token"];

    fn request(self) -> ListEventsInput {
        ListEventsInput {
            start: self.time_min,
            end: self.time_max,
            query: self.query,
            calendar_id: self.calendar_id.unwrap_or_else(primary),
            limit: self.max_results,
            time_zone: None,
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
    /// Whether to create an event again that was created in the last 10 minutes.
    allow_duplicate: Option<bool>,
}

impl Documented for CreateEvent {
    type Tool = CalendarCreateEvent;

    const HIDDEN: &[&str] = &["allow_duplicate"];

    fn request(self) -> CreateEventInput {
        CreateEventInput {
            summary: self.summary,
            start: self.start,
            end: self.end,
            description: self.description,
            location: self.location,
            attendees: OneOrMany::Many(self.attendees.unwrap_or_default()),
            time_zone: None,
            recurrence: Vec::new(),
            add_video_link: false,
            notify: true,
            calendar_id: primary(),
            allow_duplicate: self.allow_duplicate.unwrap_or_default(),
        }
    }
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct GetEvent {
    /// ID of the event
    #[serde(rename = "eventId")]
    event_id: String,
}

impl Documented for GetEvent {
    type Tool = CalendarGetEvent;

    const RENAMED: &[(&str, &str)] = &[("event_id", "eventId")];

    fn request(self) -> GetEventInput {
        GetEventInput {
            event_id: self.event_id,
            calendar_id: primary(),
            time_zone: None,
        }
    }
}
