//! Conversation in the order that providers require, and the resulting changes.

use serde_json::Value;
use tool_core::{ConversionLoss, LossKind};

use crate::{Block, MessagePart, ModelTraits, Object, Reasoning};

/// Step of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Turn {
    System {
        pointer: String,
        text: String,
    },
    User {
        pointer: String,
        blocks: Vec<Block>,
    },
    Assistant(AssistantTurn),
    /// Results for the calls of the preceding assistant turn, in the order of the calls.
    Results(Vec<WireResult>),
}

/// Result with the id and name that are sent to the provider.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WireResult {
    pub(crate) pointer: String,
    pub(crate) id: String,
    pub(crate) local: bool,
    pub(crate) name: String,
    pub(crate) is_error: bool,
    pub(crate) content: Vec<Block>,
}

/// Conversation in order, with the recorded changes.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    pub(crate) turns: Vec<Turn>,
    pub(crate) losses: Vec<ConversionLoss>,
    /// Capabilities of the model.
    pub(crate) model: ModelTraits,
}

impl Conversation {
    /// Records a loss for each call whose arguments are not an object, for providers that require
    /// one.
    pub(crate) fn record_unreadable(&mut self, turn: &AssistantTurn) {
        for (position, call) in turn.calls().enumerate() {
            if call.unreadable.is_some() {
                let pointer = format!("{}/calls/{position}/arguments", turn.pointer);
                let detail = "arguments that are not an object are replaced with an empty object";
                self.record_loss(pointer, "arguments", LossKind::Degraded, detail);
            }
        }
    }

    /// Records that an assistant message is omitted.
    pub(crate) fn record_empty(&mut self, pointer: String) {
        let detail = "an empty assistant message is omitted";
        self.record_loss(pointer, "content", LossKind::Dropped, detail);
    }

    /// Records that all reasoning of a turn is omitted.
    pub(crate) fn record_dropped_reasoning(&mut self, turn: &AssistantTurn, detail: &str) {
        if turn.reasoning().next().is_some() {
            let pointer = format!("{}/reasoning", turn.pointer);
            self.record_loss(pointer, "reasoning", LossKind::Dropped, detail);
        }
    }

    /// Removes the reasoning for which `is_own` returns `false`, and records a loss for each block. The other parts keep
    /// their order.
    pub(crate) fn keep_own_reasoning(
        &mut self,
        turn: &mut AssistantTurn,
        detail: &str,
        is_own: impl Fn(&Value) -> bool,
    ) {
        let mut position = 0;
        turn.parts.retain(|part| {
            let TurnPart::Reasoning(reasoning) = part else {
                return true;
            };
            let is_kept = reasoning.provider_data.as_ref().is_some_and(&is_own);
            if !is_kept {
                let pointer = format!("{}/reasoning/{position}", turn.pointer);
                self.record_loss(pointer, "reasoning", LossKind::Dropped, detail);
            }
            position += 1;
            is_kept
        });
    }

    /// Records a change.
    pub(crate) fn record_loss(
        &mut self,
        pointer: impl Into<String>,
        keyword: &str,
        action: LossKind,
        detail: &str,
    ) {
        self.losses
            .push(ConversionLoss::new("", pointer, keyword, action, detail));
    }
}

/// Returns the text of the blocks, joined by newlines.
pub(crate) fn joined(blocks: &[Block]) -> String {
    let texts: Vec<String> = blocks.iter().filter_map(Block::to_text).collect();
    texts.join("\n")
}

/// Returns the text of a result, for providers without an error flag.
pub(crate) fn result_text(answer: &WireResult) -> String {
    let text = joined(&answer.content);
    match (answer.is_error, text.is_empty()) {
        (true, true) => "Error: the tool failed without a message.".to_owned(),
        // Most providers have no flag for errors, so the text has to say it, once.
        (true, false) if !text.trim_start().starts_with("Error") => format!("Error: {text}"),
        (false, true) if answer.content.iter().any(Block::is_image) => "[image]".to_owned(),
        _ => text,
    }
}

/// Turn of the model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AssistantTurn {
    pub(crate) pointer: String,
    /// Parts in the order in which the model sent them.
    pub(crate) parts: Vec<TurnPart>,
}

/// Part of a turn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TurnPart {
    Reasoning(Reasoning),
    Text(String),
    Call(WireCall),
}

/// Contents of a turn by kind, for providers whose messages have a field for each kind.
#[derive(Debug, Default)]
pub(crate) struct TurnFields {
    pub(crate) reasoning: Vec<Reasoning>,
    /// Texts, joined by newlines.
    pub(crate) text: String,
    pub(crate) calls: Vec<WireCall>,
}

