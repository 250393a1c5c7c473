//! Events as Google Calendar returns them.

#![expect(clippy::struct_field_names, reason = "names of the service")]

use serde::Deserialize;
use serde_json::Value;

use crate::door::Problem;

macro_rules! wire {
    ($($(#[$doc:meta])* $name:ident { $($(#[$attribute:meta])* $field:ident: $kind:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Default, Deserialize)]
            #[serde(default, rename_all = "camelCase")]
            pub(super) struct $name { $($(#[$attribute])* pub(super) $field: $kind,)* }
        )*
    };
}

wire! {
    /// Page of events.
    Page {
        items: Vec<Event>,
        next_page_token: Option<String>,
        time_zone: Option<String>,
        summary: Option<String>,
    }
    /// Event. Deleted events may have an ID only.
    Event {
        id: String,
        status: Option<String>,
        summary: Option<String>,
        description: Option<String>,
        location: Option<String>,
        html_link: Option<String>,
        start: Time,
        end: Time,
        organizer: Person,
        creator: Person,
        attendees: Vec<Person>,
        attendees_omitted: bool,
        recurring_event_id: Option<String>,
        original_start_time: Time,
        recurrence: Vec<String>,
        event_type: Option<String>,
        conference_data: Conference,
        hangout_link: Option<String>,
        reminders: Option<Value>,
        attachments: Vec<File>,
        visibility: Option<String>,
        transparency: Option<String>,
        created: Option<String>,
        updated: Option<String>,
    }
    /// Start or end of an event.
    Time { date: Option<String>, date_time: Option<String>, time_zone: Option<String>, }
    /// Attendee, organizer or creator.
    Person {
        email: Option<String>,
        display_name: Option<String>,
        response_status: Option<String>,
        optional: bool,
        organizer: bool,
        #[serde(rename = "self")]
        is_self: bool,
        resource: bool,
        comment: Option<String>,
    }
    /// Video or phone conference.
    Conference { conference_solution: Solution, entry_points: Vec<Entry>, }
    /// Kind of a conference.
    Solution { name: Option<String>, }
    /// Way into a conference.
    Entry {
        entry_point_type: Option<String>,
        uri: Option<String>,
        label: Option<String>,
        pin: Option<String>,
        passcode: Option<String>,
    }
    /// Attached file.
    File { title: Option<String>, file_url: Option<String>, }
}

impl Event {
    /// Rejects an event without an ID.
    pub(super) fn identified(self) -> Result<Self, Problem> {
        if self.id.is_empty() {
            return Err(Problem::InvalidResponse);
        }
        Ok(self)
    }
}
