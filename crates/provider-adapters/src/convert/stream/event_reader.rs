//! Decoder of single events.

use serde_json::{Map, Value};

use crate::stream::{Accumulator, Counts, DeltaSink, Surrogates};
use crate::wire::Wire;
use crate::{Delta, PushError, StreamLimits};

/// Reader of single events.
#[derive(Debug)]
pub(super) struct EventReader {
    pub(super) wire: &'static Wire,
    pub(super) accumulator: Box<dyn Accumulator>,
    pub(super) limits: StreamLimits,
    counts: Counts,
    pub(super) surrogates: Surrogates,
}

/// Payload that several providers send after the last event.
const DONE: &[u8] = b"[DONE]";

impl EventReader {
    pub(super) fn new(wire: &'static Wire) -> Self {
        Self {
            wire,
            accumulator: (wire.accumulator)(),
            limits: StreamLimits::default(),
            counts: Counts::default(),
            surrogates: Surrogates::default(),
        }
    }

    /// Counts received bytes towards the limit of the stream.
    pub(super) fn count_bytes(&mut self, count: usize) -> Result<(), PushError> {
        self.counts.bytes = self.counts.bytes.saturating_add(count);
        let limit = self.limits.bytes;
        if self.counts.bytes > limit {
            return Err(PushError::StreamTooLong { limit });
        }
        Ok(())
    }

    /// Decodes the JSON of one event.
    pub(super) fn push_text(
        &mut self,
        payload: &[u8],
        on_delta: &mut dyn FnMut(Delta<'_>),
    ) -> Result<(), PushError> {
        let payload = payload.trim_ascii();
        if payload.is_empty() {
            return Ok(());
        }
        if payload == DONE {
            self.release(on_delta)?;
            self.accumulator.close();
            return Ok(());
        }
        if let Ok(event) = serde_json::from_slice::<Value>(payload) {
            self.release(on_delta)?;
            return self.push_object(&event, on_delta);
        }
        let events = self.surrogates.push(payload).ok_or(PushError::NotJson)?;
        events
            .iter()
            .try_for_each(|event| self.push_event_bytes(event, on_delta))
    }

    /// Decodes an event that waits for the second half of a surrogate pair.
    pub(super) fn release(&mut self, on_delta: &mut dyn FnMut(Delta<'_>)) -> Result<(), PushError> {
        match self.surrogates.release() {
            Some(event) => self.push_event_bytes(&event, on_delta),
            None => Ok(()),
        }
    }

    fn push_event_bytes(
        &mut self,
        event: &[u8],
        on_delta: &mut dyn FnMut(Delta<'_>),
    ) -> Result<(), PushError> {
        let event: Value = serde_json::from_slice(event).map_err(|_| PushError::NotJson)?;
        self.push_object(&event, on_delta)
    }

    /// Decodes a parsed event.
    pub(super) fn push_object(
        &mut self,
        event: &Value,
        on_delta: &mut dyn FnMut(Delta<'_>),
    ) -> Result<(), PushError> {
        self.counts.events = self.counts.events.saturating_add(1);
        let limit = self.limits.events;
        if self.counts.events > limit {
            return Err(PushError::TooManyEvents { limit });
        }
        let nothing = Map::new();
        let event = event.as_object().unwrap_or(&nothing);
        let event = self.wire.endpoint.adapted(event);
        let mut sink = DeltaSink::new(on_delta, self.limits, &mut self.counts);
        self.accumulator.push(&event, &mut sink)
    }
}
