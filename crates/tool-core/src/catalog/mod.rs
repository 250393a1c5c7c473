//! The tools that a registry holds at one moment, under their names, with everything that can be decided before a call.

mod behind;
mod conversions;
mod entry;
mod error;
mod hash;
mod table;
mod tools;
#[cfg(feature = "typed")]
pub(crate) use behind::{Behind, Inwards};
pub(crate) use entry::Entry;
pub use error::RegisterError;
pub(crate) use table::{Slot, SourceId, Table};
pub(crate) use tools::Tools;
