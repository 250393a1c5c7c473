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
    /// Name of the provider.
    pub(crate) server: &'static str,
    /// Capabilities of the model.
    pub(crate) model: ModelTraits,
}

impl Conversation {
    /// Records that a turn loses the order of its parts, for providers whose messages have a separate field for calls.
    /// `has_parts` states whether the content keeps the order of text and reasoning. Otherwise reasoning comes first.
    pub(crate) fn record_reordered(&mut self, turn: &AssistantTurn, has_parts: bool) {
        let is_in_fields = turn.parts.iter().is_sorted_by_key(|part| match part {
            TurnPart::Reasoning(_) => 0,
            TurnPart::Text { .. } => u8::from(!has_parts),
            TurnPart::Call(_) => 2,
        });
        if !is_in_fields {
            let pointer = format!("{}/order", turn.pointer);
            let detail = "the provider has no order of text, calls and reasoning";
            self.record_loss(pointer, "order", LossKind::Degraded, detail);
        }
    }

    /// Records that an assistant message is omitted.
    pub(crate) fn record_empty(&mut self, pointer: String) {
        let detail = "an empty assistant message is omitted";
        self.record_loss(pointer, "content", LossKind::Dropped, detail);
    }

    /// Removes the reasoning for which `is_own` returns `false`, and records a loss for each block. The other parts keep
    /// their order.
    pub(crate) fn keep_own_reasoning(
        &mut self,
        turn: &mut AssistantTurn,
        detail: &str,
        is_own: impl Fn(&Reasoning) -> bool,
    ) {
        let mut position = 0;
        let name = self.model.name.clone();
        turn.parts.retain(|part| {
            let TurnPart::Reasoning(reasoning) = part else {
                return true;
            };
            let is_foreign = reasoning.is_of_other_model(name.as_deref());
            let is_kept = is_own(reasoning) && !is_foreign;
            if !is_kept {
                let pointer = format!("{}/reasoning/{position}", turn.pointer);
                let other = "reasoning is bound to the model that wrote it";
                let detail = if is_foreign { other } else { detail };
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
    Text {
        text: String,
        /// Data that must be sent back to the provider with the text.
        data: Option<Value>,
    },
    Call(WireCall),
}

/// Contents of a turn by kind, for providers whose messages have a field for each kind.
#[derive(Debug, Default)]
pub(crate) struct TurnFields {
    pub(crate) reasoning: Vec<Reasoning>,
    /// Text parts, joined by newlines.
    pub(crate) text: String,
    pub(crate) calls: Vec<WireCall>,
}

impl AssistantTurn {
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
                TurnPart::Text { text, .. } => texts.push(text),
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
        let mut texts = pieces(&self.text, order).into_iter();
        let mut calls = self.calls.into_iter().map(TurnPart::Call);
        let listed = order.iter().filter_map(|part| match part {
            MessagePart::Reasoning => reasoning.next(),
            MessagePart::Text { .. } => texts.next(),
            MessagePart::Call => calls.next(),
        });
        let mut parts: Vec<TurnPart> = listed.collect();
        parts.extend(reasoning.chain(texts).chain(calls));
        parts
            .retain(|part| !matches!(part, TurnPart::Text { text, data: None } if text.is_empty()));
        parts
    }
}

/// Splits a string into the listed pieces.
fn pieces(text: &str, order: &[MessagePart]) -> Vec<TurnPart> {
    let listed = order.iter().filter_map(|part| match part {
        MessagePart::Text {
            bytes,
            provider_data,
        } => Some((*bytes, provider_data)),
        _ => None,
    });
    let listed: Vec<_> = listed.collect();
    split(text, &listed).unwrap_or_else(|| {
        let piece = |text: &str| TurnPart::Text {
            text: text.to_owned(),
            data: None,
        };
        // The last place is the safest: Anthropic rejects messages that end with reasoning.
        let mut pieces = vec![piece(""); listed.len().saturating_sub(1)];
        pieces.push(piece(text));
        pieces
    })
}

/// Returns `None` if the lengths do not add up to the text.
fn split(mut text: &str, listed: &[(usize, &Option<Value>)]) -> Option<Vec<TurnPart>> {
    let mut pieces = Vec::with_capacity(listed.len());
    for (length, data) in listed {
        let (piece, rest) = text.split_at_checked(*length)?;
        pieces.push(TurnPart::Text {
            text: piece.to_owned(),
            data: (*data).clone(),
        });
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
    pub(crate) provider_data: Option<Value>,
}

impl WireCall {
    /// Returns the free text of a call to a custom tool, which has text instead of arguments.
    pub(crate) fn custom_input(&self) -> Option<&Value> {
        let kind = self.provider_data.as_ref()?.get("type")?;
        self.arguments.get("input").filter(|_| kind == "custom")
    }
}

/// Conversion of the parts of a conversation, for providers whose roles alternate.
pub(crate) struct AlternatingMessages {
    /// Name of the model's role. The other role is `user` for all providers.
    pub(crate) model: &'static str,
    pub(crate) block: fn(&Block) -> Value,
    pub(crate) results: fn(&[WireResult], &mut Conversation) -> Vec<Value>,
    pub(crate) assistant: fn(AssistantTurn, &mut Conversation) -> Vec<Value>,
}

impl AlternatingMessages {
    /// Returns the messages of all turns but the system messages, with their roles. The user begins, and all results of a
    /// turn are in the next message of the user, before anything else.
    pub(crate) fn of(&self, conversation: &mut Conversation) -> Vec<(&'static str, Vec<Value>)> {
        let mut messages: Vec<(&'static str, Vec<Value>)> = Vec::new();
        for turn in std::mem::take(&mut conversation.turns) {
            let (role, content) = match turn {
                Turn::System { .. } => continue,
                Turn::User { blocks, .. } => ("user", blocks.iter().map(self.block).collect()),
                Turn::Results(answers) => ("user", (self.results)(&answers, conversation)),
                Turn::Assistant(turn) => {
                    let pointer = turn.pointer.clone();
                    let content = (self.assistant)(turn, conversation);
                    if content.is_empty() {
                        conversation.record_empty(pointer);
                        continue;
                    }
                    (self.model, content)
                }
            };
            match messages.last_mut() {
                Some((last, parts)) if *last == role => parts.extend(content),
                _ => messages.push((role, content)),
            }
        }
        if messages
            .first()
            .is_some_and(|(role, _)| *role == self.model)
        {
            let detail = "the provider requires a user message first; a short one is inserted";
            conversation.record_loss("/0", "role", LossKind::Degraded, detail);
            messages.insert(0, ("user", vec![(self.block)(&Block::text("Continue."))]));
        }
        messages
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
