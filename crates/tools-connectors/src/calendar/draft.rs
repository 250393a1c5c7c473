//! Events to create.

use jiff::tz::TimeZone;
use jiff::{ToSpan as _, ZonedDateTime};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::ToolError;

use super::when::{When, out_of_range, rfc3339};
use super::{calendar_of, check_calendar, zone_or_utc};
use crate::arguments::{check_length, check_line, require};
use crate::gmail::MailAddress;
use crate::google::{Fingerprint, people};

const MAX_LINE: usize = 1000;
const MAX_DESCRIPTION: usize = 8000;
const MAX_ATTENDEES: usize = 100;

/// Event to create.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateEventInput {
    /// Title of the event
    pub(super) summary: String,
    /// Start: an ISO 8601 time, or a date for an all-day event
    pub(super) start: String,
    /// End, exclusive: an ISO 8601 time, or the day after the last day
    pub(super) end: Option<String>,
    /// Description of the event
    pub(super) description: Option<String>,
    /// Location of the event
    pub(super) location: Option<String>,
    /// Email addresses of attendees, who receive invitations
    attendees: Option<Vec<String>>,
    /// IANA name of the time zone of local times (default: that of the calendar)
    pub(super) time_zone: Option<String>,
    /// Recurrence rules, such as RRULE:FREQ=WEEKLY;COUNT=5
    pub(super) recurrence: Option<Vec<String>>,
    /// Whether to add a video conference
    pub(super) add_video_link: Option<bool>,
    /// Whether attendees receive invitations by mail (default: true)
    notify: Option<bool>,
    /// ID of the calendar (default: primary)
    calendar_id: Option<String>,
    /// Whether to create an event again that was created in the last 10 minutes
    pub(super) allow_duplicate: Option<bool>,
}

impl CreateEventInput {
    pub(super) fn calendar(&self) -> &str {
        calendar_of(self.calendar_id.as_ref())
    }

    pub(super) fn notifies(&self) -> bool {
        self.notify != Some(false)
    }
}

/// Valid event without its ID.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    start: When,
    end: Option<When>,
    pub(super) attendees: Vec<MailAddress>,
}

/// Start and end in the form of the API, and for text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Times {
    pub(super) start: Value,
    pub(super) end: Value,
    pub(super) shown: String,
}

impl Draft {
    /// Validates the arguments of a call.
    pub(super) fn parse(input: &CreateEventInput) -> Result<Self, ToolError> {
        check_calendar(input.calendar())?;
        check_line("summary", &input.summary, MAX_LINE)?;
        check_line(
            "location",
            input.location.as_deref().unwrap_or_default(),
            MAX_LINE,
        )?;
        let description = input.description.as_deref().unwrap_or_default();
        check_length("description", description, MAX_DESCRIPTION)?;
        let start = When::parse("start", &input.start)?;
        let end = input
            .end
            .as_deref()
            .map(|end| When::parse("end", end))
            .transpose()?;
        let draft = Self {
            attendees: attendees(input)?,
            start,
            end,
        };
        let zone = zone_or_utc(input.time_zone.as_deref())?;
        draft.times(&zone)?;
        Ok(draft)
    }

    /// Returns start and end in the zone of the call.
    pub(super) fn times(&self, zone: &TimeZone) -> Result<Times, ToolError> {
        match (&self.start, &self.end) {
            (When::Date(start), None | Some(When::Date(_))) => {
                let next = start
                    .checked_add(1.day())
                    .map_err(|_| out_of_range("start"))?;
                let end = match &self.end {
                    // Models often pass the same day twice for an event of one day, although the end is exclusive.
                    Some(When::Date(end)) if end != start => *end,
                    _ => next,
                };
                if end <= *start {
                    return Err(too_early());
                }
                let last = end.yesterday().map_err(|_| out_of_range("end"))?;
                Ok(Times {
                    start: json!({"date": start.to_string()}),
                    end: json!({"date": end.to_string()}),
                    shown: format!("{start} to {last} (all day)"),
                })
            }
            (When::Date(_), _) | (_, Some(When::Date(_))) => Err(ToolError::invalid_arguments(
                "end",
                "and `start` mix a date and a time",
            )
            .suggest("Use two dates for an all-day event, or two times.")),
            (start, end) => timed(start, end.as_ref(), zone),
        }
    }

    /// Returns the digest of the event.
    pub(super) fn fingerprint(input: &CreateEventInput) -> Fingerprint {
        let end = input.end.as_deref().unwrap_or_default();
        let parts = [input.calendar(), &input.summary, &input.start, end];
        let people = input.attendees.iter().flatten().map(String::as_str);
        Fingerprint::of(parts.into_iter().chain(people))
    }

    /// Returns the body of the request.
    pub(super) fn body(&self, input: &CreateEventInput, id: &str, times: &Times) -> Value {
        let attendees = self
            .attendees
            .iter()
            .map(|person| match person.name.as_str() {
                "" => json!({"email": person.address}),
                name => json!({"email": person.address, "displayName": name}),
            });
        let conference = json!({"createRequest": {
            "requestId": id, "conferenceSolutionKey": {"type": "hangoutsMeet"},
        }});
        let mut body = json!({
            "id": id, "summary": input.summary, "start": times.start, "end": times.end,
            "description": input.description, "location": input.location,
            "attendees": attendees.collect::<Value>(), "recurrence": input.recurrence,
            "conferenceData": (input.add_video_link == Some(true)).then_some(conference),
        });
        if let Some(members) = body.as_object_mut() {
            members.retain(|_, value| !value.is_null() && *value != json!([]));
        }
        body
    }
}

fn timed(start: &When, end: Option<&When>, zone: &TimeZone) -> Result<Times, ToolError> {
    let first = start.start(zone).map_err(|_| out_of_range("start"))?;
    let last = match end {
        Some(end) => end.start(zone).map_err(|_| out_of_range("end"))?,
        None => first
            .checked_add(1.hour())
            .map_err(|_| out_of_range("start"))?,
    };
    if last < first {
        return Err(too_early());
    }
    let time = |time: &ZonedDateTime, given: Option<&When>| {
        let text = match given {
            Some(When::Exact(_, text)) => text.clone(),
            _ => rfc3339(time),
        };
        // The zone is required for recurring events, even if the times have offsets.
        json!({"dateTime": text, "timeZone": zone.iana_name().unwrap_or("UTC")})
    };
    Ok(Times {
        start: time(&first, Some(start)),
        end: time(&last, end),
        shown: format!("{} to {}", rfc3339(&first), rfc3339(&last)),
    })
}

fn too_early() -> ToolError {
    ToolError::invalid_arguments("end", "is before the start")
        .suggest("Use a later end, or omit it.")
}

fn attendees(input: &CreateEventInput) -> Result<Vec<MailAddress>, ToolError> {
    let mut found = Vec::new();
    for list in input.attendees.iter().flatten() {
        found.extend(people("attendees", list)?);
    }
    let count = found.len();
    let problem = format!("has {count} addresses; at most 100 are allowed");
    let suggestion = "Invite fewer people.";
    require(count <= MAX_ATTENDEES, "attendees", problem, suggestion)?;
    Ok(found)
}