impl AssistantTurn {
    pub(crate) fn reasoning(&self) -> impl Iterator<Item = &Reasoning> {
        self.parts.iter().filter_map(|part| match part {
            TurnPart::Reasoning(reasoning) => Some(reasoning),
            _ => None,
        })
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &WireCall> {
        self.parts.iter().filter_map(|part| match part {
            TurnPart::Call(call) => Some(call),
            _ => None,
        })
    }
}

impl From<Vec<TurnPart>> for TurnFields {
    fn from(parts: Vec<TurnPart>) -> Self {
        let mut fields = Self::default();
        let mut texts = Vec::new();
        for part in parts {
            match part {
                TurnPart::Reasoning(reasoning) => fields.reasoning.push(reasoning),
                TurnPart::Text(text) => texts.push(text),
                TurnPart::Call(call) => fields.calls.push(call),
            }
        }
        fields.text = texts.join("\n");
        fields
    }
}

impl TurnFields {
    /// Returns the parts in `order`, and then those that it does not list, if the message was edited.
    pub(crate) fn into_parts(self, order: &[MessagePart]) -> Vec<TurnPart> {
        let mut reasoning = self.reasoning.into_iter().map(TurnPart::Reasoning);
        let mut texts = pieces(&self.text, order).into_iter().map(TurnPart::Text);
        let mut calls = self.calls.into_iter().map(TurnPart::Call);
        let listed = order.iter().filter_map(|part| match part {
            MessagePart::Reasoning => reasoning.next(),
            MessagePart::Text { .. } => texts.next(),
            MessagePart::Call => calls.next(),
        });
        let mut parts: Vec<TurnPart> = listed.collect();
        parts.extend(reasoning.chain(texts).chain(calls));
        parts.retain(|part| !matches!(part, TurnPart::Text(text) if text.is_empty()));
        parts
    }
}

/// Splits a text into the listed pieces.
fn pieces(text: &str, order: &[MessagePart]) -> Vec<String> {
    let lengths = order.iter().filter_map(|part| match part {
        MessagePart::Text { bytes } => Some(*bytes),
        _ => None,
    });
    let lengths: Vec<usize> = lengths.collect();
    split(text, &lengths).unwrap_or_else(|| {
        // The last place is the safest: Anthropic rejects messages that end with reasoning.
        let mut pieces = vec![String::new(); lengths.len().saturating_sub(1)];
        pieces.push(text.to_owned());
        pieces
    })
}

/// Returns `None` if the lengths do not add up to the text.
fn split(mut text: &str, lengths: &[usize]) -> Option<Vec<String>> {
    let mut pieces = Vec::with_capacity(lengths.len());
    for length in lengths {
        let (piece, rest) = text.split_at_checked(*length)?;
        pieces.push(piece.to_owned());
        text = rest;
    }
    text.is_empty().then_some(pieces)
}

/// Call with the id and name that are sent to the provider.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WireCall {
    pub(crate) id: String,
    /// Whether the id was generated.
    pub(crate) local: bool,
    pub(crate) name: String,
    pub(crate) arguments: Object,
    /// Text of the arguments if they are not an object.
    pub(crate) unreadable: Option<String>,
    pub(crate) provider_data: Option<Value>,
}

impl WireCall {
    /// Returns the free text of a call to a custom tool, which has text instead of arguments.
    pub(crate) fn custom_input(&self) -> Option<&Value> {
        let kind = self.provider_data.as_ref()?.get("type")?;
        self.arguments.get("input").filter(|_| kind == "custom")
    }
}

/// Messages in which consecutive messages of one role are merged.
#[derive(Debug)]
pub(crate) struct AlternatingMessages {
    model: &'static str,
    list: Vec<(&'static str, Vec<Value>)>,
}

impl AlternatingMessages {
    /// Creates a list with the name of the model's role. The other role is `user` for all providers.
    pub(crate) fn new(model: &'static str) -> Self {
        let list = Vec::new();
        Self { model, list }
    }

    pub(crate) fn user(&mut self, content: Vec<Value>) {
        self.add("user", content);
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
        let first = self.list.first();
        if first.is_some_and(|(role, _)| *role == self.model) {
            let detail = "the provider requires a user message first; a short one is inserted";
            conversation.record_loss("/0", "role", LossKind::Degraded, detail);
            self.list.insert(0, ("user", vec![opening()]));
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
