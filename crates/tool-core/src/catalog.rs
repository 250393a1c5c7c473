//! The tools of a registry at one moment, with everything that can be decided before a call.

mod conversions;
mod entry;
mod error;
mod schema;
mod table;
mod tools;

pub(crate) use entry::Entry;
pub use error::RegisterError;
pub(crate) use table::{Slot, SourceId, Table};
pub(crate) use tools::Tools;
