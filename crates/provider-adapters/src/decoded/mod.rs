//! What a model answered, the same for every provider.

mod arguments;
mod builder;
mod call;
mod carried;
mod error;
pub(crate) mod read;

use serde::{Deserialize, Serialize};

pub(crate) use arguments::{Unusable, parse as parse_arguments};
pub(crate) use builder::{Arrival, CARRIED_REASONING, Choice, LOCAL_ID, Sent};
pub use call::DecodedCall;
pub use error::DecodeError;

use crate::Reasoning;

/// Why the model stopped.
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
    /// It asks for calls, and nothing was cut.
    Calls,
    /// It has said what it wanted.
    Stop,
    /// It ran into a limit on tokens.
    Length,
    /// A filter or a refusal stopped it.
    Filtered,
    /// The provider reported an error.
    Error,
    /// Something else, or nothing was said.
    #[default]
    Other,
}

/// An error that stands inside a response that looked well.
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
    /// The provider's word for it; `error` when it has none.
    pub code: String,
    /// The provider's sentence.
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

/// The tokens that a turn took.
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
    /// Tokens read, those from a cache included.
    pub input_tokens: u64,
    /// Tokens written, those of reasoning included.
    pub output_tokens: u64,
    /// Those of the tokens read that came from a cache, where the provider tells them.
    #[serde(default)]
    pub cached_tokens: u64,
    /// Those of the tokens written that are reasoning, where the provider tells them.
    #[serde(default)]
    pub reasoning_tokens: u64,
}

/// What a model answered.
///
/// In the serialised form the reasoning that the provider wants back stands in the `provider_data` of the first call, under
/// `reasoning`; [`encode`](crate::encode()) finds it there.
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
    /// What it says; empty if nothing.
    pub text: String,
    /// What it thought, where that is told; empty if nothing.
    pub reasoning: String,
    /// The calls that it asks for, of the first choice.
    pub calls: Vec<DecodedCall>,
    /// The other choices, where several were asked for.
    pub choices: Vec<Decoded>,
    /// Why it stopped.
    pub finish: Finish,
    /// The same in the provider's word.
    pub finish_raw: Option<String>,
    /// An error inside the response.
    pub stream_error: Option<StreamError>,
    /// The tokens that it took; no part of the serialised form.
    pub usage: Option<Usage>,
    /// The reasoning piece by piece, with what the provider wants back.
    pub reasoning_blocks: Vec<Reasoning>,
}
