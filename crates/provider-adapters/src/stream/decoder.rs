//! The decoder of a stream.

use serde_json::{Map, Value};

use super::feed::{Counts, Feed};
use super::sse::Events;
use super::{Delta, Fold, PushError, StreamLimits, Whole};
use crate::decode::assemble;
use crate::decoded::{Choice, Sent};
use crate::{Decoded, Finish, Provider, StreamError, ToolSet};

/// Reads the stream of one answer, pushed to it as it comes, and gives what [`decode`](crate::decode()) gives for the
/// whole response.
///
/// It takes parsed events, their JSON, or the raw bytes cut anywhere. What comes is shown at once as [`Delta`]s; calls
/// are fit to run only in what [`finish`](Self::finish) gives. It does no I/O, and takes no more than its
/// [`StreamLimits`].
///
/// # Examples
/// ```
/// use provider_adapters::{Delta, Finish, Provider, StreamDecoder};
/// use serde_json::json;
///
/// let stream = concat!(
///     "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",",
///     "\"function\":{\"name\":\"add\",\"arguments\":\"{\\\"a\\\":\"}}]}}]}\n\n",
///     "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"1}\"}}]}}]}\n\n",
///     "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
///     "data: [DONE]\n\n",
/// );
/// let mut decoder = StreamDecoder::new(Provider::OpenAi);
/// for chunk in stream.as_bytes().chunks(7) {
///     decoder.push_bytes(chunk, |delta| {
///         if let Delta::Arguments { text, .. } = delta {
///             print!("{text}");
///         }
///     })?;
/// }
/// let decoded = decoder.finish(None);
/// assert_eq!(decoded.finish, Finish::Calls);
/// assert_eq!(decoded.calls[0].arguments, Some(json!({"a": 1})));
/// # Ok::<_, provider_adapters::PushError>(())
/// ```
#[derive(Debug)]
pub struct StreamDecoder {
    provider: Provider,
    fold: Box<dyn Fold>,
    events: Events,
    limits: StreamLimits,
    counts: Counts,
    /// Why nothing more is looked at.
    stopped: Option<PushError>,
}

/// What several providers send after the last event.
const DONE: &[u8] = b"[DONE]";

impl StreamDecoder {
    /// Creates the decoder of one answer. MCP does not stream: its messages are taken as events.
    #[must_use]
    pub fn new(provider: Provider) -> Self {
        let stream = &provider.wire().stream;
        Self {
            provider,
            fold: (stream.fold)(),
            events: Events::new(stream.framing),
            limits: StreamLimits::default(),
            counts: Counts::default(),
            stopped: None,
        }
    }

    /// Takes no more than `limits` say.
    #[must_use]
    pub fn with_limits(self, limits: StreamLimits) -> Self {
        Self { limits, ..self }
    }

