//! Assignment of results to calls.

use std::collections::{HashMap, VecDeque};

use tool_core::{LossKind, ToolCall};

use super::Arranger;
use crate::transcript::{Turn, WireCall, WireResult};
use crate::{Block, Message, ToolMessage};

/// Location of a result: index of its message and position in it.
pub(super) type ResultPosition = (usize, usize);

impl Arranger<'_> {
    /// Returns one result per call from the messages before the next assistant message. `after` is
    /// the index of the first message in `following`.
    pub(super) fn answers<'c>(
        &mut self,
        after: usize,
        calls: impl Iterator<Item = (&'c (String, &'c ToolCall), &'c WireCall)>,
        following: &[Message],
    ) -> Vec<WireResult> {
        let mut waiting = pending_results(after, following);
        let direct = after
            + following
                .iter()
                .take_while(|message| is_tool_message(message))
                .count();
        let mut answers = Vec::new();
        for ((source, call), wire) in calls {
            let found = waiting
                .get_mut(call.id.as_str())
                .and_then(VecDeque::pop_front);
            let (pointer, is_error, content) = match found {
                Some((at, answer)) => {
                    self.claimed.insert(at);
                    let pointer = format!("/{}/results/{}", at.0, at.1);
                    if at.0 >= direct {
                        self.record_moved(&pointer);
                    }
                    let content = self.accepted(&pointer, &answer.content, true);
                    (pointer, answer.is_error, content)
                }
                None => self.missing_result(source.clone()),
            };
            answers.push(WireResult {
                pointer,
                id: wire.id.clone(),
                local: wire.local,
                name: wire.name.clone(),
                is_error,
                content,
            });
        }
        answers
    }

    fn record_moved(&mut self, pointer: &str) {
        let detail = "the result followed another message and is moved directly after its call";
        self.conversation
            .record_loss(pointer, "results", LossKind::Degraded, detail);
    }

    fn missing_result(&mut self, pointer: String) -> (String, bool, Vec<Block>) {
        let detail = "the call has no result; an error is sent instead";
        self.conversation
            .record_loss(pointer.clone(), "results", LossKind::Degraded, detail);
        // Every provider rejects a conversation in which a call has no result.
        let text = "Error: The call has no result.";
        (pointer, true, vec![Block::text(text)])
    }

    /// Converts a result without a call to a user message.
    pub(super) fn push_orphan(&mut self, index: usize, position: usize, answer: &ToolMessage) {
        let pointer = format!("/{index}/results/{position}");
        let detail = "no earlier call has this id; the result is sent as a user message";
        self.conversation
            .record_loss(&pointer, "call_id", LossKind::Degraded, detail);
        let words = if answer.is_error { "Error" } else { "Result" };
        let mut blocks = vec![Block::text(format!("{words} of `{}`:", answer.name))];
        blocks.extend(self.accepted(&pointer, &answer.content, false));
        self.push(Turn::User { pointer, blocks });
    }
}

type PendingResults<'m> = HashMap<&'m str, VecDeque<(ResultPosition, &'m ToolMessage)>>;

/// Returns the results up to the next assistant message by call id. `after` is the index of the
/// first message.
fn pending_results(after: usize, following: &[Message]) -> PendingResults<'_> {
    let mut waiting = PendingResults::new();
    let turn = following
        .iter()
        .take_while(|message| !matches!(message, Message::Assistant { .. }));
    for (offset, message) in turn.enumerate() {
        let Message::Tool { results } = message else {
            continue;
        };
        for (position, answer) in results.iter().enumerate() {
            waiting
                .entry(answer.call_id.as_str())
                .or_default()
                .push_back(((after + offset, position), answer));
        }
    }
    waiting
}

fn is_tool_message(message: &Message) -> bool {
    matches!(message, Message::Tool { .. })
}
