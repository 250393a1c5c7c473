//! Shortening of long conversations.

use std::sync::Arc;

use async_trait::async_trait;
use provider_adapters::{Content, Message, ToolMessage, Transcript};
use tool_core::output_store::OutputStore;

use crate::budget::estimated_tokens;

/// Results with fewer bytes are not worth a marker.
const MIN_RESULT: usize = 300;

/// Strategy that shortens a transcript.
///
/// # Examples
/// ```
/// use agent_loop::Compaction;
/// use async_trait::async_trait;
/// use provider_adapters::Transcript;
///
/// /// Keeps only the messages before the first reply.
/// struct Forget;
///
/// #[async_trait]
/// impl Compaction for Forget {
///     async fn compact(&self, transcript: &Transcript, _max_tokens: u64) -> Option<Transcript> {
///         Some(transcript.messages().iter().take(2).cloned().collect())
///     }
/// }
/// ```
#[async_trait]
pub trait Compaction: Send + Sync {
    /// Returns a shorter transcript, or `None` if it cannot be shortened. Keep each call together
    /// with its result, and at least one user message, because providers reject anything else.
    async fn compact(&self, transcript: &Transcript, max_tokens: u64) -> Option<Transcript>;
}

/// Compaction that keeps the first and the last turns.
///
/// Long results of other turns are moved to a store, or removed without one. If the transcript still
/// has over half of the maximum, the oldest of these turns are removed with their calls and
/// results. User messages are kept.
///
/// # Examples
/// ```
/// use agent_loop::{AgentLoop, KeepEnds, ModelReply, ScriptedModel};
/// use tool_core::Registry;
///
/// let model = ScriptedModel::new([ModelReply::text("Hello.")]);
/// let agent = AgentLoop::new(Registry::new(), model).compaction(50_000, KeepEnds::turns(1, 4));
/// ```
#[derive(Clone)]
pub struct KeepEnds {
    first: usize,
    last: usize,
    store: Option<Arc<dyn OutputStore>>,
}

impl KeepEnds {
    /// Keeps this number of turns at the start and at the end.
    pub fn turns(first: usize, last: usize) -> Self {
        Self {
            first,
            last,
            store: None,
        }
    }

    /// Sets the store for long results. The model reads them with `read_stored_output`, so register
    /// `tool_core::output_store::read_stored_output` with the same store.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn OutputStore>) -> Self {
        self.store = Some(store);
        self
    }

    async fn shortened(&self, message: &Message) -> Message {
        let Message::Tool { results } = message else {
            return message.clone();
        };
        let mut short = Vec::with_capacity(results.len());
        for answer in results {
            short.push(self.marked(answer).await);
        }
        Message::Tool { results: short }
    }

    /// Returns the result with a marker instead of long content.
    async fn marked(&self, answer: &ToolMessage) -> ToolMessage {
        let text = answer.content.to_text();
        if text.len() < MIN_RESULT {
            return answer.clone();
        }
        let bytes = text.len();
        let handle = match &self.store {
            // A store that fails loses only the text: the marker then tells the model to repeat the call.
            Some(store) => store.put(text.into()).await.ok(),
            None => None,
        };
        let marker = match handle {
            Some(handle) => format!(
                "[{bytes} bytes were moved to the store. Read them with `read_stored_output` and the handle `{}`.]",
                handle.as_str()
            ),
            None => format!("[{bytes} bytes were removed. Repeat the call if you need them.]"),
        };
        ToolMessage::new(&*answer.call_id, &*answer.name, Content::from(marker))
            .with_error(answer.is_error)
    }
}

#[async_trait]
impl Compaction for KeepEnds {
    async fn compact(&self, transcript: &Transcript, max_tokens: u64) -> Option<Transcript> {
        let groups = groups(transcript);
        let turns: Vec<usize> = (0..groups.len())
            .filter(|at| groups.get(*at).is_some_and(|group| is_turn(group)))
            .collect();
        // The task is at the start and the current work at the end, so both stay complete.
        let inner = turns.get(self.first..turns.len().checked_sub(self.last)?)?;
        let mut kept: Vec<Option<Vec<Message>>> = Vec::with_capacity(groups.len());
        for (at, group) in groups.iter().enumerate() {
            let mut messages = Vec::with_capacity(group.len());
            for message in *group {
                messages.push(if inner.contains(&at) {
                    self.shortened(message).await
                } else {
                    message.clone()
                });
            }
            kept.push(Some(messages));
        }
        // To half of the maximum. Just below it, nearly every further turn would shorten the conversation again.
        remove_oldest(&mut kept, inner, max_tokens / 2);
        let short: Transcript = kept.into_iter().flatten().flatten().collect();
        (short != *transcript).then_some(short)
    }
}

/// Removes turns until the messages have at most `tokens`, and leaves a note.
fn remove_oldest(kept: &mut [Option<Vec<Message>>], inner: &[usize], tokens: u64) {
    let mut size: u64 = kept.iter().map(estimated_tokens).sum();
    let mut removed = 0;
    for at in inner {
        if size <= tokens {
            break;
        }
        if let Some(turn) = kept.get_mut(*at) {
            size = size.saturating_sub(estimated_tokens(turn));
            // The reply together with its results, because providers reject one without the other.
            *turn = None;
            removed += 1;
        }
    }
    if let (true, Some(first)) = (removed > 0, inner.first().and_then(|at| kept.get_mut(*at))) {
        let note = format!("[{removed} earlier turns of this conversation were removed.]");
        *first = Some(vec![Message::user(note)]);
    }
}

/// Splits a transcript into turns, which are replies with their results, and other messages.
fn groups(transcript: &Transcript) -> Vec<&[Message]> {
    let is_result = |message: &Message| matches!(message, Message::Tool { .. });
    transcript
        .messages()
        .chunk_by(|_, next| is_result(next))
        .collect()
}

fn is_turn(group: &[Message]) -> bool {
    matches!(group.first(), Some(Message::Assistant { .. }))
}

tool_core::debug_fields!(KeepEnds, this => first: this.first, last: this.last);
