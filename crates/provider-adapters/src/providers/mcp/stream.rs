//! Decoder of single messages: the protocol does not stream.

use serde_json::{Map, Value};

use crate::stream::{Feed, Fold, PushError, Whole};

/// Message that contains the response.
#[derive(Debug, Default)]
pub(super) struct Message(Option<Map<String, Value>>);

impl Message {
    pub(super) fn fold() -> Box<dyn Fold> {
        Box::<Self>::default()
    }
}

impl Fold for Message {
    fn take(&mut self, event: &Map<String, Value>, _feed: &mut Feed<'_>) -> Result<(), PushError> {
        // Progress notifications precede the response.
        if super::decode::decode(event).is_ok() {
            self.0 = Some(event.clone());
        }
        Ok(())
    }

    fn has_ended(&self) -> bool {
        self.0.is_some()
    }

    fn whole(&mut self) -> Whole {
        Whole {
            response: self.0.take().unwrap_or_default(),
            ..Whole::default()
        }
    }
}
