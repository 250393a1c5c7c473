//! One JSON value as a row of slots that lends its strings from the text: one allocation, no tree.
//!
//! A [`Tape`] holds the slots in the order of the text. An array or object is one slot that says how many slots its
//! subtree has, so that a reader can pass over it; a member is the slot of its key and the subtree of its value.

mod builder;
mod deserialize;
mod lend;
mod members;
mod node;
mod plain;
#[cfg(feature = "validate")]
mod schema;
mod slot;
mod spare;
#[cfg(test)]
mod tests;

pub(crate) use builder::{Builder, Duplicate};
pub(crate) use members::{Added, Addition};
pub use node::Node;
#[cfg(feature = "validate")]
pub(crate) use node::NodeView;
pub(crate) use plain::read_plain;
#[cfg(feature = "validate")]
pub(crate) use plain::{PlainReader, Start, read_plain_with};
#[cfg(feature = "validate")]
pub(crate) use schema::TapeJson;
pub(crate) use slot::Tape;
