//! Messages with alternating roles.

use serde_json::Value;
use tool_core::LossKind;

use super::{AssistantTurn, Conversation, Turn};

/// Messages in which consecutive messages of one role are merged.
#[derive(Debug)]
pub(crate) struct AlternatingMessages {
    user: &'static str,
    model: &'static str,
    list: Vec<(&'static str, Vec<Value>)>,
}

impl AlternatingMessages {
    pub(crate) fn new(user: &'static str, model: &'static str) -> Self {
        Self {
            user,
            model,
            list: Vec::new(),
        }
    }

    pub(crate) fn user(&mut self, content: Vec<Value>) {
        self.add(self.user, content);
    }

    /// Adds a turn of the model, converted with `convert`. Empty content is omitted with a loss.
    pub(crate) fn model(
        &mut self,
        turn: AssistantTurn,
        convert: fn(AssistantTurn, &mut Conversation) -> Vec<Value>,
        conversation: &mut Conversation,
    ) {
        conversation.record_unreadable(&turn);
        let pointer = turn.pointer.clone();
        let content = convert(turn, conversation);
        if content.is_empty() {
            conversation.record_empty(pointer);
        } else {
            self.add(self.model, content);
        }
    }

    fn add(&mut self, role: &'static str, content: Vec<Value>) {
        match self.list.last_mut() {
            Some((last, parts)) if *last == role => parts.extend(content),
            _ => self.list.push((role, content)),
        }
    }

    /// Returns the messages. If the model begins, inserts a user message with `opening` first.
    pub(crate) fn into_list(
        mut self,
        opening: impl FnOnce() -> Value,
        conversation: &mut Conversation,
    ) -> Vec<(&'static str, Vec<Value>)> {
        if self
            .list
            .first()
            .is_some_and(|(role, _)| *role == self.model)
        {
            let detail = "the provider requires a user message first; a short one is inserted";
            conversation.record_loss("/0", "role", LossKind::Degraded, detail);
            self.list.insert(0, (self.user, vec![opening()]));
        }
        self.list
    }
}

/// Returns the system messages, for providers with a single field for them.
pub(crate) fn hoist_system(conversation: &mut Conversation) -> Vec<String> {
    let mut texts = Vec::new();
    let mut late = Vec::new();
    let mut began = false;
    for turn in &conversation.turns {
        let Turn::System { pointer, text } = turn else {
            began = true;
            continue;
        };
        late.extend(began.then(|| pointer.clone()));
        if !text.trim().is_empty() {
            texts.push(text.clone());
        }
    }
    for pointer in late {
        let detail = "a later system message is moved to the beginning";
        conversation.record_loss(pointer, "system", LossKind::Merged, detail);
    }
    texts
}
