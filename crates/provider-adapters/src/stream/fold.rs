//! Assembly of stream events into a complete response.

use std::fmt;

use serde_json::{Map, Value};

use super::{Feed, PushError};
use crate::StreamError;

/// Accumulator for the events of one provider's stream.
pub(crate) trait Fold: fmt::Debug + Send + Sync {
    /// Processes one event. Unknown members are ignored.
    fn take(&mut self, event: &Map<String, Value>, feed: &mut Feed<'_>) -> Result<(), PushError>;

    /// Processes the end-of-stream marker.
    fn close(&mut self) {}

    /// Returns `true` if the provider has marked the response as complete.
    fn has_ended(&self) -> bool;

    /// Returns the assembled response.
    fn whole(&mut self) -> Whole;
}

/// Assembled response in the provider's non-streaming format.
#[derive(Debug, Default)]
pub(crate) struct Whole {
    pub(crate) response: Map<String, Value>,
    /// Error that the stream reports outside the response.
    pub(crate) error: Option<StreamError>,
    /// Positions of the choice and call of each call that may be truncated if the stream is
    /// incomplete.
    pub(crate) open: Vec<(usize, usize)>,
}

/// Appends text to a string member.
pub(crate) fn append(object: &mut Map<String, Value>, key: &str, piece: &str) {
    match object.get_mut(key) {
        Some(Value::String(text)) => text.push_str(piece),
        _ if piece.is_empty() => {}
        _ => {
            object.insert(key.to_owned(), piece.into());
        }
    }
}

/// Copies all members that are not null.
pub(crate) fn merge(into: &mut Map<String, Value>, from: Option<&Value>) {
    if let Some(Value::Object(from)) = from {
        let present = from.iter().filter(|(_, value)| !value.is_null());
        into.extend(present.map(|(key, value)| (key.clone(), value.clone())));
    }
}
