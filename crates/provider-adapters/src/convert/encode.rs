//! Conversion of conversations to a provider's format.

mod results;

use std::collections::HashSet;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tool_core::{CallArguments, ConversionLoss, LossKind, ProviderTools, ToolCall};

use crate::decoded::{CARRIED_ORDER, CARRIED_REASONING, LOCAL_ID};
use crate::providers::anthropic;
use crate::transcript::{AssistantTurn, Conversation, Turn, TurnFields, WireCall};
use crate::wire::Ids;
use crate::{Block, Content, Message, MessagePart, Object, ProviderDialect, Reasoning, Transcript};
use results::ResultPosition;

/// Conversation in a provider's format.
///
/// # Examples
/// ```
/// use provider_adapters::{Message, Provider, Transcript, encode};
/// use serde_json::json;
///
/// let transcript = Transcript::from(vec![Message::user("Hi")]);
/// let encoded = encode(Provider::Anthropic, &transcript, None);
/// assert_eq!(encoded.body, json!({"messages": [{"role": "user", "content": "Hi"}]}));
/// assert!(encoded.losses.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Encoded {
    /// Members of the request body that contain the conversation.
    pub body: Value,
    /// All lossy changes. Their pointers refer to the transcript.
    pub losses: Vec<ConversionLoss>,
}

/// Converts a conversation to a provider's format.
///
/// Each call has exactly one result, ids are valid, and roles are in the required order. `dialect`
/// is a [`Provider`](crate::Provider), or one with options if the model differs from the provider's
/// defaults (see [`ModelTraits`](crate::ModelTraits)). With `tools`, calls use the names and keys
/// of the converted tools.
///
/// # Examples
/// ```
/// use provider_adapters::{Message, Provider, ToolMessage, Transcript, encode};
/// use serde_json::json;
///
/// let transcript: Transcript = serde_json::from_value(json!([
///     {"role": "user", "content": "List the files."},
///     {"role": "assistant", "content": "", "calls": [{"id": "c1", "name": "list", "arguments": {}}]},
///     {"role": "tool", "results": [{"call_id": "c1", "name": "list", "content": "a.txt"}]},
/// ]))?;
/// let encoded = encode(Provider::OpenAi, &transcript, None);
/// assert_eq!(
///     encoded.body["messages"][2],
///     json!({"role": "tool", "tool_call_id": "c1", "content": "a.txt"})
/// );
/// # Ok::<_, serde_json::Error>(())
/// ```
pub fn encode(
    dialect: impl Into<ProviderDialect>,
    transcript: &Transcript,
    tools: Option<&ProviderTools>,
) -> Encoded {
    let dialect = dialect.into();
    let mut conversation = arrange(&dialect, transcript, tools);
    let wire = dialect.provider().wire();
    let mut body = (wire.encode)(&mut conversation);
    // Last, because the markers belong to the end of the finished conversation.
    if let Some(mark) = wire.extras.cache.filter(|_| dialect.options().cache) {
        mark(&mut body);
    }
    Encoded {
        body,
        losses: conversation.losses,
    }
}

/// Converts the messages of a transcript to turns.
fn arrange(
    dialect: &ProviderDialect,
    transcript: &Transcript,
    tools: Option<&ProviderTools>,
) -> Conversation {
    let model = &dialect.options().model;
    let messages = transcript.messages();
    let mut arranger = Arranger {
        dialect,
        tools,
        ids: Ids::new(dialect.provider().wire().ids),
        images: messages.iter().map(Message::images).sum(),
        claimed: HashSet::new(),
        conversation: Conversation {
            server: dialect.provider().as_str(),
            model: model.clone(),
            ..Conversation::default()
        },
    };
    let mut index = 0;
    while let Some(message) = messages.get(index) {
        let rest = messages.get(index..).unwrap_or_default();
        let length = turn_length(rest);
        match rest.split_at_checked(length) {
            Some((own, following)) if length > 1 => arranger.model(index, own, following),
            _ => arranger.message(index, message, rest.get(1..).unwrap_or_default()),
        }
        index += length.max(1);
    }
    arranger.conversation
}

/// Returns the number of consecutive assistant messages if the first one has calls, otherwise 0.
/// They form one turn, and the results follow all of them.
fn turn_length(messages: &[Message]) -> usize {
    let calls = |message: &Message| matches!(message, Message::Assistant { calls, .. } if !calls.is_empty());
    if !messages.first().is_some_and(calls) {
        return 0;
    }
    let is_model = |message: &&Message| matches!(message, Message::Assistant { .. });
    messages.iter().take_while(is_model).count()
}

