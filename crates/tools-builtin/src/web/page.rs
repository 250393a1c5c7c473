//! Conversion of a response to readable text.

mod json;
mod readable;
mod recent;
pub(super) mod sniff;
#[cfg(test)]
mod tests;
mod text;

pub use readable::PageFormat;
pub(super) use readable::{MAX_LINE, Source};
pub(super) use recent::{PageKey, RecentPages};
pub(super) use text::{PageText, SEPARATOR, Slice};
