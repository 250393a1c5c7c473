//! A conversation in order, and what was changed for that.

use serde_json::{Map, Value};
use tool_core::{ConversionLoss, LossKind};

use crate::{Block, ModelTraits, Reasoning};

/// One step of a conversation.
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
    /// The answers to the calls of the assistant turn before, in the order of the calls.
    Results(Vec<Answer>),
}

/// What the model answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AssistantTurn {
    pub(crate) pointer: String,
    pub(crate) text: String,
    pub(crate) calls: Vec<WireCall>,
    pub(crate) reasoning: Vec<Reasoning>,
}

/// One call with the id and the name that the provider is told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WireCall {
    pub(crate) id: String,
    /// Whether the id was made up here.
    pub(crate) local: bool,
    pub(crate) name: String,
    pub(crate) arguments: Map<String, Value>,
    /// The text that the model sent, where it is no object.
    pub(crate) unreadable: Option<String>,
    pub(crate) provider_data: Option<Value>,
}

impl WireCall {
    /// The free text of a call that was none of a function.
    pub(crate) fn custom_input(&self) -> Option<&Value> {
        let kind = self.provider_data.as_ref()?.get("type")?;
        self.arguments.get("input").filter(|_| kind == "custom")
    }
}

/// One answer with the id and the name that the provider is told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) pointer: String,
    pub(crate) id: String,
    pub(crate) local: bool,
    pub(crate) name: String,
    pub(crate) is_error: bool,
    pub(crate) content: Vec<Block>,
}

/// A conversation in order, and what was changed for that.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    pub(crate) turns: Vec<Turn>,
    pub(crate) losses: Vec<ConversionLoss>,
    /// What the model takes.
    pub(crate) model: ModelTraits,
}

impl Conversation {
    /// Records the calls of a turn whose arguments a provider that wants an object cannot be sent.
    pub(crate) fn lose_unreadable(&mut self, turn: &AssistantTurn) {
        for (position, call) in turn.calls.iter().enumerate() {
            if call.unreadable.is_some() {
                self.lose(
                    format!("{}/calls/{position}/arguments", turn.pointer),
                    "arguments",
                    LossKind::Degraded,
                    "arguments that are no object are sent as an empty one",
                );
            }
        }
    }

    /// Records a change that the provider sees.
    pub(crate) fn lose(
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

/// The words of these blocks, joined by line breaks.
pub(crate) fn joined(blocks: &[Block]) -> String {
    let texts: Vec<String> = blocks.iter().filter_map(Block::to_text).collect();
    texts.join("\n")
}

/// What an answer says, for a provider without a flag for errors.
pub(crate) fn answer_text(answer: &Answer) -> String {
    let text = joined(&answer.content);
    match (answer.is_error, text.is_empty()) {
        (true, true) => "Error: the tool failed without a message.".to_owned(),
        (true, false) if !text.trim_start().starts_with("Error") => format!("Error: {text}"),
        (false, true) if answer.content.iter().any(Block::is_image) => "[image]".to_owned(),
        _ => text,
    }
}
