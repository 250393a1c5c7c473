//! Conversation in the order that providers require, and the resulting changes.

use serde_json::Value;
use tool_core::{ConversionLoss, LossKind};

use super::{AssistantTurn, TurnPart};
use crate::{Block, ModelTraits};

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
        (true, false) if !text.trim_start().starts_with("Error") => format!("Error: {text}"),
        (false, true) if answer.content.iter().any(Block::is_image) => "[image]".to_owned(),
        _ => text,
    }
}
