//! Streamed responses.
//!
//! The events of a stream are assembled into a complete response, which is then decoded like a
//! response without streaming. Each provider module implements only the assembly.

mod blocks;
mod calls;
mod delta;
mod feed;
mod fold;
mod joined;
mod limits;
mod lines;
mod push_error;
mod sse;
mod surrogates;

pub(crate) use blocks::{Block, Blocks};
pub(crate) use calls::{Calls, Entry};
pub use delta::Delta;
pub(crate) use feed::{Counts, Feed};
pub(crate) use fold::{Fold, Whole, append, merge};
pub(crate) use joined::Joined;
pub use limits::StreamLimits;
pub use push_error::PushError;
pub(crate) use sse::Events;
pub(crate) use surrogates::{Surrogates, replace_lone};
