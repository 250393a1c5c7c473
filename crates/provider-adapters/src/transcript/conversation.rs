//! Conversation in the order that providers require, and the resulting changes.

use serde_json::Value;
use tool_core::{ConversionLoss, LossKind};

use crate::{Block, ModelTraits, Object, Reasoning};

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

/// Turn of the model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AssistantTurn {
    pub(crate) pointer: String,
    pub(crate) text: String,
    pub(crate) calls: Vec<WireCall>,
    pub(crate) reasoning: Vec<Reasoning>,
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
        for (position, call) in turn.calls.iter().enumerate() {
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
        if !turn.reasoning.is_empty() {
            let pointer = format!("{}/reasoning", turn.pointer);
            self.record_loss(pointer, "reasoning", LossKind::Dropped, detail);
        }
    }

    /// Converts the reasoning of the turn at `pointer`. Records a loss for each block for which `convert` returns
    /// `None`.
    pub(crate) fn own_reasoning<T>(
        &mut self,
        pointer: &str,
        reasoning: Vec<Reasoning>,
        detail: &str,
        convert: impl Fn(Reasoning) -> Option<T>,
    ) -> Vec<T> {
        let mut own = Vec::new();
        for (position, block) in reasoning.into_iter().enumerate() {
            if let Some(converted) = convert(block) {
                own.push(converted);
            } else {
                let pointer = format!("{pointer}/reasoning/{position}");
                self.record_loss(pointer, "reasoning", LossKind::Dropped, detail);
            }
        }
        own
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
        (true, false) if !text.trim_start().starts_with("Error") => format!("Error: {text}"),
        (false, true) if answer.content.iter().any(Block::is_image) => "[image]".to_owned(),
        _ => text,
    }
}
