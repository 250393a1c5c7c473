//! Limits of a stream, and the errors of a stream that exceeds them.

use crate::StreamError;

/// Limits of one streamed response, so that a server that never stops can't fill the memory.
///
/// # Examples
/// ```
/// use provider_adapters::{Provider, PushError, StreamDecoder, StreamLimits};
///
/// let mut limits = StreamLimits::default();
/// limits.bytes = 8;
/// let mut decoder = StreamDecoder::new(Provider::OpenAi).with_limits(limits);
/// let error = decoder.push_event(r#"{"choices": []}"#, |_| {});
/// assert_eq!(error, Err(PushError::StreamTooLong { limit: 8 }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamLimits {
    /// Maximum number of calls, choices and other parts of a response, counted together. 1,024 by default.
    pub parts: usize,
    /// Maximum size of the stream in bytes. 128 MiB by default.
    pub bytes: usize,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self {
            // Far above real responses; a parallel turn has some dozens of calls.
            parts: 1024,
            bytes: 128 << 20,
        }
    }
}

/// Error of a stream that can't be read any further. What came before it is kept; later events are ignored.
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
    /// The response has too many calls, choices or other parts.
    #[error("the response has more than {limit} parts; raise `StreamLimits::parts`")]
    TooManyParts {
        /// Maximum number of parts.
        limit: usize,
    },
    /// The stream is too long.
    #[error("the stream is longer than {limit} bytes; raise `StreamLimits::bytes`")]
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
            Self::TooManyParts { .. } => "too_many_parts",
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