struct Arranger<'t> {
    dialect: &'t ProviderDialect,
    tools: Option<&'t ProviderTools>,
    ids: Ids,
    /// Number of images in the conversation.
    images: usize,
    /// Results that belong to a call.
    claimed: HashSet<ResultPosition>,
    conversation: Conversation,
}

impl Arranger<'_> {
    fn message(&mut self, index: usize, message: &Message, following: &[Message]) {
        match message {
            Message::System { content } => self.system(index, content),
            Message::User { content } if content.to_blocks().is_empty() => self.record_empty(index),
            Message::User { content } => {
                let pointer = format!("/{index}");
                let blocks = self.accepted(&pointer, content, false);
                self.push(Turn::User { pointer, blocks });
            }
            Message::Assistant { .. } => {
                self.model(index, std::slice::from_ref(message), following);
            }
            Message::Tool { results } => {
                for (position, answer) in results.iter().enumerate() {
                    if !self.claimed.contains(&(index, position)) {
                        self.push_orphan(index, position, answer);
                    }
                }
            }
        }
    }

    fn system(&mut self, index: usize, content: &Content) {
        let text = self.text_only(index, content, "system messages contain only text");
        if text.trim().is_empty() {
            self.record_empty(index);
        } else {
            let pointer = format!("/{index}");
            self.push(Turn::System { pointer, text });
        }
    }

    /// Adds one turn from one or more assistant messages, and the results of its calls.
    fn model(&mut self, first: usize, messages: &[Message], following: &[Message]) {
        let mut turn = AssistantTurn {
            pointer: format!("/{first}"),
            parts: Vec::new(),
        };
        let mut source: Vec<(String, &ToolCall)> = Vec::new();
        for (index, message) in (first..).zip(messages) {
            if index > first {
                let detail =
                    "consecutive assistant messages are merged because results follow all calls";
                self.record_loss(index, "role", LossKind::Merged, detail);
            }
            let calls = self.extend_turn(&mut turn, index, message);
            let pointers = (0..).map(|position| format!("/{index}/calls/{position}"));
            source.extend(pointers.zip(calls));
        }
        let calls = source.iter().zip(turn.calls());
        let answers = self.answers(first + messages.len(), calls, following);
        self.push(Turn::Assistant(turn));
        if !answers.is_empty() {
            self.push(Turn::Results(answers));
        }
    }

    /// Adds an assistant message to its turn. Returns the calls of the message.
    fn extend_turn<'m>(
        &mut self,
        turn: &mut AssistantTurn,
        index: usize,
        message: &'m Message,
    ) -> &'m [ToolCall] {
        let Message::Assistant {
            content,
            calls,
            reasoning,
            order,
        } = message
        else {
            return &[];
        };
        let (reasoning, mut order) = reasoning_and_order(reasoning, order, calls);
        let reasoning = reasoning.into_iter();
        let fields = TurnFields {
            reasoning: reasoning.filter(|thought| !thought.is_pause()).collect(),
            text: self.text_only(index, content, "assistant messages contain only text"),
            calls: (calls.iter().enumerate())
                .map(|(position, call)| self.call(&format!("/{index}/calls/{position}"), call))
                .collect(),
        };
        if order.is_empty() {
            order = anthropic::usual_order(&fields.reasoning, &fields.text, fields.calls.len());
        }
        turn.parts.extend(fields.into_parts(&order));
        calls
    }

    fn push(&mut self, turn: Turn) {
        self.conversation.turns.push(turn);
    }

    fn record_empty(&mut self, index: usize) {
        let detail = "an empty message is omitted";
        self.record_loss(index, "content", LossKind::Dropped, detail);
    }

    fn record_loss(&mut self, index: usize, keyword: &str, kind: LossKind, detail: &str) {
        self.conversation
            .record_loss(format!("/{index}"), keyword, kind, detail);
    }

    /// Returns the text of a system or assistant message. No provider accepts media there.
    fn text_only(&mut self, index: usize, content: &Content, detail: &str) -> String {
        let blocks = content.to_blocks();
        if let Some(block) = blocks.iter().find(|block| block.is_media()) {
            let pointer = format!("/{index}/content");
            let kind = block.restricted_kind().unwrap_or("content");
            self.conversation
                .record_loss(pointer, kind, LossKind::Dropped, detail);
        }
        content.to_text()
    }

    /// Returns the blocks of a user message or result. Text replaces audio and resources that the provider does not
    /// accept there.
    fn accepted(&mut self, pointer: &str, content: &Content, is_result: bool) -> Vec<Block> {
        let extras = &self.dialect.provider().wire().extras;
        let unless = |is_accepted: bool| {
            (!is_accepted).then(|| "the provider does not accept this content".to_owned())
        };
        let mut blocks = content.to_blocks();
        for block in &mut blocks {
            let reason = match block {
                Block::Audio { media_type, .. } => {
                    let mut kinds = extras.audio.iter();
                    unless(kinds.any(|prefix| media_type.starts_with(prefix)))
                }
                Block::Image { media_type, data } => {
                    let checked = extras.images.check(data, self.images);
                    checked
                        .map(|own| own.map(|own| own.clone_into(media_type)))
                        .err()
                }
                Block::Resource { .. } if is_result => unless(extras.resources),
                Block::Resource { .. } => unless(extras.documents && block.as_pdf().is_some()),
                _ => None,
            };
            if let (Some(reason), Some(kind)) = (reason, block.restricted_kind()) {
                let pointer = format!("{pointer}/content");
                let detail = format!("{reason}; text replaces it");
                self.conversation
                    .record_loss(pointer, kind, LossKind::Degraded, &detail);
                let mut text = block.to_plain_text();
                if block.is_image() {
                    text = format!("{text} The image is not shown: {reason}.");
                }
                *block = Block::text(text);
            }
        }
        blocks
    }

    fn call(&mut self, pointer: &str, call: &ToolCall) -> WireCall {
        let (mut arguments, detail) = readable(&call.arguments);
        if let Some(detail) = detail {
            let pointer = format!("{pointer}/arguments");
            self.conversation
                .record_loss(pointer, "arguments", LossKind::Degraded, detail);
        }
        let name = self.wire_name(&call.name);
        if let Some(tools) = self.tools {
            crate::convert::arguments_to_wire(tools, &name, &mut arguments);
        }
        WireCall {
            // A conversation from another provider can have ids that this one rejects. Results get the same new id.
            id: self.ids.assign(&call.id),
            local: is_local(&call.id),
            name,
            arguments,
            provider_data: call.provider_data.clone(),
        }
    }

    fn wire_name(&self, name: &str) -> String {
        let known = self.tools.and_then(|tools| tools.wire_name(name));
        // The tool of an earlier call may be gone, and its call still needs a valid name.
        known.map_or_else(|| self.dialect.wire_name(name), str::to_owned)
    }
}

