//! Replies of models.

use provider_adapters::{Decoded, DecodedCall, Finish, Message, Reasoning, Usage};
use tool_core::{CallArguments, ToolCall, ToolResult};

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
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ModelCall {
    /// Call for the registry and the transcript.
    pub call: ToolCall,
    /// Result of a call that cannot be executed because its arguments are truncated or not JSON.
    pub refusal: Option<Box<ToolResult>>,
    /// Arguments for the transcript, if they differ from the arguments of `call`.
    recorded: Option<CallArguments>,
}

impl ModelCall {
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

impl From<DecodedCall> for ModelCall {
    fn from(decoded: DecodedCall) -> Self {
        let recorded = decoded.to_recorded();
        match decoded.to_call() {
            Ok(call) => Self {
                recorded: Some(recorded.arguments),
                ..call.into()
            },
            Err(error) => Self {
                refusal: Some(Box::new(ToolResult::refused(
                    &decoded.id,
                    &decoded.name,
                    error,
                ))),
                ..recorded.into()
            },
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
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelReply {
    /// Text of the reply. Without calls, this is the final answer.
    pub text: String,
    /// Calls requested by the model.
    pub calls: Vec<ModelCall>,
    /// Reasoning, including data that the provider requires in the next request.
    pub reasoning: Vec<Reasoning>,
    /// Reason why the model stopped.
    pub finish: Finish,
    /// Tokens used by the turn, if reported.
    pub usage: Option<Usage>,
}

impl ModelReply {
    /// Creates a final answer.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            finish: Finish::Stop,
            ..Self::default()
        }
    }

    /// Creates a reply that requests calls.
    #[must_use]
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

    /// Sets the reason why the model stopped.
    #[must_use]
    pub fn with_finish(mut self, finish: Finish) -> Self {
        self.finish = finish;
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

    /// Converts the reply to a transcript message.
    #[must_use]
    pub fn to_message(&self) -> Message {
        Message::Assistant {
            content: self.text.as_str().into(),
            calls: self.calls.iter().map(ModelCall::to_recorded).collect(),
            reasoning: self.reasoning.clone(),
        }
    }
}

impl From<Decoded> for ModelReply {
    fn from(decoded: Decoded) -> Self {
        Self {
            text: decoded.text,
            calls: decoded.calls.into_iter().map(ModelCall::from).collect(),
            reasoning: decoded.reasoning_blocks,
            finish: decoded.finish,
            usage: decoded.usage,
        }
    }
}
