//! Decoded responses in a common format.

mod arguments;
mod builder;
mod call;
mod carried;
mod error;
pub(crate) mod read;

use serde::{Deserialize, Serialize};

pub(crate) use arguments::{ArgumentsError, parse as parse_arguments};
pub(crate) use builder::{
    CARRIED_ORDER, CARRIED_REASONING, Choice, LOCAL_ID, RawArguments, ReceivedCall,
};
pub use call::DecodedCall;
pub use error::DecodeError;

use crate::{MessagePart, Reasoning};

/// Reason the model stopped.
///
/// # Examples
/// ```
/// use provider_adapters::Finish;
///
/// assert_eq!(serde_json::to_string(&Finish::Calls)?, "\"calls\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finish {
    /// The model requested calls, and the response is not truncated.
    Calls,
    /// The model finished its message.
    Stop,
    /// The token limit was reached.
    Length,
    /// A content filter or a refusal stopped the model.
    Filtered,
    /// The provider paused a long turn. Send the message back to continue it.
    Paused,
    /// The provider reported an error.
    Error,
    /// Any other reason, or no reason was sent.
    #[default]
    Other,
}

/// Error inside a response, such as one with a success status.
///
/// # Examples
/// ```
/// use provider_adapters::{Provider, decode};
/// use serde_json::json;
///
/// let decoded = decode(Provider::Ollama, &json!({"error": "model not found"}), None)?;
/// assert_eq!(decoded.stream_error.map(|error| error.message).as_deref(), Some("model not found"));
/// # Ok::<_, provider_adapters::DecodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StreamError {
    /// The provider's error code, or `error` if it sent none.
    pub code: String,
    /// The provider's error message.
    pub message: String,
}

impl StreamError {
    pub(crate) fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
        }
    }
}

/// Token counts of a turn.
///
/// # Examples
/// ```
/// use provider_adapters::{Provider, decode};
/// use serde_json::json;
///
/// let response = json!({
///     "content": [{"type": "text", "text": "Hello."}],
///     "stop_reason": "end_turn",
///     "usage": {"input_tokens": 12, "output_tokens": 3},
/// });
/// let usage = decode(Provider::Anthropic, &response, None)?.usage.unwrap_or_default();
/// assert_eq!(usage.input_tokens + usage.output_tokens, 15);
/// # Ok::<_, provider_adapters::DecodeError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// Input tokens, including cached ones.
    pub input_tokens: u64,
    /// Output tokens, including reasoning.
    pub output_tokens: u64,
    /// Input tokens read from a cache, if the provider reports them.
    #[serde(default)]
    pub cached_tokens: u64,
    /// Input tokens written to a cache, if the provider reports them.
    #[serde(default)]
    pub cache_write_tokens: u64,
    /// Output tokens used for reasoning, if the provider reports them.
    #[serde(default)]
    pub reasoning_tokens: u64,
}

/// Decoded response of a model.
///
/// In the serialized form, reasoning that must be sent back to the provider is stored as
/// `reasoning` in the `provider_data` of the first call, together with the `order`. [`encode`](crate::encode()) reads
/// both there.
///
/// # Examples
/// ```
/// use provider_adapters::{Finish, Provider, decode};
/// use serde_json::json;
///
/// let response = json!({"message": {"role": "assistant", "content": "Hello."}, "done_reason": "stop"});
/// let decoded = decode(Provider::Ollama, &response, None)?;
/// assert_eq!((decoded.text.as_str(), decoded.finish), ("Hello.", Finish::Stop));
/// # Ok::<_, provider_adapters::DecodeError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Decoded {
    /// Text of the message. May be empty.
    pub text: String,
    /// Text of the reasoning if the provider sends it. May be empty.
    pub reasoning: String,
    /// Calls of the first choice.
    pub calls: Vec<DecodedCall>,
    /// Other choices, if several were requested.
    pub choices: Vec<Decoded>,
    /// Reason the model stopped.
    pub finish: Finish,
    /// The provider's own name for the reason.
    pub finish_raw: Option<String>,
    /// Error inside the response.
    pub stream_error: Option<StreamError>,
    /// Token counts. Not part of the serialized form.
    pub usage: Option<Usage>,
    /// Blocks of reasoning with the data that must be sent back to the provider.
    pub reasoning_blocks: Vec<Reasoning>,
    /// Order of text, calls and reasoning blocks. Empty if the reasoning comes first, then the text, and then the
    /// calls, or if the provider has no order.
    pub order: Vec<MessagePart>,
    /// Repairs of the response, such as replaced characters. Not part of the serialized form.
    pub notes: Vec<String>,
}
