//! Reading a response that comes as a stream.

use std::time::Duration;

use provider_adapters::{Delta, Provider, PushError, StreamDecoder, StreamLimits, ToolSet};
use reqwest::Response;
use tokio::time::{Instant, timeout};

use super::HttpModel;
use super::exchange::{failed, reply, whole};
use super::request::Draft;
use crate::{ModelError, ModelReply, ModelRequest, ReplyPiece};

/// How long a server is waited for that said its answer is at its end, but goes on or keeps the line open: what may
/// still come is the count of the tokens.
const AFTER_THE_END: Duration = Duration::from_secs(1);

/// What [`StreamDecoder`] calls an answer that lacks its end.
const ENDED_EARLY: &str = "ended_early";

/// Reads the reply and hands on its pieces. The caller bounds the time in all.
pub(super) async fn read(
    model: &HttpModel,
    draft: &Draft,
    request: &ModelRequest<'_>,
    mut response: Response,
) -> Result<ModelReply, ModelError> {
    let mut stream = Stream::new(model);
    let broken = loop {
        match stream.next(model, &mut response).await {
            Ok(Some(bytes)) if stream.is_none_after(&bytes) => {
                return whole(model, draft, response, bytes.as_ref().to_vec()).await;
            }
            Ok(Some(bytes)) => {
                stream.push(&bytes, |delta| hand_on(request, &draft.tools, delta))?;
            }
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    stream.finish(&draft.tools, broken)
}

struct Stream {
    decoder: StreamDecoder,
    limit: usize,
    /// Whether a whole response may still come in place of a stream; a line of Ollama's cannot be told from one.
    may_be_none: bool,
    /// When the answer came to its end.
    ended: Option<Instant>,
}

impl Stream {
    fn new(model: &HttpModel) -> Self {
        let limit = model.response_limit;
        let limits = StreamLimits::default()
            .with_bytes(limit)
            .with_event_bytes(limit)
            .with_argument_bytes(limit);
        Self {
            decoder: StreamDecoder::new(model.dialect.provider()).with_limits(limits),
            limit,
            may_be_none: model.dialect.provider() != Provider::Ollama,
            ended: None,
        }
    }

    /// Whether these first bytes say that the server sends no stream, whatever it calls its response: an event never begins
    /// as JSON does.
    fn is_none_after(&mut self, bytes: &impl AsRef<[u8]>) -> bool {
        let first = bytes.as_ref().trim_ascii_start().first();
        let may_be_none = self.may_be_none;
        self.may_be_none &= first.is_none();
        may_be_none && matches!(first, Some(b'{' | b'['))
    }

    /// The next bytes; `None` at the end, or when the answer is whole and nothing more comes.
    async fn next(
        &self,
        model: &HttpModel,
        response: &mut Response,
    ) -> Result<Option<impl AsRef<[u8]> + use<>>, ModelError> {
        let wait = match self.left() {
            // What has come already is no reason to go on.
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

    /// How long something may still come, where the answer is at its end.
    fn left(&self) -> Option<Duration> {
        Some(AFTER_THE_END.saturating_sub(self.ended?.elapsed()))
    }

    fn push(
        &mut self,
        bytes: &impl AsRef<[u8]>,
        seen: impl FnMut(Delta<'_>),
    ) -> Result<(), ModelError> {
        let pushed = self.decoder.push_bytes(bytes.as_ref(), seen);
        pushed.map_err(|error| self.refused(error))?;
        if self.ended.is_none() && self.decoder.has_ended() {
            self.ended = Some(Instant::now());
        }
        Ok(())
    }

    fn refused(&self, error: PushError) -> ModelError {
        match error {
            PushError::StreamTooLong { .. } | PushError::EventTooLong { .. } => {
                ModelError::ResponseTooLarge { limit: self.limit }
            }
            other => ModelError::InvalidResponse {
                reason: other.to_string(),
            },
        }
    }

    /// The reply of a stream that came to its end, or broke off.
    fn finish(self, tools: &ToolSet, broken: Option<ModelError>) -> Result<ModelReply, ModelError> {
        let decoded = self.decoder.finish(Some(tools));
        // The provider's own error says more than the end that it led to, and a line that breaks after the answer's end
        // takes nothing from it.
        match &decoded.stream_error {
            Some(error) if error.code == ENDED_EARLY => {
                Err(broken.unwrap_or(ModelError::ResponseCut))
            }
            _ => reply(decoded),
        }
    }
}

/// Hands on what an event adds to the first choice, under the tool's own name.
fn hand_on(request: &ModelRequest<'_>, tools: &ToolSet, delta: Delta<'_>) {
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
