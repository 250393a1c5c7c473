//! Conversion of events of the service.

use std::time::{Duration, Instant};

use html_text::{Options, to_text_with};
use jiff::ToSpan as _;
use jiff::civil::Date;
use tool_json::text::visible;

use super::{AttachedFile, Attendee, Conference, ConferenceLink, EventDetails, EventSummary};
use crate::calendar::wire;
use crate::door::one_line;

const LINE: usize = 1000;
/// Maximum length of a description in characters.
const DESCRIPTION_CHARS: usize = 20_000;
const HTML_TIME: Duration = Duration::from_secs(1);
const MAX_PEOPLE: usize = 500;
const MAX_ITEMS: usize = 50;

fn line(text: &str) -> String {
    one_line(text, LINE)
}

fn some_line(text: Option<&String>) -> Option<String> {
    text.map(|text| line(text)).filter(|text| !text.is_empty())
}

impl EventSummary {
    pub(in crate::calendar) fn of(event: &wire::Event) -> Self {
        let summary = some_line(event.summary.as_ref());
        let all_day = event.start.date.is_some();
        let last_day = event.end.date.as_deref().and_then(|end| {
            let end: Date = end.parse().ok()?;
            Some(end.checked_sub(1.day()).ok()?.to_string())
        });
        Self {
            event_id: line(&event.id),
            summary: summary.unwrap_or_else(|| "(no title)".to_owned()),
            start: time(&event.start),
            end: time(&event.end),
            all_day,
            last_day: last_day.filter(|_| all_day),
            location: some_line(event.location.as_ref()),
            status: some_line(event.status.as_ref()).unwrap_or_else(|| "confirmed".to_owned()),
            organizer: person(&event.organizer),
            my_response: event
                .attendees
                .iter()
                .find(|person| person.is_self)
                .and_then(|person| some_line(person.response_status.as_ref())),
            recurring_event_id: some_line(event.recurring_event_id.as_ref()),
            event_type: some_line(event.event_type.as_ref()),
            link: some_line(event.html_link.as_ref()),
        }
    }
}

fn time(time: &wire::Time) -> String {
    let text = time.date_time.as_ref().or(time.date.as_ref());
    some_line(text).unwrap_or_default()
}

fn person(person: &wire::Person) -> Option<String> {
    let email = some_line(person.email.as_ref());
    match (some_line(person.display_name.as_ref()), email) {
        (Some(name), Some(email)) => Some(format!("{name} <{email}>")),
        (name, email) => name.or(email),
    }
}

impl EventDetails {
    pub(in crate::calendar) fn of(event: &wire::Event) -> Self {
        let lines = event.recurrence.iter().take(MAX_ITEMS);
        let files = event.attachments.iter().take(MAX_ITEMS);
        let people = event.attendees.iter().take(MAX_PEOPLE);
        Self {
            event: EventSummary::of(event),
            description: event
                .description
                .as_deref()
                .map(description)
                .filter(|text| !text.is_empty()),
            attendees: people.map(attendee).collect(),
            attendees_omitted: event.attendees_omitted || event.attendees.len() > MAX_PEOPLE,
            conference: conference(event),
            recurrence: lines.map(|rule| line(rule)).collect(),
            original_start: Some(time(&event.original_start_time)).filter(|time| !time.is_empty()),
            reminders: event.reminders.clone(),
            attachments: files
                .map(|file| AttachedFile {
                    title: some_line(file.title.as_ref()).unwrap_or_default(),
                    url: some_line(file.file_url.as_ref()).unwrap_or_default(),
                })
                .collect(),
            visibility: some_line(event.visibility.as_ref()),
            transparency: some_line(event.transparency.as_ref()),
            creator: person(&event.creator),
            created: some_line(event.created.as_ref()),
            updated: some_line(event.updated.as_ref()),
        }
    }
}

fn attendee(person: &wire::Person) -> Attendee {
    Attendee {
        email: some_line(person.email.as_ref()).unwrap_or_default(),
        name: some_line(person.display_name.as_ref()),
        response: some_line(person.response_status.as_ref())
            .unwrap_or_else(|| "needsAction".to_owned()),
        optional: person.optional,
        organizer: person.organizer,
        is_self: person.is_self,
        resource: person.resource,
        comment: some_line(person.comment.as_ref()),
    }
}

fn conference(event: &wire::Event) -> Option<Conference> {
    let data = &event.conference_data;
    let entries = data.entry_points.iter().take(MAX_ITEMS);
    let mut links: Vec<ConferenceLink> = entries
        .map(|entry| ConferenceLink {
            kind: some_line(entry.entry_point_type.as_ref()).unwrap_or_default(),
            uri: some_line(entry.uri.as_ref()).unwrap_or_default(),
            label: some_line(entry.label.as_ref()),
            pin: some_line(entry.pin.as_ref()),
            passcode: some_line(entry.passcode.as_ref()),
        })
        .collect();
    if links.is_empty() {
        links.extend(
            some_line(event.hangout_link.as_ref()).map(|uri| ConferenceLink {
                kind: "video".to_owned(),
                uri,
                ..ConferenceLink::default()
            }),
        );
    }
    let name = some_line(data.conference_solution.name.as_ref());
    (!links.is_empty()).then_some(Conference { name, links })
}

/// Returns a description as text. It may be HTML.
fn description(source: &str) -> String {
    let is_html = source.contains('<') || source.contains('&');
    let text = if is_html {
        let html = source.replace('\n', "<br>");
        let options = Options::new().with_deadline(Instant::now() + HTML_TIME);
        to_text_with(&html, &options).text
    } else {
        source.to_owned()
    };
    let mut shown: String = visible(&text).take(DESCRIPTION_CHARS + 1).collect();
    if shown.chars().count() > DESCRIPTION_CHARS {
        shown.pop();
        shown.push_str("\n[The rest of the description was omitted.]");
    }
    shown.trim().to_owned()
}
