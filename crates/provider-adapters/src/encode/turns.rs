//! Messages put in order: every call answered once, right after it was asked.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Map, Value};
use tool_core::{CallArguments, LossAction, ToolCall};

use super::conversation::{Answer, AssistantTurn, Conversation, Turn, WireCall};
use super::ids::Ids;
use crate::decoded::LOCAL_ID;
use crate::{Block, Content, Message, Provider, Reasoning, ToolAnswer, ToolSet, Transcript};

/// The messages of a transcript as turns.
pub(crate) fn arrange(
    provider: Provider,
    transcript: &Transcript,
    tools: Option<&ToolSet>,
) -> Conversation {
    let mut arranger = Arranger {
        provider,
        tools,
        ids: Ids::default(),
        claimed: HashSet::new(),
        conversation: Conversation::default(),
    };
    let messages = transcript.messages();
    for (index, message) in messages.iter().enumerate() {
        let following = messages.get(index + 1..).unwrap_or_default();
        arranger.message(index, message, following);
    }
    arranger.conversation
}

/// Where an answer stands: its message, and its position there.
type Place = (usize, usize);

struct Arranger<'t> {
    provider: Provider,
    tools: Option<&'t ToolSet>,
    ids: Ids,
    /// The answers that belong to a call.
    claimed: HashSet<Place>,
    conversation: Conversation,
}

impl Arranger<'_> {
    fn message(&mut self, index: usize, message: &Message, following: &[Message]) {
        match message {
            // Words only: no provider takes an image from the application.
            Message::System { content } if content.to_text().trim().is_empty() => self.empty(index),
            Message::User { content } if content.to_blocks().is_empty() => self.empty(index),
            Message::System { content } => self.push(Turn::System(content.to_text())),
            Message::User { content } => self.push(Turn::User(content.to_blocks())),
            Message::Assistant {
                content,
                calls,
                reasoning,
            } => {
                let told: Vec<WireCall> = calls.iter().map(|call| self.call(call)).collect();
                let answers = self.answers(index, calls.iter().zip(&told), following);
                self.assistant(index, content, told, reasoning);
                if !answers.is_empty() {
                    self.push(Turn::Results(answers));
                }
            }
            Message::Tool { results } => {
                for (position, answer) in results.iter().enumerate() {
                    if !self.claimed.contains(&(index, position)) {
                        self.orphan(index, position, answer);
                    }
                }
            }
        }
    }

    fn assistant(
        &mut self,
        index: usize,
        content: &Content,
        calls: Vec<WireCall>,
        reasoning: &[Reasoning],
    ) {
        let text = self.text_only(index, content);
        self.push(Turn::Assistant(AssistantTurn {
            pointer: format!("/{index}"),
            text,
            calls,
            reasoning: reasoning.to_vec(),
        }));
    }

    fn push(&mut self, turn: Turn) {
        self.conversation.turns.push(turn);
    }

    fn empty(&mut self, index: usize) {
        self.conversation.lose(
            format!("/{index}"),
            "content",
            LossAction::Dropped,
            "a message without content is left out",
        );
    }

    /// The words of an assistant message; no provider takes images there.
    fn text_only(&mut self, index: usize, content: &Content) -> String {
        if content.to_blocks().iter().any(Block::is_image) {
            self.conversation.lose(
                format!("/{index}/content"),
                "image",
                LossAction::Dropped,
                "a message of the model holds words only",
            );
        }
        content.to_text()
    }

    fn call(&mut self, call: &ToolCall) -> WireCall {
        let parsed = match &call.arguments {
            CallArguments::Value(value) => value.clone(),
            CallArguments::Text(text) => serde_json::from_str(text).unwrap_or_default(),
        };
        let (mut arguments, unreadable) = match (parsed, &call.arguments) {
            (Value::Object(arguments), _) => (arguments, None),
            (_, CallArguments::Text(text)) if text.trim().is_empty() => (Map::new(), None),
            (_, CallArguments::Value(Value::Null)) => (Map::new(), None),
            (_, sent) => (Map::new(), Some(sent.to_text())),
        };
        if let Some(tools) = self.tools {
            tools.disguise_arguments(&call.name, &mut arguments);
        }
        WireCall {
            id: self.ids.assign(self.provider.wire().ids, &call.id),
            local: is_local(&call.id),
            name: self.wire_name(&call.name),
            arguments,
            unreadable,
            provider_data: call.provider_data.clone(),
        }
    }

    fn wire_name(&self, name: &str) -> String {
        match self.tools {
            Some(tools) => tools.wire_name(name),
            None => self.provider.wire().names.wire_name(name),
        }
    }

    /// One answer for each call, from the messages up to the model's next one.
    fn answers<'c>(
        &mut self,
        index: usize,
        calls: impl Iterator<Item = (&'c ToolCall, &'c WireCall)>,
        following: &[Message],
    ) -> Vec<Answer> {
        let mut waiting = waiting_answers(index, following);
        let mut answers = Vec::new();
        for (position, (call, wire)) in calls.enumerate() {
            let found = waiting
                .get_mut(call.id.as_str())
                .and_then(VecDeque::pop_front);
            let (pointer, is_error, content) = match found {
                Some((at, answer)) => {
                    self.claimed.insert(at);
                    let pointer = format!("/{}/results/{}", at.0, at.1);
                    (pointer, answer.is_error, answer.content.to_blocks())
                }
                None => self.missing(format!("/{index}/calls/{position}")),
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

    fn missing(&mut self, pointer: String) -> (String, bool, Vec<Block>) {
        self.conversation.lose(
            pointer.clone(),
            "results",
            LossAction::Degraded,
            "the call has no answer, so that an error is sent for it",
        );
        let text = "Error: This call was not answered.";
        (pointer, true, vec![Block::text(text)])
    }

    /// An answer to no call becomes words of the user.
    fn orphan(&mut self, index: usize, position: usize, answer: &ToolAnswer) {
        self.conversation.lose(
            format!("/{index}/results/{position}"),
            "call_id",
            LossAction::Degraded,
            "no call before asks for this answer, so that it is sent as text of the user",
        );
        let words = if answer.is_error { "Error" } else { "Result" };
        let mut blocks = vec![Block::text(format!("{words} of `{}`:", answer.name))];
        blocks.extend(answer.content.to_blocks());
        self.push(Turn::User(blocks));
    }
}

type Waiting<'m> = HashMap<&'m str, VecDeque<(Place, &'m ToolAnswer)>>;

/// The answers after message `index`, up to the model's next message, by the call they are for.
fn waiting_answers(index: usize, following: &[Message]) -> Waiting<'_> {
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
                .push_back(((index + 1 + offset, position), answer));
        }
    }
    waiting
}

