//! Call in a response.

use serde::Serialize;
use serde_json::Value;
use tool_core::{CallArguments, ErrorCode, ToolCall, ToolError};

/// Decoded call that a model requested.
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
    /// The provider's id, or a generated one.
    pub id: String,
    /// Name of the tool. The name in the definition if the decoder has the tools.
    pub name: String,
    /// Arguments, always an object. `None` if [`error`](Self::error) is set.
    pub arguments: Option<Value>,
    /// Received text, or compact JSON if the provider sent an object.
    pub raw: String,
    /// `invalid_arguments` or `truncated_arguments` if the arguments cannot be used.
    pub error: Option<ErrorCode>,
    /// Whether the id was generated, because the provider sent no usable id.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub id_generated: bool,
    /// Whether keys or nulls of the arguments were mapped back to the definition.
    #[serde(skip)]
    pub(crate) is_mapped: bool,
    /// Data that must be sent back to the provider unchanged, such as a thought signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_data: Option<Value>,
}

impl DecodedCall {
    /// Returns the call for a registry, which parses and validates the text of the arguments. If
    /// keys or nulls were mapped back, the arguments are a parsed value.
    ///
    /// # Errors
    /// Returns [`ErrorCode::TruncatedArguments`] if the arguments are truncated.
    pub fn to_call(&self) -> Result<ToolCall, ToolError> {
        if self.error == Some(ErrorCode::TruncatedArguments) {
            let error =
                ToolError::new(ErrorCode::TruncatedArguments, "The arguments are truncated");
            return Err(error.suggest(
                "Send the complete call again, with shorter arguments or in several calls.",
            ));
        }
        // The received text, because the registry records repairs of it. Mapped arguments have no text that fits them.
        Ok(self.call_with(match &self.arguments {
            Some(arguments) if self.is_mapped => CallArguments::Value(arguments.clone()),
            _ => CallArguments::Text(self.raw.clone()),
        }))
    }

    /// Returns the call for a transcript. Invalid arguments are kept as text.
    pub fn to_recorded(&self) -> ToolCall {
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tool_core::{CallArguments, Dialect, ErrorCode, ToolDefinition};

    use crate::{Options, Provider, StrictMode, decode};

    /// Returns the call of a response with these arguments, decoded with a tool that has an unusual key.
    fn call(arguments: &str, finish: &str) -> Result<CallArguments, ErrorCode> {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let options = Options::default().with_strict(StrictMode::On);
        let dialect = Provider::OpenAi.with_options(options);
        let tools = dialect.convert(&[ToolDefinition::new("f", "F", schema)]);
        let call = json!({"id": "c", "function": {"name": "f", "arguments": arguments}});
        let response =
            json!({"choices": [{"message": {"tool_calls": [call]}, "finish_reason": finish}]});
        let decoded = decode(Provider::OpenAi, &response, Some(&tools)).unwrap();
        let call = decoded.calls[0].to_call();
        call.map(|call| call.arguments)
            .map_err(|error| error.code().clone())
    }

    #[test]
    fn call_has_text_unless_arguments_were_mapped_back() {
        for text in ["{\"a\": \"x\"}", "{\"a\": \"x\",}", "", "[]"] {
            assert_eq!(
                call(text, "tool_calls"),
                Ok(CallArguments::Text(text.to_owned()))
            );
        }
        let mapped = CallArguments::Value(Value::Object(serde_json::Map::new()));
        assert_eq!(call("{\"a\": null}", "tool_calls"), Ok(mapped));
    }

    #[test]
    fn rejects_truncated_arguments() {
        for text in ["{\"a\": \"x", "{}", ""] {
            assert_eq!(call(text, "length"), Err(ErrorCode::TruncatedArguments));
        }
    }
}
