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

pub(crate) use create::CalendarCreateEvent;
pub(crate) use draft::CreateEventInput;
use event::Event;
pub(crate) use get::{CalendarGetEvent, GetEventInput};
pub(crate) use list::{CalendarListEvents, ListEventsInput};
