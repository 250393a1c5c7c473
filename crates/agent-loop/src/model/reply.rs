//! Replies of models.

use provider_adapters::{Decoded, DecodedCall, Finish, Message, MessagePart, Reasoning, Usage};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tool_core::{CallArguments, Registry, ToolCall, ToolResult};

/// Call requested by a reply.
///
/// # Examples
/// ```
/// use agent_loop::ModelCall;
/// use tool_core::ToolCall;
///
/// let asked = ModelCall::from(ToolCall::new("list_files", "{}"));
/// assert_eq!(asked.refusal, None);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelCall {
    /// Call for the registry and the transcript.
    pub call: ToolCall,
    /// Result of a call that cannot be executed because its arguments are truncated, or because it may
    /// have run before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Box<ToolResult>>,
    /// Arguments for the transcript, if they differ from the arguments of `call`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recorded: Option<CallArguments>,
}

impl ModelCall {
    /// Replaces the ID.
    pub(crate) fn rename(&mut self, id: String) {
        if let Some(refusal) = &mut self.refusal {
            refusal.id = id.as_str().into();
        }
        self.call.id = id;
    }

    /// Sets the result of a call that is not executed.
    pub(crate) fn refused(mut self, refusal: ToolResult) -> Self {
        self.refusal = Some(Box::new(refusal));
        self
    }

    /// Replaces unreadable arguments in the transcript with the repaired ones, because providers
    /// reject or replace arguments that are not an object.
    pub(crate) fn record_repaired(&mut self, tools: &Registry) {
        let recorded = self.recorded.as_ref().unwrap_or(&self.call.arguments);
        let CallArguments::Text(text) = recorded else {
            return;
        };
        // Readable arguments stay as the model wrote them, so that it recognizes its own message.
        if serde_json::from_str::<Map<String, Value>>(text).is_ok() {
            return;
        }
        let validation = tools.validate(&self.call.name, &self.call.arguments);
        if let Some(arguments) = validation.arguments {
            self.recorded = Some(CallArguments::Value(arguments));
        }
    }

    fn to_recorded(&self) -> ToolCall {
        let mut call = self.call.clone();
        if let Some(recorded) = &self.recorded {
            call.arguments = recorded.clone();
        }
        call
    }
}

impl From<ToolCall> for ModelCall {
    fn from(call: ToolCall) -> Self {
        Self {
            call,
            refusal: None,
            recorded: None,
        }
    }
}

impl ModelCall {
    fn decoded(decoded: &DecodedCall) -> Self {
        let recorded = decoded.to_recorded();
        match decoded.to_call() {
            Ok(call) => Self {
                recorded: Some(recorded.arguments),
                ..call.into()
            },
            // Truncated or unreadable arguments never run. The call stays in the transcript, with this as its result.
            Err(error) => {
                let refusal = ToolResult::refused(&decoded.id, &decoded.name, error);
                Self::from(recorded).refused(refusal)
            }
        }
    }
}

/// Reply of a model: text, calls, or both.
///
/// # Examples
/// ```
/// use agent_loop::ModelReply;
/// use tool_core::ToolCall;
///
/// let reply = ModelReply::calls([ToolCall::new("list_files", "{}")]).with_text("Let me look.");
/// assert_eq!((reply.text.as_str(), reply.calls.len()), ("Let me look.", 1));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelReply {
    /// Text of the reply. Without calls, this is the final answer.
    pub text: String,
    /// Calls requested by the model.
    #[serde(default)]
    pub calls: Vec<ModelCall>,
    /// Reasoning, including data that the provider requires in the next request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasoning: Vec<Reasoning>,
    /// Order of text, calls and reasoning. Empty if reasoning comes first, then the text, and then the calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<MessagePart>,
    /// Reason why the model stopped.
    pub finish: Finish,
    /// Tokens used by the turn, if reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl ModelReply {
    /// Creates a final answer.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            finish: Finish::Stop,
            ..Self::default()
        }
    }

    /// Creates a reply that requests calls.
    pub fn calls<C: Into<ModelCall>>(calls: impl IntoIterator<Item = C>) -> Self {
        Self {
            calls: calls.into_iter().map(Into::into).collect(),
            finish: Finish::Calls,
            ..Self::default()
        }
    }

    /// Sets the text.
    #[must_use]
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// Sets the tokens used by the turn.
    #[must_use]
    pub fn with_usage(mut self, input_tokens: u64, output_tokens: u64) -> Self {
        let mut usage = Usage::default();
        usage.input_tokens = input_tokens;
        usage.output_tokens = output_tokens;
        self.usage = Some(usage);
        self
    }

    /// Converts the reply to a transcript message. A paused reply has a marker, so that a resumed
    /// conversation continues it.
    pub(crate) fn to_message(&self) -> Message {
        let mut reasoning = self.reasoning.clone();
        // In the message and not next to it, because hosts store only the transcript.
        if self.finish == Finish::Paused && !reasoning.iter().any(Reasoning::is_pause) {
            reasoning.push(Reasoning::pause());
        }
        Message::Assistant {
            content: self.text.as_str().into(),
            calls: self.calls.iter().map(ModelCall::to_recorded).collect(),
            reasoning,
            order: self.order.clone(),
        }
    }
}

impl From<Decoded> for ModelReply {
    fn from(decoded: Decoded) -> Self {
        Self {
            text: decoded.text,
            calls: decoded.calls.iter().map(ModelCall::decoded).collect(),
            reasoning: decoded.reasoning_blocks,
            order: decoded.order,
            finish: decoded.finish,
            usage: decoded.usage,
        }
    }
}
