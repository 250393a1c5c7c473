//! Conversion of a response to readable text.

mod json;
mod readable;
mod recent;
pub(super) mod sniff;
#[cfg(test)]
mod tests;
mod text;

pub use readable::PageFormat;
pub(super) use readable::{Source, one_line, short_line};
pub(super) use recent::{PageKey, RecentPages};
pub(super) use text::{PageText, SEPARATOR, Slice};
