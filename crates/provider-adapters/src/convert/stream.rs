//! Decoder of streamed responses.

use serde_json::{Map, Value};
use tool_core::ProviderTools;
use tool_json::wide_numbers;

use super::decode::{assemble, notes};
use crate::decoded::{Choice, RawArguments};
use crate::stream::{Accumulator, CompleteResponse, Counts, DeltaSink, Events, Surrogates};
use crate::wire::Wire;
use crate::{Decoded, Delta, Finish, Provider, PushError, StreamError, StreamLimits};

/// Decoder of one streamed response. It returns the same result as [`decode`](crate::decode()) for the complete response.
///
/// Push what you have: parsed events, their JSON, or the raw bytes in chunks of any size. Each event is reported as
/// [`Delta`]s at once, so you can show text while it arrives. Don't execute calls from deltas: only those that
/// [`finish`](Self::finish) returns are complete. The decoder does no I/O, and stops at its [`StreamLimits`].
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
    events: Events,
    reader: EventReader,
    /// First error. Later input is ignored.
    stopped: Option<PushError>,
}

impl StreamDecoder {
    /// Creates a decoder for one response. MCP has no streams: pass each of its messages as an event.
    pub fn new(provider: Provider) -> Self {
        let wire = provider.wire();
        Self {
            events: Events::new(wire.endpoint.framing),
            reader: EventReader::new(wire),
            stopped: None,
        }
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(mut self, limits: StreamLimits) -> Self {
        self.reader.limits = limits;
        self
    }

    /// Decodes bytes of the response body: server-sent events, or one JSON object per line for Ollama. Reports their
    /// content to `on_delta`.
    ///
    /// # Errors
    /// Returns [`PushError`] if an event is not JSON or exceeds a limit, and on every later call.
    /// Returns [`PushError::NoText`] for Bedrock, whose stream is binary, and for MCP.
    pub fn push_bytes(
        &mut self,
        bytes: &[u8],
        mut on_delta: impl FnMut(Delta<'_>),
    ) -> Result<(), PushError> {
        self.unless_stopped(|events, reader| {
            reader.count_bytes(bytes.len())?;
            events.push(bytes, |payload| reader.push_text(payload, &mut on_delta))
        })
    }

    /// Decodes the JSON of one event: the text after `data:`, a line for Ollama, or for Bedrock the object with one
    /// member that its SDKs return. `[DONE]` ends the stream. Reports the content of the event to `on_delta`.
    ///
    /// # Errors
    /// Returns [`PushError`] if the event is not JSON or exceeds a limit, and on every later call.
    pub fn push_event(
        &mut self,
        event: &str,
        mut on_delta: impl FnMut(Delta<'_>),
    ) -> Result<(), PushError> {
        self.unless_stopped(|_, reader| {
            reader.count_bytes(event.len())?;
            let payload = event.trim_start_matches('\u{feff}').as_bytes();
            reader.push_text(payload, &mut on_delta)
        })
    }

    /// Returns `true` if the provider has marked the end of the response. Keep pushing until the stream closes, because
    /// some providers send the token counts after it.
    pub fn has_ended(&self) -> bool {
        self.reader.accumulator.has_ended()
    }

    /// Ends the stream and returns the response. With `tools`, names and keys are mapped back to the
    /// definitions, and added nulls are removed.
    ///
    /// If the stream ended before the response was complete, [`Decoded::stream_error`] is `ended_early` or the error
    /// that occurred, and calls that may be incomplete are `truncated_arguments`.
    pub fn finish(mut self, tools: Option<&ProviderTools>) -> Decoded {
        if self.stopped.is_none() {
            let rest = self.events.take_rest();
            let taken = self.reader.push_text(&rest, &mut |_| {});
            let taken = taken.and_then(|()| self.reader.release(&mut |_| {}));
            // An event that is not JSON is truncated, so the response is incomplete.
            self.stopped = taken.err().filter(|error| *error != PushError::NotJson);
        }
        let has_ended = self.stopped.is_none() && self.has_ended();
        let response = self.reader.accumulator.finish();
        let error = match (self.stopped, has_ended) {
            (Some(stopped), _) => Some(stopped.into()),
            (None, false) => Some(ended_early()),
            (None, true) => None,
        };
        let usage = self.reader.wire.endpoint.usage(&response.response);
        let (replaced, wide) = (self.reader.surrogates.replaced, self.reader.wide_numbers);
        let mut decoded = assemble(
            self.reader.wire,
            self.choices(response, error),
            usage,
            tools,
        );
        decoded.notes.extend(notes(replaced, wide));
        decoded
    }

    /// Returns the choices of the response. Marks open calls if an error occurred.
    fn choices(&self, mut response: CompleteResponse, error: Option<StreamError>) -> Vec<Choice> {
        let open = std::mem::take(&mut response.open);
        let mut choices = (self.reader.wire.decode)(&response.response).unwrap_or_default();
        if choices.is_empty() {
            choices.push(Choice::default());
        }
        let is_truncated = error.is_some() || response.error.is_some();
        if let Some(first) = choices.first_mut() {
            // The provider's own error is more precise than the early end that it caused.
            first.error = response.error.or(first.error.take()).or(error);
        }
        if is_truncated || choices.iter().any(|choice| choice.error.is_some()) {
            mark_open(&mut choices, &open);
        }
        choices
    }

    fn unless_stopped(
        &mut self,
        take: impl FnOnce(&mut Events, &mut EventReader) -> Result<(), PushError>,
    ) -> Result<(), PushError> {
        if let Some(stopped) = self.stopped {
            return Err(stopped);
        }
        let taken = take(&mut self.events, &mut self.reader);
        self.stopped = taken.err();
        taken
    }
}

fn ended_early() -> StreamError {
    StreamError::new(
        "ended_early",
        "the stream ended before the response was complete",
    )
}

/// Marks calls that may be incomplete.
fn mark_open(choices: &mut [Choice], open: &[(usize, usize)]) {
    for (choice, call) in open {
        let choice = choices.get_mut(*choice);
        let Some(call) = choice.and_then(|choice| choice.calls.get_mut(*call)) else {
            continue;
        };
        call.arguments =
            match std::mem::replace(&mut call.arguments, RawArguments::Value(Value::Null)) {
                RawArguments::Text(text) => RawArguments::Truncated(text),
                sent @ RawArguments::Value(_) => RawArguments::Incomplete(sent.into_text()),
                other => other,
            };
    }
    // Choices without a finish reason are as incomplete as the first.
    for choice in choices.iter_mut().skip(1) {
        if choice.finish_raw.is_none() {
            choice.finish = Finish::Error;
        }
    }
}

/// Reader of single events.
#[derive(Debug)]
struct EventReader {
    wire: &'static Wire,
    accumulator: Box<dyn Accumulator>,
    limits: StreamLimits,
    counts: Counts,
    surrogates: Surrogates,
    /// Number of numbers that were kept as text.
    wide_numbers: usize,
}

/// Payload that several providers send after the last event.
const DONE: &[u8] = b"[DONE]";

impl EventReader {
    fn new(wire: &'static Wire) -> Self {
        Self {
            wire,
            accumulator: (wire.accumulator)(),
            limits: StreamLimits::default(),
            counts: Counts::default(),
            surrogates: Surrogates::default(),
            wide_numbers: 0,
        }
    }

    /// Counts received bytes towards the limit of the stream.
    fn count_bytes(&mut self, count: usize) -> Result<(), PushError> {
        self.counts.bytes = self.counts.bytes.saturating_add(count);
        let limit = self.limits.bytes;
        if self.counts.bytes > limit {
            return Err(PushError::StreamTooLong { limit });
        }
        Ok(())
    }

    /// Decodes the JSON of one event.
    fn push_text(
        &mut self,
        payload: &[u8],
        on_delta: &mut dyn FnMut(Delta<'_>),
    ) -> Result<(), PushError> {
        let payload = payload.trim_ascii();
        if payload.is_empty() {
            return Ok(());
        }
        if payload == DONE {
            self.release(on_delta)?;
            self.accumulator.close();
            return Ok(());
        }
        let quoted = wide_numbers::quote(payload);
        let (payload, wide) = quoted
            .as_ref()
            .map_or((payload, 0), |(text, wide)| (text.as_slice(), *wide));
        self.wide_numbers += wide;
        if let Ok(event) = serde_json::from_slice::<Value>(payload) {
            self.release(on_delta)?;
            return self.push_object(&event, on_delta);
        }
        let events = self.surrogates.push(payload).ok_or(PushError::NotJson)?;
        events
            .iter()
            .try_for_each(|event| self.push_event_bytes(event, on_delta))
    }

    /// Decodes an event that waits for the second half of a surrogate pair.
    fn release(&mut self, on_delta: &mut dyn FnMut(Delta<'_>)) -> Result<(), PushError> {
        match self.surrogates.release() {
            Some(event) => self.push_event_bytes(&event, on_delta),
            None => Ok(()),
        }
    }

    fn push_event_bytes(
        &mut self,
        event: &[u8],
        on_delta: &mut dyn FnMut(Delta<'_>),
    ) -> Result<(), PushError> {
        let event: Value = serde_json::from_slice(event).map_err(|_| PushError::NotJson)?;
        self.push_object(&event, on_delta)
    }

    /// Decodes a parsed event.
    fn push_object(
        &mut self,
        event: &Value,
        on_delta: &mut dyn FnMut(Delta<'_>),
    ) -> Result<(), PushError> {
        let nothing = Map::new();
        let event = event.as_object().unwrap_or(&nothing);
        let event = self.wire.endpoint.adapted(event);
        let (limits, counts) = (self.limits, &mut self.counts);
        let mut sink = DeltaSink {
            on_delta,
            limits,
            counts,
        };
        self.accumulator.push(&event, &mut sink)
    }
}
