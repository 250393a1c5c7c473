//! Creation of events.

use std::fmt::Write as _;
use std::time::Duration;

use reqwest::StatusCode;
use serde_json::Value;
use tool_core::approval::Preview;
use tool_core::ledger::Verified;
use tool_core::{CallPlan, Hints, RiskLevel, ToolContext, ToolError, TypedTool};

use super::draft::{CreateEventInput, Draft, Invited};
use super::{Calendar, Event, MAX_RESPONSE, PURPOSE, wire};
use crate::door::{FIRST_WAIT, Problem, Request, hints_of};
use crate::google::{
    Account, Doubles, Outcome, TIMEOUT, UNKNOWN_DOMAIN, event_id, happened, outsider, problem,
};

/// Delays before the searches for an event whose response was lost: 0.5, 1 and 2 seconds.
const LOOKS: [u32; 3] = [1, 2, 4];

/// Tool that creates an event.
///
/// The ID of an event is chosen before the first request, so that a repeated request creates it only
/// once. In a registry with a ledger, it is derived from the key of the call, so that another process
/// finds the event after a crash.
#[derive(Debug, Clone)]
pub(crate) struct CalendarCreateEvent {
    calendar: Calendar,
    doubles: Doubles,
}

impl CalendarCreateEvent {
    pub(crate) fn of(account: Account) -> Self {
        Self {
            calendar: Calendar::new(account),
            doubles: Doubles::default(),
        }
    }

    fn request(&self, input: &CreateEventInput, has_attendees: bool, body: &Value) -> Request {
        let updates = if has_attendees && input.notify {
            "all"
        } else {
            "none"
        };
        let path = ["calendars", input.calendar_id.as_str(), "events"];
        Request::post("create event", &self.calendar.account.base, &path, body)
            .max_bytes(MAX_RESPONSE)
            .query("sendUpdates", updates)
            .maybe_query("conferenceDataVersion", input.add_video_link.then_some("1"))
    }

    /// Sends the request, and repeats it with the same ID if its response is lost.
    async fn create(
        &self,
        request: Request,
        path: &[&str],
        cx: &ToolContext,
    ) -> Result<wire::Event, Problem> {
        let mut outcome = match self.post(&request, cx).await {
            Err(Post::Failed(problem)) if problem.is_without_effect() => return Err(problem),
            Ok(event) => return Ok(event),
            other => other,
        };
        let mut posts = 1;
        for count in LOOKS {
            if !matches!(outcome, Err(Post::Exists)) {
                tokio::time::sleep(FIRST_WAIT * count).await;
            }
            let get = self.calendar.get("event", path);
            let found = self.calendar.account.fetch(get, PURPOSE, cx).await;
            match found.and_then(wire::Event::identified) {
                Ok(event) => {
                    cx.note("found_after_lost_response", true);
                    return Ok(event);
                }
                // The request did not arrive. With the same ID, a late arrival cannot create a second event.
                Err(Problem::NotFound(_)) if posts < 2 => {
                    posts += 1;
                    outcome = self.post(&request, cx).await;
                    if let Ok(event) = outcome {
                        return Ok(event);
                    }
                }
                Err(_) => {}
            }
        }
        let id = path.last().copied().unwrap_or_default();
        let sentence = "The response of Google Calendar was lost, so the event may exist or not";
        let suggestion =
            format!("Do not create it again; look for it first, with the event ID {id}.");
        Err(Problem::OutcomeUnknown(sentence.to_owned(), suggestion))
    }

    async fn post(&self, request: &Request, cx: &ToolContext) -> Result<wire::Event, Post> {
        let response = self
            .calendar
            .account
            .exchange(request.clone(), PURPOSE, cx)
            .await;
        let response = response.map_err(Post::Failed)?;
        match response.status {
            StatusCode::OK | StatusCode::CREATED => response
                .json()
                .and_then(wire::Event::identified)
                .map_err(Post::Failed),
            // The ID is random, so only an earlier attempt of this call can have used it.
            StatusCode::CONFLICT => Err(Post::Exists),
            _ => Err(Post::Failed(problem(&response, PURPOSE))),
        }
    }
}

/// Failed request.
enum Post {
    /// An event with the ID exists.
    Exists,
    Failed(Problem),
}

impl TypedTool for CalendarCreateEvent {
    type Input = CreateEventInput;
    type Output = Event;

    const RISK: RiskLevel = RiskLevel::Dangerous;

    fn hints(&self) -> Hints {
        hints_of(Self::RISK)
    }

    fn timeout(&self) -> Option<Duration> {
        Some(TIMEOUT)
    }

