//! Increments of a streamed response, for display.

use super::{PushError, StreamLimits};

/// Increment of a streamed response, for display.
///
/// Do not run calls from increments: only [`StreamDecoder::finish`](crate::StreamDecoder::finish)
/// returns complete and validated arguments. Tool names and parameter names are wire names;
/// [`ProviderTools::canonical_name`](tool_core::ProviderTools::canonical_name) returns the name of
/// the tool.
///
/// # Examples
/// ```
/// use provider_adapters::{Delta, Provider, StreamDecoder};
///
/// let mut decoder = StreamDecoder::new(Provider::Ollama);
/// let mut shown = String::new();
/// decoder.push_event(r#"{"message": {"content": "Hel"}}"#, |delta| {
///     if let Delta::Text { text, .. } = delta {
///         shown.push_str(text);
///     }
/// })?;
/// assert_eq!(shown, "Hel");
/// # Ok::<_, provider_adapters::PushError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta<'d> {
    /// Text of the response.
    Text {
        /// Index of the choice, from 0.
        choice: u64,
        /// Text to append.
        text: &'d str,
    },
    /// Reasoning of the model.
    Reasoning {
        /// Index of the choice, from 0.
        choice: u64,
        /// Text to append.
        text: &'d str,
    },
    /// Start of a call, sent when its name is known.
    Call {
        /// Index of the choice, from 0.
        choice: u64,
        /// Index of the call in order of arrival, from 0. The final order may differ.
        call: usize,
        /// Provider's call id. Empty if unknown.
        id: &'d str,
        /// Wire name of the tool.
        name: &'d str,
    },
    /// Arguments of a call.
    Arguments {
        /// Index of the choice, from 0.
        choice: u64,
        /// Index of the call in order of arrival, from 0.
        call: usize,
        /// Text to append: part of the JSON arguments, or of the free text for a custom tool.
        text: &'d str,
    },
}

/// Totals of the stream so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) bytes: usize,
    parts: usize,
}

/// Sink for deltas that enforces the stream limits.
pub(crate) struct DeltaSink<'f> {
    pub(crate) on_delta: &'f mut dyn FnMut(Delta<'_>),
    pub(crate) limits: StreamLimits,
    pub(crate) counts: &'f mut Counts,
}

impl DeltaSink<'_> {
    /// Counts another call, choice, block or item.
    pub(crate) fn count_part(&mut self) -> Result<(), PushError> {
        // Parts are limited apart from bytes: a tiny event can begin a call, and each one needs memory until the end.
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

    pub(crate) fn arguments(&mut self, choice: u64, call: usize, text: &str) {
        if !text.is_empty() {
            (self.on_delta)(Delta::Arguments { choice, call, text });
        }
    }
}
