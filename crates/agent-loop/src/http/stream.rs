//! Streamed responses.

use std::time::Duration;

use provider_adapters::{Delta, Framing, PushError, StreamDecoder, StreamLimits};
use reqwest::Response;
use tokio::time::{Instant, timeout};
use tool_core::ProviderTools;

use super::HttpModel;
use super::request::Draft;
use super::response::{complete, failed, reply};
use crate::{ModelError, ModelReply, ModelRequest, ReplyPiece};

/// Maximum wait after the end of the answer for a token count, if the server keeps the connection
/// open.
const AFTER_THE_END: Duration = Duration::from_secs(1);

/// Error code of [`StreamDecoder`] for an incomplete answer.
const ENDED_EARLY: &str = "ended_early";

/// Reads the reply and sends its parts to the listener. The caller limits the total time, if it has a limit.
pub(super) async fn read(
    model: &HttpModel,
    draft: &Draft,
    request: &ModelRequest<'_>,
    mut response: Response,
) -> Result<ModelReply, ModelError> {
    let mut stream = Stream::new(model);
    let broken = loop {
        match stream.next(model, &mut response).await {
            Ok(Some(bytes)) => match stream.start(&bytes) {
                Some(b'{' | b'[') if stream.may_be_json => {
                    return complete(model, draft, response, bytes.as_ref().to_vec()).await;
                }
                // A wrong base URL often leads to a page. As a stream, it would only seem to be incomplete.
                Some(b'<') => return Err(a_page()),
                _ => stream.push(&bytes, |delta| hand_on(request, &draft.tools, delta))?,
            },
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    stream.finish(&draft.tools, broken)
}

struct Stream {
    decoder: StreamDecoder,
    /// Whether the response may be complete JSON. `false` for Ollama, whose stream lines look the
    /// same.
    may_be_json: bool,
    has_begun: bool,
    /// Time at which the answer ended.
    ended: Option<Instant>,
}

impl Stream {
    fn new(model: &HttpModel) -> Self {
        let mut limits = StreamLimits::default();
        limits.bytes = model.response_limit;
        Self {
            decoder: StreamDecoder::new(model.dialect.provider()).with_limits(limits),
            // Some servers ignore `stream` and send the complete response.
            may_be_json: model.dialect.provider().endpoint().framing == Framing::Events,
            has_begun: false,
            ended: None,
        }
    }

    /// Returns the first byte of the response that is not whitespace, once. The content type may be
    /// wrong.
    fn start(&mut self, bytes: &impl AsRef<[u8]>) -> Option<u8> {
        if self.has_begun {
            return None;
        }
        let first = bytes.as_ref().trim_ascii_start().first().copied();
        self.has_begun = first.is_some();
        first
    }

    /// Returns the next bytes, or `None` at the end of the stream or the answer.
    async fn next(
        &self,
        model: &HttpModel,
        response: &mut Response,
    ) -> Result<Option<impl AsRef<[u8]> + use<>>, ModelError> {
        let wait = match self.left() {
            // Buffered bytes must not extend the wait.
            Some(Duration::ZERO) => return Ok(None),
            Some(left) => left.min(model.idle_timeout),
            None => model.idle_timeout,
        };
        match timeout(wait, response.chunk()).await {
            Ok(chunk) => chunk.map_err(|error| failed(model, &error)),
            Err(_) if self.ended.is_some() => Ok(None),
            Err(_) => Err(ModelError::Stalled {
                after: model.idle_timeout,
            }),
        }
    }

    /// Returns the remaining wait after the end of the answer.
    fn left(&self) -> Option<Duration> {
        Some(AFTER_THE_END.saturating_sub(self.ended?.elapsed()))
    }

    fn push(
        &mut self,
        bytes: &impl AsRef<[u8]>,
        seen: impl FnMut(Delta<'_>),
    ) -> Result<(), ModelError> {
        let pushed = self.decoder.push_bytes(bytes.as_ref(), seen);
        pushed.map_err(refused)?;
        if self.ended.is_none() && self.decoder.has_ended() {
            self.ended = Some(Instant::now());
        }
        Ok(())
    }

    /// Returns the reply of a finished or broken stream.
    fn finish(
        self,
        tools: &ProviderTools,
        broken: Option<ModelError>,
    ) -> Result<ModelReply, ModelError> {
        let decoded = self.decoder.finish(Some(tools));
        // The provider's error is more specific than the broken connection it caused, and an answer
        // is complete even if the connection breaks after its end.
        match &decoded.stream_error {
            Some(error) if error.code == ENDED_EARLY => {
                Err(broken.unwrap_or(ModelError::ResponseCut))
            }
            _ => reply(decoded),
        }
    }
}

/// Returns the error of a response that is an HTML page.
fn refused(error: PushError) -> ModelError {
    match error {
        PushError::StreamTooLong { limit } => ModelError::ResponseTooLarge { limit },
        other => ModelError::InvalidResponse {
            reason: other.to_string(),
        },
    }
}

fn a_page() -> ModelError {
    ModelError::InvalidResponse {
        reason: "an HTML page instead of events".to_owned(),
    }
}

/// Sends a part of the first choice, with the tool's canonical name.
fn hand_on(request: &ModelRequest<'_>, tools: &ProviderTools, delta: Delta<'_>) {
    let piece = match delta {
        Delta::Text { choice: 0, text } => ReplyPiece::Text(text),
        Delta::Reasoning { choice: 0, text } => ReplyPiece::Reasoning(text),
        Delta::Call {
            choice: 0,
            call,
            id,
            name,
        } => ReplyPiece::Call {
            call,
            id,
            name: tools.canonical_name(name),
        },
        Delta::Arguments {
            choice: 0,
            call,
            text,
        } => ReplyPiece::Arguments { call, text },
        _ => return,
    };
    request.hand_on(piece);
}
