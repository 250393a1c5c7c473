//! Streamed responses.
//!
//! The events of a stream are assembled into a complete response, which is then decoded like a
//! response without streaming. Each provider module implements only the assembly.

mod accumulator;
mod argument_buffer;
mod blocks;
mod calls;
mod delta;
mod delta_sink;
mod limits;
mod lines;
mod push_error;
mod sse;
mod surrogates;

pub(crate) use accumulator::{Accumulator, CompleteResponse, append, copy_members, merge};
pub(crate) use argument_buffer::ArgumentBuffer;
pub(crate) use blocks::{Block, Blocks};
pub(crate) use calls::{CallChunk, Calls};
pub use delta::Delta;
pub(crate) use delta_sink::{Counts, DeltaSink};
pub use limits::StreamLimits;
pub use push_error::PushError;
pub(crate) use sse::Events;
pub(crate) use surrogates::{Surrogates, replace_lone};
