//! Events as Google Calendar returns them.

#![expect(clippy::struct_field_names, reason = "names of the service")]

use serde::Deserialize;

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
        attendees: Vec<Person>,
        attendees_omitted: bool,
        recurring_event_id: Option<String>,
        recurrence: Vec<String>,
        conference_data: Conference,
        hangout_link: Option<String>,
    }
    /// Start or end of an event.
    Time { date: Option<String>, date_time: Option<String>, }
    /// Attendee or organizer.
    Person {
        email: Option<String>,
        display_name: Option<String>,
        response_status: Option<String>,
        optional: bool,
        #[serde(rename = "self")]
        is_self: bool,
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