    /// Takes bytes of the body as they come from the network: server-sent events, for Ollama one JSON object per line.
    /// `seen` hears what they add.
    ///
    /// # Errors
    /// [`PushError`] for an event that is not JSON or goes over a limit, and ever after. [`PushError::NoText`] for
    /// Bedrock, whose stream is binary, and MCP.
    pub fn push_bytes(
        &mut self,
        bytes: &[u8],
        mut seen: impl FnMut(Delta<'_>),
    ) -> Result<(), PushError> {
        self.go_on(|decoder| {
            decoder.count_bytes(bytes.len())?;
            let Self {
                fold,
                events,
                limits,
                counts,
                ..
            } = decoder;
            events.push(bytes, limits.event_bytes, |payload| {
                take_text(fold.as_mut(), payload, &mut seen, *limits, counts)
            })
        })
    }

    /// Takes the JSON of one event: what stands after `data:`, for Ollama a line, for Bedrock the object with one
    /// member that its SDKs give. `[DONE]` is taken for the end. `seen` hears what the event adds.
    ///
    /// # Errors
    /// [`PushError`] for an event that is not JSON or goes over a limit, and ever after.
    pub fn push_event(
        &mut self,
        event: &str,
        mut seen: impl FnMut(Delta<'_>),
    ) -> Result<(), PushError> {
        self.go_on(|decoder| {
            decoder.count_bytes(event.len())?;
            let limit = decoder.limits.event_bytes;
            if event.len() > limit {
                return Err(PushError::EventTooLong { limit });
            }
            let Self {
                fold,
                limits,
                counts,
                ..
            } = decoder;
            let payload = event.trim_start_matches('\u{feff}').as_bytes();
            take_text(fold.as_mut(), payload, &mut seen, *limits, counts)
        })
    }

    /// Takes one event that is already parsed. What is no object is passed over. `seen` hears what it adds.
    ///
    /// # Errors
    /// [`PushError`] for an event that goes over a limit, and ever after.
    pub fn push_value(
        &mut self,
        event: &Value,
        mut seen: impl FnMut(Delta<'_>),
    ) -> Result<(), PushError> {
        self.go_on(|decoder| {
            let Self {
                fold,
                limits,
                counts,
                ..
            } = decoder;
            take_value(fold.as_mut(), event, &mut seen, *limits, counts)
        })
    }

    /// Whether the provider has said that the answer is at its end. A little may follow all the same, such as the tokens
    /// that it took.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.fold.has_ended()
    }

    /// Ends the stream and gives the answer. With `tools`, names and keys become those of the definitions and added
    /// nulls go.
    ///
    /// A stream that ended before its answer did has [`Decoded::stream_error`] `ended_early` (or what
    /// went wrong), and those of its calls that may lack their end are `truncated_arguments`.
    #[must_use]
    pub fn finish(mut self, tools: Option<&ToolSet>) -> Decoded {
        self.take_rest();
        let has_ended = self.stopped.is_none() && self.fold.has_ended();
        let whole = self.fold.whole();
        let error = match (self.stopped, has_ended) {
            (Some(stopped), _) => Some(stopped.into()),
            (None, false) => Some(ended_early()),
            (None, true) => None,
        };
        assemble(self.choices(whole, error), tools)
    }

    /// Takes the last event, where nothing says that it is at its end.
    fn take_rest(&mut self) {
        if self.stopped.is_some() {
            return;
        }
        let rest = self.events.rest();
        let taken = take_text(
            self.fold.as_mut(),
            &rest,
            &mut |_| {},
            self.limits,
            &mut self.counts,
        );
        // What is no JSON was cut off, so that the answer lacks its end.
        self.stopped = taken.err().filter(|error| *error != PushError::NotJson);
    }

    /// The choices of the response, with its open calls marked where something went wrong.
    fn choices(&self, mut whole: Whole, error: Option<StreamError>) -> Vec<Choice> {
        let open = std::mem::take(&mut whole.open);
        let mut choices = (self.provider.wire().decode)(&whole.response).unwrap_or_default();
        if choices.is_empty() {
            choices.push(Choice::default());
        }
        let is_cut = error.is_some() || whole.error.is_some();
        if let Some(first) = choices.first_mut() {
            // An error that the provider told says more than the end that it led to.
            first.error = whole.error.or(first.error.take()).or(error);
        }
        if is_cut || choices.iter().any(|choice| choice.error.is_some()) {
            mark_open(&mut choices, &open);
        }
        choices
    }

    fn go_on(
        &mut self,
        take: impl FnOnce(&mut Self) -> Result<(), PushError>,
    ) -> Result<(), PushError> {
        if let Some(stopped) = self.stopped {
            return Err(stopped);
        }
        let taken = take(self);
        self.stopped = taken.err();
        taken
    }

    fn count_bytes(&mut self, count: usize) -> Result<(), PushError> {
        self.counts.bytes = self.counts.bytes.saturating_add(count);
        let limit = self.limits.bytes;
        if self.counts.bytes > limit {
            return Err(PushError::StreamTooLong { limit });
        }
        Ok(())
    }
}

fn take_text(
    fold: &mut dyn Fold,
    payload: &[u8],
    seen: &mut dyn FnMut(Delta<'_>),
    limits: StreamLimits,
    counts: &mut Counts,
) -> Result<(), PushError> {
    let payload = payload.trim_ascii();
    if payload.is_empty() {
        return Ok(());
    }
    if payload == DONE {
        fold.close();
        return Ok(());
    }
    let event: Value = serde_json::from_slice(payload).map_err(|_| PushError::NotJson)?;
    take_value(fold, &event, seen, limits, counts)
}

fn take_value(
    fold: &mut dyn Fold,
    event: &Value,
    seen: &mut dyn FnMut(Delta<'_>),
    limits: StreamLimits,
    counts: &mut Counts,
) -> Result<(), PushError> {
    counts.events = counts.events.saturating_add(1);
    let limit = limits.events;
    if counts.events > limit {
        return Err(PushError::TooManyEvents { limit });
    }
    let nothing = Map::new();
    let event = event.as_object().unwrap_or(&nothing);
    fold.take(event, &mut Feed::new(seen, limits, counts))
}

fn ended_early() -> StreamError {
    StreamError::new("ended_early", "the stream ended before the answer did")
}

/// Marks the calls that may lack their end.
fn mark_open(choices: &mut [Choice], open: &[(usize, usize)]) {
    for (choice, call) in open {
        let choice = choices.get_mut(*choice);
        let Some(call) = choice.and_then(|choice| choice.calls.get_mut(*call)) else {
            continue;
        };
        call.arguments = match std::mem::replace(&mut call.arguments, Sent::Value(Value::Null)) {
            Sent::Text(text) => Sent::Cut(text),
            sent @ Sent::Value(_) => Sent::Unfinished(sent.into_text()),
            other => other,
        };
    }
    // The choices that came to no end of their own are as broken as the first.
    for choice in choices.iter_mut().skip(1) {
        if choice.finish_raw.is_none() {
            choice.finish = Finish::Error;
        }
    }
}
