//! Why a stream cannot be taken further.

use crate::StreamError;

/// Why a stream cannot be taken further. What came before it is kept, and whatever comes after it is not looked at.
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
    /// An event holds something else than JSON.
    #[error("an event of the stream is not JSON")]
    NotJson,
    /// An event is too long.
    #[error("an event of the stream is longer than {limit} bytes")]
    EventTooLong {
        /// The most bytes.
        limit: usize,
    },
    /// There are too many events.
    #[error("the stream has more than {limit} events")]
    TooManyEvents {
        /// The most events.
        limit: usize,
    },
    /// There are too many calls, choices or other parts.
    #[error("the answer has more than {limit} parts")]
    TooManyParts {
        /// The most parts.
        limit: usize,
    },
    /// The arguments of the calls are too long.
    #[error("the arguments of the calls are longer than {limit} bytes")]
    ArgumentsTooLong {
        /// The most bytes.
        limit: usize,
    },
    /// The stream is too long.
    #[error("the stream is longer than {limit} bytes")]
    StreamTooLong {
        /// The most bytes.
        limit: usize,
    },
    /// The provider's stream has no form in text; push the events that its SDK gives.
    #[error("the provider's stream is no text; push its events one by one")]
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
