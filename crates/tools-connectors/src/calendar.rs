//! Google Calendar: list, create and get events.

mod create;
mod draft;
mod event;
mod get;
mod list;
mod service;
#[cfg(test)]
mod testing;
mod when;
mod wire;

pub use create::CalendarCreateEvent;
pub use draft::CreateEventInput;
pub use event::{Attendee, Conference, ConferenceLink, Event};
pub use get::{CalendarGetEvent, GetEventInput};
pub use list::{CalendarListEvents, EventRange, ListEventsInput, ListEventsOutput};
