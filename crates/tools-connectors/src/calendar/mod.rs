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
pub use event::{AttachedFile, Attendee, Conference, ConferenceLink, EventDetails, EventSummary};
pub use get::{CalendarGetEvent, GetEventInput};
pub use list::{CalendarListEvents, EventRange, ListEventsInput, ListEventsOutput};
pub(crate) use service::primary;
