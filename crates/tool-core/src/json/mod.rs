//! JSON as models write it: read strictly, mended where nothing is guessed, and held without copies.

pub(crate) mod parse;
pub(crate) mod repair;
pub(crate) mod tape;

pub use tape::Node;
pub(crate) use tape::Tape;
#[cfg(feature = "validate")]
pub(crate) use tape::{NodeView, PlainReader, Start, TapeJson, read_plain_with};