    fn plan(&self, _cx: &ToolContext, input: &CreateEventInput) -> Result<CallPlan, ToolError> {
        Draft::parse(input)?;
        Ok(CallPlan::of(Self::RISK).uses("google calendar"))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &CreateEventInput,
    ) -> Result<Option<Preview>, ToolError> {
        let draft = Draft::parse(input)?;
        // What was sent before is not in the arguments, so it is no part of the plan.
        if !input.allow_duplicate {
            self.doubles.check(Draft::fingerprint(input), "event", cx)?;
        }
        let calendar = &self.calendar;
        let zone = calendar.known_zone(input.time_zone.as_deref(), &input.calendar_id)?;
        // Without a request, the zone of the calendar may be unknown.
        let shown = match zone {
            Some(zone) => draft.times(&zone)?.shown,
            None => match &input.end {
                Some(end) => format!("{} to {end}", input.start),
                None => input.start.clone(),
            },
        };
        let domain = if draft.attendees.is_empty() {
            None
        } else {
            calendar.domain().await
        };
        let text = preview(input, &draft, &shown, domain.as_deref());
        Ok(Some(Preview::text(text)))
    }

    async fn run(&self, cx: &ToolContext, input: CreateEventInput) -> Result<Event, ToolError> {
        let not_done = |error| Outcome::NotDone.state(cx, error);
        let draft = Draft::parse(&input).map_err(not_done)?;
        let fingerprint = Draft::fingerprint(&input);
        if !input.allow_duplicate {
            self.doubles
                .check(fingerprint, "event", cx)
                .map_err(not_done)?;
        }
        let zone = self
            .calendar
            .zone(input.time_zone.as_deref(), &input.calendar_id, cx)
            .await;
        let times = draft.times(&zone.map_err(not_done)?).map_err(not_done)?;
        if times.is_moved {
            cx.warn(
                "The local time does not exist because the clock changes, so it was moved forward.",
            );
        }
        let id = event_id(cx.call_key())
            .map_err(|problem| not_done(self.calendar.account.error(problem)))?;
        let body = draft.body(&input, &id, &times);
        let request = self.request(&input, !draft.attendees.is_empty(), &body);
        let path = ["calendars", &input.calendar_id, "events", &id];
        match self.create(request, &path, cx).await {
            Ok(event) => {
                self.doubles.add(fingerprint, cx);
                Outcome::Done.note(cx);
                Ok(Event::of(&event))
            }
            Err(problem @ Problem::OutcomeUnknown(..)) => {
                self.doubles.add(fingerprint, cx);
                Err(Outcome::Unknown.state(cx, self.calendar.account.error(problem)))
            }
            Err(problem) => Err(not_done(self.calendar.account.error(problem))),
        }
    }

    async fn verify(&self, cx: &ToolContext, input: CreateEventInput) -> Verified {
        let Some(id) = cx.call_key().and_then(|key| event_id(Some(key)).ok()) else {
            return Verified::Unknown;
        };
        let path = ["calendars", &input.calendar_id, "events", &id];
        let get = self.calendar.get("event", &path);
        match self
            .calendar
            .account
            .fetch::<wire::Event>(get, PURPOSE, cx)
            .await
        {
            Ok(event) => happened::<Self>(&Event::of(&event)),
            // A repeated call has the same ID, so it cannot create a second event.
            Err(Problem::NotFound(missing)) if !missing.is_deleted => Verified::DidNotHappen,
            Err(_) => Verified::Unknown,
        }
    }

    fn render(output: &Event) -> String {
        format!("Created the event:\n{}", output.text())
    }
}

/// Returns the text for an approver. Attendees outside `domain`, the account's, are marked.
fn preview(input: &CreateEventInput, draft: &Draft, times: &str, domain: Option<&str>) -> String {
    let mut text = format!("{}\n{times}", input.summary);
    // Writing to a String cannot fail.
    if let Some(location) = &input.location {
        let _ = write!(text, "\nLocation: {location}");
    }
    for rule in &input.recurrence {
        let _ = write!(text, "\nRecurrence: {rule}");
    }
    if domain.is_none() && !draft.attendees.is_empty() {
        let _ = write!(text, "\n{UNKNOWN_DOMAIN}");
    }
    for Invited { email, name } in &draft.attendees {
        let name = name
            .as_ref()
            .map_or(String::new(), |name| format!(" {name}"));
        let mark = outsider(email, domain);
        let _ = write!(text, "\nAttendee:{name} {email}{mark}");
    }
    let invitations = if input.notify {
        draft.attendees.len()
    } else {
        0
    };
    let _ = write!(text, "\nInvitations to send: {invitations}");
    if let Some(description) = &input.description {
        let shown: String = description.chars().take(2000).collect();
        let _ = write!(text, "\n\n{shown}");
    }
    text
}

#[cfg(test)]
mod tests;