/// Returns the arguments as an object, and the detail of the loss if they are not the same. Servers parse the
/// arguments of earlier calls, so a string that is no object would fail every later request of the conversation.
fn readable(sent: &CallArguments) -> (Object, Option<&'static str>) {
    let (value, is_repaired) = match sent {
        CallArguments::Value(value) => (value.clone(), false),
        CallArguments::Text(text) if text.trim().is_empty() => (Value::Null, false),
        CallArguments::Text(text) => match tool_json::repair(text) {
            Ok((tape, repairs)) => (tape.to_value(), !repairs.is_empty()),
            Err(_) => (Value::Bool(false), false),
        },
    };
    match value {
        Value::Object(arguments) => {
            let detail = "arguments that are not JSON are replaced with the object that they mean";
            (arguments, is_repaired.then_some(detail))
        }
        Value::Null => (Object::new(), None),
        _ => {
            let detail = "arguments that are not an object are replaced with an empty object";
            (Object::new(), Some(detail))
        }
    }
}

/// Returns the reasoning and the order of a message. Without reasoning, returns those that a serialized response
/// stored in the first call.
fn reasoning_and_order(
    reasoning: &[Reasoning],
    order: &[MessagePart],
    calls: &[ToolCall],
) -> (Vec<Reasoning>, Vec<MessagePart>) {
    let first = calls.first().filter(|_| reasoning.is_empty());
    match first.and_then(|call| call.provider_data.as_ref()) {
        Some(data) if data.get(CARRIED_REASONING).is_some() => (
            carried(data, CARRIED_REASONING),
            carried(data, CARRIED_ORDER),
        ),
        _ => (reasoning.to_vec(), order.to_vec()),
    }
}

fn carried<T: DeserializeOwned>(data: &Value, key: &str) -> Vec<T> {
    let list = data.get(key).map(Vec::deserialize);
    list.and_then(Result::ok).unwrap_or_default()
}

/// Returns `true` if the provider did not assign the id.
fn is_local(id: &str) -> bool {
    id.starts_with(LOCAL_ID) || id.trim().is_empty()
}

#[cfg(test)]
mod tests;
