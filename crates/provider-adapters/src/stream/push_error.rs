//! Errors of streamed responses.

use crate::StreamError;

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
