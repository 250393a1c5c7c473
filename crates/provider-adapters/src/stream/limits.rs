//! Limits of a stream, and the errors of a stream that exceeds them.

use crate::StreamError;

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

/// Error returned when a stream cannot be processed further. Earlier events are kept; later events
/// are ignored.
///
/// # Examples
/// ```
/// use provider_adapters::{Provider, PushError, StreamDecoder};
///
/// let mut decoder = StreamDecoder::new(Provider::Anthropic);
/// assert_eq!(decoder.push_event("<html>", |_| {}), Err(PushError::NotJson));
/// let decoded = decoder.finish(None);
/// assert_eq!(decoded.stream_error.map(|error| error.code).as_deref(), Some("not_json"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PushError {
    /// An event is not JSON.
    #[error(
        "an event of the stream is not JSON; check that the stream is from the decoder's provider"
    )]
    NotJson,
    /// An event is too long.
    #[error(
        "an event of the stream is longer than {limit} bytes; raise the limit with `StreamLimits::with_event_bytes`"
    )]
    EventTooLong {
        /// Maximum bytes.
        limit: usize,
    },
    /// The stream has too many events.
    #[error(
        "the stream has more than {limit} events; raise the limit with `StreamLimits::with_events`"
    )]
    TooManyEvents {
        /// Maximum number of events.
        limit: usize,
    },
    /// The response has too many calls, choices or other parts.
    #[error(
        "the response has more than {limit} parts; raise the limit with `StreamLimits::with_parts`"
    )]
    TooManyParts {
        /// Maximum number of parts.
        limit: usize,
    },
    /// The arguments of the calls are too long.
    #[error(
        "the arguments of the calls are longer than {limit} bytes; raise the limit with `StreamLimits::with_argument_bytes`"
    )]
    ArgumentsTooLong {
        /// Maximum bytes.
        limit: usize,
    },
    /// The stream is too long.
    #[error(
        "the stream is longer than {limit} bytes; raise the limit with `StreamLimits::with_bytes`"
    )]
    StreamTooLong {
        /// Maximum bytes.
        limit: usize,
    },
    /// The provider's stream is not text. Push the events of the provider's SDK instead.
    #[error("the provider's stream is not text; push its events one by one")]
    NoText,
}

impl PushError {
    fn code(self) -> &'static str {
        match self {
            Self::NotJson => "not_json",
            Self::EventTooLong { .. } => "event_too_long",
            Self::TooManyEvents { .. } => "too_many_events",
            Self::TooManyParts { .. } => "too_many_parts",
            Self::ArgumentsTooLong { .. } => "arguments_too_long",
            Self::StreamTooLong { .. } => "stream_too_long",
            Self::NoText => "no_text",
        }
    }
}

impl From<PushError> for StreamError {
    fn from(error: PushError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}
