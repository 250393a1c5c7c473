//! How much of a stream is taken.

/// How much of a stream is taken, against a provider without end.
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
    /// 16 MiB for one event, a million events, 1,024 parts, 16 MiB of arguments, 128 MiB in all.
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
    /// Takes events of at most so many bytes.
    #[must_use]
    pub fn with_event_bytes(self, event_bytes: usize) -> Self {
        Self {
            event_bytes,
            ..self
        }
    }

    /// Takes at most so many events.
    #[must_use]
    pub fn with_events(self, events: usize) -> Self {
        Self { events, ..self }
    }

    /// Takes at most so many calls, choices and other parts of an answer together.
    #[must_use]
    pub fn with_parts(self, parts: usize) -> Self {
        Self { parts, ..self }
    }

    /// Takes at most so many bytes of arguments, over all calls.
    #[must_use]
    pub fn with_argument_bytes(self, argument_bytes: usize) -> Self {
        Self {
            argument_bytes,
            ..self
        }
    }

    /// Takes at most so many bytes in all. Events that are pushed as values count nothing here.
    #[must_use]
    pub fn with_bytes(self, bytes: usize) -> Self {
        Self { bytes, ..self }
    }
}
