//! The answer to each call, wherever it stands.

use std::collections::{HashMap, VecDeque};

use tool_core::{LossKind, ToolCall};

use super::Arranger;
use crate::transcript::{Answer, Turn, WireCall};
use crate::{Block, Message, ToolAnswer};

/// Where an answer stands: its message, and its position there.
pub(super) type Place = (usize, usize);

impl Arranger<'_> {
    /// One answer for each call, from the messages up to the model's next one. `after` is the number of the first.
    pub(super) fn answers<'c>(
        &mut self,
        after: usize,
        calls: impl Iterator<Item = (&'c (String, &'c ToolCall), &'c WireCall)>,
        following: &[Message],
    ) -> Vec<Answer> {
        let mut waiting = waiting_answers(after, following);
        let direct = after
            + following
                .iter()
                .take_while(|message| is_answers(message))
                .count();
        let mut answers = Vec::new();
        for ((asked, call), wire) in calls {
            let found = waiting
                .get_mut(call.id.as_str())
                .and_then(VecDeque::pop_front);
            let (pointer, is_error, content) = match found {
                Some((at, answer)) => {
                    self.claimed.insert(at);
                    let pointer = format!("/{}/results/{}", at.0, at.1);
                    if at.0 >= direct {
                        self.lose_place(&pointer);
                    }
                    (pointer, answer.is_error, answer.content.to_blocks())
                }
                None => self.missing(asked.clone()),
            };
            answers.push(Answer {
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

    fn lose_place(&mut self, pointer: &str) {
        self.conversation.lose(
            pointer,
            "results",
            LossKind::Degraded,
            "the answer came after another message, and stands before it, right after its call",
        );
    }

    fn missing(&mut self, pointer: String) -> (String, bool, Vec<Block>) {
        self.conversation.lose(
            pointer.clone(),
            "results",
            LossKind::Degraded,
            "the call has no answer, so that an error is sent for it",
        );
        let text = "Error: This call was not answered.";
        (pointer, true, vec![Block::text(text)])
    }

    /// An answer to no call becomes words of the user.
    pub(super) fn orphan(&mut self, index: usize, position: usize, answer: &ToolAnswer) {
        self.conversation.lose(
            format!("/{index}/results/{position}"),
            "call_id",
            LossKind::Degraded,
            "no call before asks for this answer, so that it is sent as text of the user",
        );
        let words = if answer.is_error { "Error" } else { "Result" };
        let mut blocks = vec![Block::text(format!("{words} of `{}`:", answer.name))];
        blocks.extend(answer.content.to_blocks());
        let pointer = format!("/{index}/results/{position}");
        self.push(Turn::User { pointer, blocks });
    }
}

type Waiting<'m> = HashMap<&'m str, VecDeque<(Place, &'m ToolAnswer)>>;

/// The answers from message `after` on, up to the model's next message, by the call they are for.
fn waiting_answers(after: usize, following: &[Message]) -> Waiting<'_> {
    let mut waiting = Waiting::new();
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

fn is_answers(message: &Message) -> bool {
    matches!(message, Message::Tool { .. })
}
