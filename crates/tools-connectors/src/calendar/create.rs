//! Creation of events.

use std::fmt::Write as _;

use reqwest::StatusCode;
use serde_json::Value;
use tool_core::approval::Preview;
use tool_core::ledger::Verified;
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::draft::{CreateEventInput, Draft};
use super::{Calendar, Event, MAX_RESPONSE, PURPOSE};
use crate::door::{FIRST_WAIT, Problem, Request};
use crate::google::{
    Account, Doubles, Outcome, UNKNOWN_DOMAIN, failed, happened, outsider, problem, unique_id,
};

/// Maximum number of requests that create an event.
const ATTEMPTS: u32 = 3;

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
            calendar: Calendar { account },
            doubles: Doubles::default(),
        }
    }

    fn request(&self, input: &CreateEventInput, has_attendees: bool, body: &Value) -> Request {
        let updates = if has_attendees && input.notifies() {
            "all"
        } else {
            "none"
        };
        let version = input.add_video_link.filter(|wanted| *wanted).map(|_| "1");
        let path = ["calendars", input.calendar(), "events"];
        Request::post("create event", &self.calendar.account.base, &path, body)
            .max_bytes(MAX_RESPONSE)
            .query("sendUpdates", updates)
            .maybe_query("conferenceDataVersion", version)
    }

    /// Sends the request, and repeats it with the same ID if its response is lost.
    async fn create(
        &self,
        request: Request,
        path: &[&str],
        cx: &ToolContext,
    ) -> Result<Event, Problem> {
        let account = &self.calendar.account;
        for count in 0..ATTEMPTS {
            tokio::time::sleep(FIRST_WAIT * count).await;
            let response = account.exchange(request.clone(), PURPOSE, cx).await;
            let created = response.and_then(|response| match response.status {
                StatusCode::OK | StatusCode::CREATED => Event::of(&response.json()?),
                status @ StatusCode::CONFLICT => Err(Problem::Status(status.as_u16())),
                _ => Err(problem(&response, PURPOSE)),
            });
            match created {
                Ok(event) => return Ok(event),
                // A later rejection says nothing about the first request.
                Err(problem) if count == 0 && problem.is_without_effect() => return Err(problem),
                // Only an earlier attempt of this call can have used its ID.
                Err(Problem::Status(409)) => break,
                Err(_) => {}
            }
        }
        let get = self.calendar.get("event", path);
        let found: Result<Value, Problem> = account.fetch(get, PURPOSE, cx).await;
        if let Ok(event) = found.and_then(|event| Event::of(&event)) {
            cx.note("found_after_lost_response", true);
            return Ok(event);
        }
        let id = path.last().copied().unwrap_or_default();
        let sentence = "The response of Google Calendar was lost, so the event may exist or not";
        let suggestion =
            format!("Do not create it again; look for it first, with the event ID {id}.");
        Err(Problem::OutcomeUnknown(sentence.to_owned(), suggestion))
    }
}

impl TypedTool for CalendarCreateEvent {
    type Input = CreateEventInput;
    type Output = Event;

    const RISK: RiskLevel = RiskLevel::Dangerous;

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
        if input.allow_duplicate != Some(true) {
            self.doubles.check(Draft::fingerprint(input), "event", cx)?;
        }
        let calendar = &self.calendar;
        let zone = calendar.known_zone(input.time_zone.as_deref())?;
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
        if input.allow_duplicate != Some(true) {
            self.doubles
                .check(fingerprint, "event", cx)
                .map_err(not_done)?;
        }
        let zone = self
            .calendar
            .zone(input.time_zone.as_deref(), input.calendar(), cx)
            .await;
        let times = draft.times(&zone.map_err(not_done)?).map_err(not_done)?;
        let id = unique_id(cx.call_key());
        let body = draft.body(&input, &id, &times);
        let request = self.request(&input, !draft.attendees.is_empty(), &body);
        let path = ["calendars", input.calendar(), "events", &id];
        let (account, doubles) = (&self.calendar.account, &self.doubles);
        let created = self.create(request, &path, cx).await;
        let event =
            created.map_err(|problem| failed(problem, fingerprint, doubles, account, cx))?;
        self.doubles.add(fingerprint, cx);
        Outcome::Done.note(cx);
        Ok(event)
    }

    async fn verify(&self, cx: &ToolContext, input: CreateEventInput) -> Verified {
        let Some(id) = cx.call_key().map(|key| unique_id(Some(key))) else {
            return Verified::Unknown;
        };
        let path = ["calendars", input.calendar(), "events", &id];
        let get = self.calendar.get("event", &path);
        let found: Result<Value, Problem> = self.calendar.account.fetch(get, PURPOSE, cx).await;
        match found.and_then(|event| Event::of(&event)) {
            Ok(event) => happened::<Self>(&event),
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
    for rule in input.recurrence.iter().flatten() {
        let _ = write!(text, "\nRecurrence: {rule}");
    }
    if domain.is_none() && !draft.attendees.is_empty() {
        let _ = write!(text, "\n{UNKNOWN_DOMAIN}");
    }
    for person in &draft.attendees {
        let mark = outsider(&person.address, domain);
        let _ = write!(text, "\nAttendee: {person}{mark}");
    }
    let count = draft.attendees.len();
    let invitations = if input.notifies() { count } else { 0 };
    let _ = write!(text, "\nInvitations to send: {invitations}");
    if let Some(description) = &input.description {
        let shown: String = description.chars().take(2000).collect();
        let _ = write!(text, "\n\n{shown}");
    }
    text
}

#[cfg(test)]
mod tests;
