//! How the pieces of a stream become a whole response.

use std::fmt;

use serde_json::{Map, Value};

use super::{Feed, PushError};
use crate::StreamError;

/// Puts the events of one provider together.
pub(crate) trait Fold: fmt::Debug + Send + Sync {
    /// Takes one event. What is not known is passed over.
    fn take(&mut self, event: &Map<String, Value>, feed: &mut Feed<'_>) -> Result<(), PushError>;

    /// Takes the mark that says that no event follows.
    fn close(&mut self) {}

    /// Whether the provider has said that the answer is at its end.
    fn has_ended(&self) -> bool;

    /// Gives what came.
    fn whole(&mut self) -> Whole;
}

/// What came, in the form of a whole response.
#[derive(Debug, Default)]
pub(crate) struct Whole {
    pub(crate) response: Map<String, Value>,
    /// An error that stands in the stream and not in the response.
    pub(crate) error: Option<StreamError>,
    /// The calls that may lack their end unless the stream came to its own: choice and call, by position.
    pub(crate) open: Vec<(usize, usize)>,
}

/// Adds a piece to a text member.
pub(crate) fn append(object: &mut Map<String, Value>, key: &str, piece: &str) {
    match object.get_mut(key) {
        Some(Value::String(text)) => text.push_str(piece),
        _ if piece.is_empty() => {}
        _ => {
            object.insert(key.to_owned(), piece.into());
        }
    }
}

/// Takes over the members that hold something.
pub(crate) fn merge(into: &mut Map<String, Value>, from: Option<&Value>) {
    if let Some(Value::Object(from)) = from {
        let told = from.iter().filter(|(_, value)| !value.is_null());
        into.extend(told.map(|(key, value)| (key.clone(), value.clone())));
    }
}
