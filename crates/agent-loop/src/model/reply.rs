//! What a model replies.

use provider_adapters::{Decoded, DecodedCall, Finish, Message, Reasoning, Usage};
use tool_core::{CallArguments, ToolCall, ToolResult};

/// One call of a reply.
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
    /// The call as it goes to the registry and into the transcript.
    pub call: ToolCall,
    /// The result of a call that cannot be run, because its arguments were cut off or are not JSON.
    pub refusal: Option<Box<ToolResult>>,
}

impl From<ToolCall> for ModelCall {
    fn from(call: ToolCall) -> Self {
        Self {
            call,
            refusal: None,
        }
    }
}

impl From<DecodedCall> for ModelCall {
    fn from(decoded: DecodedCall) -> Self {
        match decoded.to_call() {
            Ok(call) => call.into(),
            Err(error) => {
                let refusal = ToolResult::refused(&decoded.id, &decoded.name, error);
                let call = ToolCall::new(decoded.name, CallArguments::Text(decoded.raw))
                    .with_id(decoded.id)
                    .with_provider_data(decoded.provider_data);
                Self {
                    call,
                    refusal: Some(Box::new(refusal)),
                }
            }
        }
    }
}

/// What a model replies: words, calls, or both.
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
    /// What it says; empty if nothing. Without calls this is the final answer.
    pub text: String,
    /// The calls that it asks for.
    pub calls: Vec<ModelCall>,
    /// What it thought, with what the provider wants back.
    pub reasoning: Vec<Reasoning>,
    /// Why it stopped.
    pub finish: Finish,
    /// The tokens that the turn took, where the model tells.
    pub usage: Option<Usage>,
}

impl ModelReply {
    /// A final answer.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            finish: Finish::Stop,
            ..Self::default()
        }
    }

    /// A reply that asks for calls.
    #[must_use]
    pub fn calls<C: Into<ModelCall>>(calls: impl IntoIterator<Item = C>) -> Self {
        Self {
            calls: calls.into_iter().map(Into::into).collect(),
            finish: Finish::Calls,
            ..Self::default()
        }
    }

    /// Sets what it says.
    #[must_use]
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// Sets why it stopped.
    #[must_use]
    pub fn with_finish(mut self, finish: Finish) -> Self {
        self.finish = finish;
        self
    }

    /// Sets the tokens that the turn took.
    #[must_use]
    pub fn with_usage(mut self, input_tokens: u64, output_tokens: u64) -> Self {
        let mut usage = Usage::default();
        usage.input_tokens = input_tokens;
        usage.output_tokens = output_tokens;
        self.usage = Some(usage);
        self
    }

    /// The reply as a message of the transcript.
    #[must_use]
    pub fn to_message(&self) -> Message {
        Message::Assistant {
            content: self.text.as_str().into(),
            calls: self.calls.iter().map(|asked| asked.call.clone()).collect(),
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