fn is_local(id: &str) -> bool {
    id.starts_with(LOCAL_ID)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn turns(transcript: Value) -> Conversation {
        let transcript: Transcript = serde_json::from_value(transcript).unwrap();
        arrange(Provider::Anthropic, &transcript, None)
    }

    fn kinds(conversation: &Conversation) -> Vec<&'static str> {
        let kind = |turn: &Turn| match turn {
            Turn::System(_) => "system",
            Turn::User(_) => "user",
            Turn::Assistant(_) => "assistant",
            Turn::Results(_) => "results",
        };
        conversation.turns.iter().map(kind).collect()
    }

    #[test]
    fn answers_follow_their_calls_before_anything_else() {
        let conversation = turns(json!([
            {"role": "assistant", "calls": [{"id": "a", "name": "f", "arguments": {}}]},
            {"role": "user", "content": "wait"},
            {"role": "tool", "results": [{"call_id": "a", "name": "f", "content": "done"}]},
        ]));

        assert_eq!(kinds(&conversation), ["assistant", "results", "user"]);
        assert!(conversation.losses.is_empty());
    }

    #[test]
    fn an_answer_after_the_next_message_of_the_model_is_too_late() {
        let conversation = turns(json!([
            {"role": "assistant", "calls": [{"id": "a", "name": "f", "arguments": {}}]},
            {"role": "assistant", "content": "and"},
            {"role": "tool", "results": [{"call_id": "a", "name": "f", "content": "done"}]},
        ]));

        assert_eq!(
            kinds(&conversation),
            ["assistant", "results", "assistant", "user"]
        );
        let pointers: Vec<&str> = conversation
            .losses
            .iter()
            .map(|loss| loss.pointer.as_str())
            .collect();
        assert_eq!(pointers, ["/0/calls/0", "/2/results/0"]);
    }

    #[test]
    fn two_calls_with_one_id_get_two_ids_and_an_answer_each() {
        let conversation = turns(json!([
            {"role": "assistant", "calls": [
                {"id": "a", "name": "f", "arguments": {}}, {"id": "a", "name": "g", "arguments": {}},
            ]},
            {"role": "tool", "results": [
                {"call_id": "a", "name": "f", "content": "1"}, {"call_id": "a", "name": "g", "content": "2"},
            ]},
        ]));

        let Some(Turn::Results(answers)) = conversation.turns.get(1) else {
            panic!("{conversation:?}")
        };
        let told: Vec<(&str, &str)> = answers
            .iter()
            .map(|answer| (answer.id.as_str(), answer.name.as_str()))
            .collect();
        assert_eq!(told, [("a", "f"), ("a_1", "g")]);
    }
}
