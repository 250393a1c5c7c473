//! One call in an answer.

use serde::Serialize;
use serde_json::Value;
use tool_core::{CallArguments, ErrorCode, ToolCall, ToolError};

/// One call that a model asks for, as it was decoded.
///
/// # Examples
/// ```
/// use provider_adapters::{Provider, decode};
/// use serde_json::json;
///
/// let response = json!({"message": {"tool_calls": [{"function": {"name": "add", "arguments": {"a": 1}}}]}});
/// let decoded = decode(Provider::Ollama, &response, None)?;
/// let call = &decoded.calls[0];
/// assert_eq!((call.id.as_str(), call.id_generated), ("local_0", true));
/// assert_eq!(call.arguments, Some(json!({"a": 1})));
/// # Ok::<_, provider_adapters::DecodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DecodedCall {
    /// The provider's id, or one made up here.
    pub id: String,
    /// The tool's name; the definition's own when the tools were given to the decoder.
    pub name: String,
    /// The arguments, always an object; `None` with [`error`](Self::error) set.
    pub arguments: Option<Value>,
    /// The text that came, or compact JSON where an object came.
    pub raw: String,
    /// `invalid_arguments` or `truncated_arguments` when the arguments cannot be used.
    pub error: Option<ErrorCode>,
    /// Whether the id was made up here because the provider gave none that can be used.
    #[serde(skip_serializing_if = "is_false")]
    pub id_generated: bool,
    /// What the provider wants back unchanged, such as a thought signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_data: Option<Value>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde gives fields by reference"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl DecodedCall {
    /// The call for a registry.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArguments`] or [`ErrorCode::TruncatedArguments`] in words for the model.
    pub fn to_call(&self) -> Result<ToolCall, ToolError> {
        match (&self.arguments, &self.error) {
            (Some(arguments), None) => Ok(self.call_with(arguments.clone().into())),
            (_, Some(ErrorCode::TruncatedArguments)) => Err(ToolError::new(
                ErrorCode::TruncatedArguments,
                "The arguments were cut off before their end",
            )
            .suggest("Send the whole call again, with shorter arguments or in several calls.")),
            _ => Err(ToolError::new(
                ErrorCode::InvalidArguments,
                "The arguments are not one JSON object without repeated keys",
            )
            .suggest("Send the arguments as one JSON object.")),
        }
    }

    /// The call for a transcript: arguments that cannot be used stay the text that came.
    pub(crate) fn into_recorded(self) -> ToolCall {
        let arguments = match &self.arguments {
            Some(arguments) => CallArguments::Value(arguments.clone()),
            None => CallArguments::Text(self.raw.clone()),
        };
        self.call_with(arguments)
    }

    fn call_with(&self, arguments: CallArguments) -> ToolCall {
        ToolCall::new(self.name.clone(), arguments)
            .with_id(self.id.clone())
            .with_provider_data(self.provider_data.clone())
    }
}
