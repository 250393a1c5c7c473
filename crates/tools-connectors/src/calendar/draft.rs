//! Events to create.

use jiff::tz::TimeZone;
use jiff::{ToSpan as _, ZonedDateTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::ToolError;

use super::when::{When, out_of_range, rfc3339};
use super::{check_calendar, primary, zone_or_utc};
use crate::arguments::{OneOrMany, check_length, check_line, require};
use crate::google::{Fingerprint, ascii_address, invalid_address};

const MAX_LINE: usize = 1000;
const MAX_DESCRIPTION: usize = 8000;
const MAX_ATTENDEES: usize = 100;
const MAX_RULES: usize = 50;
const RULES: [&str; 5] = ["RRULE:", "EXRULE:", "RDATE", "EXDATE", "EXDATE;"];

/// Event to create.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub(crate) struct CreateEventInput {
    /// Title on one line.
    pub(crate) summary: String,
    /// Start: a local time, a time with offset, or a date for an all-day event.
    pub(crate) start: String,
    /// End, exclusive: for an all-day event the day after the last day. The default is one hour, or
    /// one day, after the start.
    #[serde(default)]
    pub(crate) end: Option<String>,
    /// Description, at most 8,000 characters.
    #[serde(default)]
    pub(crate) description: Option<String>,
    /// Location on one line.
    #[serde(default)]
    pub(crate) location: Option<String>,
    /// Addresses of attendees, at most 100. They receive invitations.
    #[serde(default)]
    pub(crate) attendees: OneOrMany,
    /// IANA name of the time zone of local times. The default is the calendar's.
    #[serde(default)]
    pub(crate) time_zone: Option<String>,
    /// Recurrence rules, such as `RRULE:FREQ=WEEKLY;COUNT=5`.
    #[serde(default)]
    pub(crate) recurrence: Vec<String>,
    /// Whether to add a video conference.
    #[serde(default)]
    pub(crate) add_video_link: bool,
    /// Whether attendees receive invitations by mail.
    #[serde(default = "yes")]
    pub(crate) notify: bool,
    /// ID of the calendar.
    #[serde(default = "primary")]
    pub(crate) calendar_id: String,
    /// Whether to create an event again that was created in the last 10 minutes.
    #[serde(default)]
    pub(crate) allow_duplicate: bool,
}

fn yes() -> bool {
    true
}

/// Valid event without its ID.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    start: When,
    end: Option<When>,
    pub(super) attendees: Vec<Invited>,
}

/// Attendee in the form of the API.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Invited {
    pub(super) email: String,
    #[serde(rename = "displayName", skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
}

/// Start and end in the form of the API, and for text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Times {
    pub(super) start: Value,
    pub(super) end: Value,
    pub(super) shown: String,
    pub(super) is_moved: bool,
}

impl Draft {
    /// Validates the arguments of a call.
    pub(super) fn parse(input: &CreateEventInput) -> Result<Self, ToolError> {
        check_calendar(&input.calendar_id)?;
        check_line("summary", &input.summary, MAX_LINE)?;
        check_line(
            "location",
            input.location.as_deref().unwrap_or_default(),
            MAX_LINE,
        )?;
        let description = input.description.as_deref().unwrap_or_default();
        check_length("description", description, MAX_DESCRIPTION)?;
        for rule in &input.recurrence {
            check_rule(rule)?;
        }
        let are_few = input.recurrence.len() <= MAX_RULES;
        let problem = "has more than 50 lines";
        require(are_few, "recurrence", problem, "Use fewer rules.")?;
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
                    is_moved: false,
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
        let parts = [
            input.calendar_id.as_str(),
            &input.summary,
            &input.start,
            end,
        ];
        let people = input.attendees.values().iter().map(String::as_str);
        Fingerprint::of(parts.into_iter().chain(people))
    }

    /// Returns the body of the request.
    pub(super) fn body(&self, input: &CreateEventInput, id: &str, times: &Times) -> Value {
        let conference = json!({"createRequest": {
            "requestId": id, "conferenceSolutionKey": {"type": "hangoutsMeet"},
        }});
        let mut body = json!({
            "id": id, "summary": input.summary, "start": times.start, "end": times.end,
            "description": input.description, "location": input.location,
            "attendees": self.attendees, "recurrence": input.recurrence,
            "conferenceData": input.add_video_link.then_some(conference),
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
        is_moved: start.is_in_gap(zone) || end.is_some_and(|end| end.is_in_gap(zone)),
    })
}

fn too_early() -> ToolError {
    ToolError::invalid_arguments("end", "is before the start")
        .suggest("Use a later end, or omit it.")
}

fn check_rule(rule: &str) -> Result<(), ToolError> {
    check_line("recurrence", rule, MAX_LINE)?;
    let upper = rule.to_ascii_uppercase();
    let is_rule = RULES.iter().any(|start| upper.starts_with(start));
    let problem = "has a line that is not a recurrence rule";
    let suggestion = "Use lines such as `RRULE:FREQ=WEEKLY;COUNT=5`, without DTSTART and DTEND.";
    require(is_rule, "recurrence", problem, suggestion)
}

/// Parses attendees such as `Ada <ada@example.com>`.
fn attendees(input: &CreateEventInput) -> Result<Vec<Invited>, ToolError> {
    let values = input.attendees.values();
    let count = values.len();
    let problem = format!("has {count} addresses; at most 100 are allowed");
    let suggestion = "Invite fewer people.";
    require(count <= MAX_ATTENDEES, "attendees", problem, suggestion)?;
    let mut people = Vec::new();
    for value in values {
        check_line("attendees", value, MAX_LINE)?;
        let (name, address) = match value
            .trim()
            .strip_suffix('>')
            .and_then(|text| text.rsplit_once('<'))
        {
            Some((name, address)) => (name.trim().trim_matches('"'), address),
            None => ("", value.trim()),
        };
        let email =
            ascii_address(address).map_err(|reason| invalid_address("attendees", value, reason))?;
        let name = Some(name.to_owned()).filter(|name| !name.is_empty());
        people.push(Invited { email, name });
    }
    Ok(people)
}
