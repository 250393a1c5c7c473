//! Calls in, piece by piece.
//!
//! A provider's stream is folded into the whole response that it stands for, and then read as whole responses are. So
//! both give the same, and each provider's folder says only how its pieces go together.

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

pub(crate) use blocks::{Block, Blocks};
pub(crate) use calls::{Calls, Entry};
pub use delta::Delta;
pub(crate) use feed::{Counts, Feed};
pub(crate) use fold::{Fold, Whole, append, merge};
pub(crate) use joined::Joined;
pub use limits::StreamLimits;
pub use push_error::PushError;
pub(crate) use sse::Events;
