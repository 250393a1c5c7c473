//! Forwarding of deltas and enforcement of the stream limits.

use super::{Delta, PushError, StreamLimits};

/// Totals of the stream so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) events: usize,
    pub(crate) bytes: usize,
    parts: usize,
    argument_bytes: usize,
}

/// Sink for deltas that enforces the stream limits.
pub(crate) struct DeltaSink<'f> {
    on_delta: &'f mut dyn FnMut(Delta<'_>),
    limits: StreamLimits,
    counts: &'f mut Counts,
}

impl<'f> DeltaSink<'f> {
    pub(crate) fn new(
        on_delta: &'f mut dyn FnMut(Delta<'_>),
        limits: StreamLimits,
        counts: &'f mut Counts,
    ) -> Self {
        Self {
            on_delta,
            limits,
            counts,
        }
    }

    /// Counts another call, choice, block or item.
    pub(crate) fn count_part(&mut self) -> Result<(), PushError> {
        self.counts.parts += 1;
        let limit = self.limits.parts;
        if self.counts.parts > limit {
            return Err(PushError::TooManyParts { limit });
        }
        Ok(())
    }

    pub(crate) fn text(&mut self, choice: u64, text: &str) {
        if !text.is_empty() {
            (self.on_delta)(Delta::Text { choice, text });
        }
    }

    pub(crate) fn reasoning(&mut self, choice: u64, text: &str) {
        if !text.is_empty() {
            (self.on_delta)(Delta::Reasoning { choice, text });
        }
    }

    pub(crate) fn call(&mut self, choice: u64, call: usize, id: &str, name: &str) {
        (self.on_delta)(Delta::Call {
            choice,
            call,
            id,
            name,
        });
    }

    /// Counts arguments of a call that the provider runs itself.
    pub(crate) fn hidden_arguments(&mut self, text: &str) -> Result<(), PushError> {
        self.counts.argument_bytes = self.counts.argument_bytes.saturating_add(text.len());
        let limit = self.limits.argument_bytes;
        if self.counts.argument_bytes > limit {
            return Err(PushError::ArgumentsTooLong { limit });
        }
        Ok(())
    }

    pub(crate) fn arguments(
        &mut self,
        choice: u64,
        call: usize,
        text: &str,
    ) -> Result<(), PushError> {
        self.hidden_arguments(text)?;
        if !text.is_empty() {
            (self.on_delta)(Delta::Arguments { choice, call, text });
        }
        Ok(())
    }
}
