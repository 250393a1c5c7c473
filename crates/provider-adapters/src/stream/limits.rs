//! Limits of a stream.

/// Limits of a stream, which protect against unlimited responses.
///
/// # Examples
/// ```
/// use provider_adapters::{Provider, PushError, StreamDecoder, StreamLimits};
///
/// let limits = StreamLimits::default().with_event_bytes(8);
/// let mut decoder = StreamDecoder::new(Provider::OpenAi).with_limits(limits);
/// let error = decoder.push_event(r#"{"choices": []}"#, |_| {});
/// assert_eq!(error, Err(PushError::EventTooLong { limit: 8 }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamLimits {
    pub(crate) event_bytes: usize,
    pub(crate) events: usize,
    pub(crate) parts: usize,
    pub(crate) argument_bytes: usize,
    pub(crate) bytes: usize,
}

impl Default for StreamLimits {
    /// Allows 16 MiB per event, 1,000,000 events, 1,024 parts, 16 MiB of arguments and 128 MiB in
    /// total.
    fn default() -> Self {
        const MEBIBYTE: usize = 1024 * 1024;
        Self {
            event_bytes: 16 * MEBIBYTE,
            events: 1_000_000,
            parts: 1024,
            argument_bytes: 16 * MEBIBYTE,
            bytes: 128 * MEBIBYTE,
        }
    }
}

impl StreamLimits {
    /// Sets the maximum size of an event in bytes.
    #[must_use]
    pub fn with_event_bytes(self, event_bytes: usize) -> Self {
        Self {
            event_bytes,
            ..self
        }
    }

    /// Sets the maximum number of events.
    #[must_use]
    pub fn with_events(self, events: usize) -> Self {
        Self { events, ..self }
    }

    /// Sets the maximum number of calls, choices and other parts of a response, counted together.
    #[must_use]
    pub fn with_parts(self, parts: usize) -> Self {
        Self { parts, ..self }
    }

    /// Sets the maximum size in bytes of the arguments of all calls.
    #[must_use]
    pub fn with_argument_bytes(self, argument_bytes: usize) -> Self {
        Self {
            argument_bytes,
            ..self
        }
    }

    /// Sets the maximum size of the stream in bytes. Events that are pushed as values are not
    /// counted.
    #[must_use]
    pub fn with_bytes(self, bytes: usize) -> Self {
        Self { bytes, ..self }
    }
}
