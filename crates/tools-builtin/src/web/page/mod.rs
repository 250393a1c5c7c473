//! From the bytes of a response to text that can be read.

mod json;
mod readable;
mod recent;
pub(super) mod sniff;
#[cfg(test)]
mod tests;
mod text;

pub use readable::PageFormat;
pub(super) use readable::{Readable, Source, one_line, short_line};
pub(super) use recent::{PageKey, RecentPages};
pub(super) use text::{PageText, SEPARATOR, Slice};
