//! Messages of two roles that take turns.

use serde_json::Value;
use tool_core::LossKind;

use super::{Conversation, Turn};

/// Messages in which neighbours of one role become one.
#[derive(Debug)]
pub(crate) struct Roles {
    user: &'static str,
    model: &'static str,
    list: Vec<(&'static str, Vec<Value>)>,
}

impl Roles {
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

    /// Adds what the model said; an empty message is left out, with a loss.
    pub(crate) fn model(
        &mut self,
        content: Vec<Value>,
        pointer: &str,
        conversation: &mut Conversation,
    ) {
        if content.is_empty() {
            let detail = "an empty message of the model is left out";
            conversation.lose(pointer, "content", LossKind::Dropped, detail);
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

    /// The messages; the first one is the user's, made up where the model begins.
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
            let detail =
                "the provider wants the user to begin, so that a short message stands first";
            conversation.lose("/0", "role", LossKind::Degraded, detail);
            self.list.insert(0, (self.user, vec![opening()]));
        }
        self.list
    }
}

/// The texts of the application, for a provider that has one place for them.
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
        let detail = "a system message from later in the conversation stands at its beginning";
        conversation.lose(pointer, "system", LossKind::Merged, detail);
    }
    texts
}
