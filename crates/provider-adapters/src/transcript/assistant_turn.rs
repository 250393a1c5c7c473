//! Turns of the model, with their parts in order.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Object, Reasoning};

/// Part of an assistant message. A list of them is the order in which the model sent the message.
///
/// Providers that sign their reasoning reject a message whose parts have moved. Each part stands for the next
/// element of its kind, so the texts, calls and blocks themselves are stored only once. If a message was edited,
/// parts that the order lacks follow at the end, and nothing is lost.
///
/// # Examples
/// ```
/// use provider_adapters::{Message, MessagePart, Provider, decode};
/// use serde_json::json;
///
/// let response = json!({"stop_reason": "tool_use", "content": [
///     {"type": "tool_use", "id": "toolu_1", "name": "list", "input": {}},
///     {"type": "thinking", "thinking": "And the size?", "signature": "c2ln"},
///     {"type": "tool_use", "id": "toolu_2", "name": "size", "input": {}},
/// ]});
/// let decoded = decode(Provider::Anthropic, &response, None)?;
/// assert_eq!(decoded.order, [MessagePart::Call, MessagePart::Reasoning, MessagePart::Call]);
///
/// let saved = serde_json::to_value(Message::from(decoded)).unwrap();
/// assert_eq!(saved["order"], json!(["call", "reasoning", "call"]));
/// # Ok::<_, provider_adapters::DecodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MessagePart {
    /// The next block of reasoning.
    Reasoning,
    /// The next part of the text.
    Text {
        /// Length in bytes. If the lengths do not add up to the text, all of it is the last of these parts.
        bytes: usize,
    },
    /// The next call.
    Call,
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
