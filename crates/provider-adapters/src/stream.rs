//! Streamed responses.
//!
//! The events of a stream are assembled into a complete response, which is then decoded like a
//! response without streaming. Each provider module implements only the assembly.

mod blocks;
mod calls;
mod delta;
mod events;
mod limits;
mod surrogates;

use std::fmt;

use serde_json::Value;

pub(crate) use blocks::{Block, Blocks};
pub(crate) use calls::{ArgumentBuffer, CallChunk, Calls};
pub use delta::Delta;
pub(crate) use delta::{Counts, DeltaSink};
pub(crate) use events::Events;
pub use limits::{PushError, StreamLimits};
pub(crate) use surrogates::Surrogates;

use crate::{Object, StreamError};

/// Accumulator for the events of one provider's stream.
pub(crate) trait Accumulator: fmt::Debug + Send + Sync {
    /// Processes one event. Unknown members are ignored.
    fn push(&mut self, event: &Object, sink: &mut DeltaSink<'_>) -> Result<(), PushError>;

    /// Processes the end-of-stream marker.
    fn close(&mut self) {}

    /// Returns `true` if the provider has marked the response as complete.
    fn has_ended(&self) -> bool;

    /// Returns the assembled response.
    fn finish(&mut self) -> CompleteResponse;
}

/// Assembled response in the provider's non-streaming format.
#[derive(Debug, Default)]
pub(crate) struct CompleteResponse {
    pub(crate) response: Object,
    /// Error that the stream reports outside the response.
    pub(crate) error: Option<StreamError>,
    /// Positions of the choice and call of each call that may be truncated if the stream is
    /// incomplete.
    pub(crate) open: Vec<(usize, usize)>,
}

/// Appends text to a string member.
pub(crate) fn append(object: &mut Object, key: &str, chunk: &str) {
    match object.get_mut(key) {
        Some(Value::String(text)) => text.push_str(chunk),
        _ if chunk.is_empty() => {}
        _ => {
            object.insert(key.to_owned(), chunk.into());
        }
    }
}

/// Copies the members with these keys that are not null.
pub(crate) fn copy_members(into: &mut Object, from: &Object, keys: &[&str]) {
    for key in keys {
        if let Some(value) = from.get(*key).filter(|value| !value.is_null()) {
            into.insert((*key).to_owned(), value.clone());
        }
    }
}

/// Copies all members that are not null.
pub(crate) fn merge(into: &mut Object, from: Option<&Value>) {
    if let Some(Value::Object(from)) = from {
        // A later event may repeat a member as null, which must not erase it.
        let present = from.iter().filter(|(_, value)| !value.is_null());
        into.extend(present.map(|(key, value)| (key.clone(), value.clone())));
    }
}
