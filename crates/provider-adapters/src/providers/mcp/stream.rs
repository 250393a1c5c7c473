//! Decoder of single messages: the protocol does not stream.

use crate::Object;
use crate::stream::{Accumulator, CompleteResponse, DeltaSink, PushError};

/// Message that contains the response.
#[derive(Debug, Default)]
pub(super) struct Message(Option<Object>);

impl Accumulator for Message {
    fn push(&mut self, event: &Object, _feed: &mut DeltaSink<'_>) -> Result<(), PushError> {
        // Progress notifications precede the response.
        if super::decode::decode(event).is_ok() {
            self.0 = Some(event.clone());
        }
        Ok(())
    }

    fn has_ended(&self) -> bool {
        self.0.is_some()
    }

    fn finish(&mut self) -> CompleteResponse {
        CompleteResponse {
            response: self.0.take().unwrap_or_default(),
            ..CompleteResponse::default()
        }
    }
}
