//! One conversion for the requests and responses of a conversation.

use serde_json::{Map, Value};
use tool_core::{Dialect, ProviderTools, ToolDefinition};

use super::{Encoded, ProviderDialect, StreamDecoder, decode, encode};
use crate::{DecodeError, Decoded, Transcript};

/// Tools that are converted once, for all requests to a provider and their responses.
///
/// The plan keeps the provider, its options and the mapping of names, keys and added nulls, so that
/// a request and its response cannot be converted differently.
///
/// # Examples
/// ```
/// use provider_adapters::{ConversionPlan, Message, Provider, ToolDefinition, Transcript};
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
/// let tools = [ToolDefinition::new("weather", "Current weather.", schema)];
/// let plan = ConversionPlan::new(Provider::Ollama, &tools);
/// assert!(plan.tools().refused.is_empty());
///
/// let transcript = Transcript::from(vec![Message::user("Weather in Oslo?")]);
/// let body = plan.encode(&transcript).body;
/// assert_eq!(body["tools"][0]["function"]["name"], "weather");
/// assert_eq!(body["messages"][0]["content"], "Weather in Oslo?");
///
/// let call = json!({"function": {"name": "weather", "arguments": {"city": "Oslo"}}});
/// let decoded = plan.decode(&json!({"message": {"tool_calls": [call]}}))?;
/// assert_eq!(decoded.calls[0].name, "weather");
/// # Ok::<_, provider_adapters::DecodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ConversionPlan {
    dialect: ProviderDialect,
    tools: ProviderTools,
}

impl ConversionPlan {
    /// Converts the definitions for a [`Provider`](crate::Provider), or for one with options.
    pub fn new(dialect: impl Into<ProviderDialect>, definitions: &[ToolDefinition]) -> Self {
        let dialect = dialect.into();
        let tools = dialect.convert(definitions);
        Self { dialect, tools }
    }

    /// Returns the converted tools, with all lossy changes and rejected tools.
    pub fn tools(&self) -> &ProviderTools {
        &self.tools
    }

    /// Converts a conversation to a request body with the tools and the tool choice. The host adds
    /// the model and its settings.
    ///
    /// The losses are in the conversation; [`tools`](Self::tools) has the losses of the tools.
    pub fn encode(&self, transcript: &Transcript) -> Encoded {
        let conversation = encode(&self.dialect, transcript, Some(&self.tools));
        let mut body = Map::new();
        // The two have no member in common.
        for part in [&self.tools.request, &conversation.body] {
            body.extend(part.as_object().cloned().unwrap_or_default());
        }
        Encoded {
            body: Value::Object(body),
            losses: conversation.losses,
        }
    }

    /// Decodes a complete response, like [`decode()`].
    ///
    /// # Errors
    /// Returns [`DecodeError`] if `response` is not a response of the provider.
    pub fn decode(&self, response: &Value) -> Result<Decoded, DecodeError> {
        decode(self.dialect.provider(), response, Some(&self.tools))
    }

    /// Creates the decoder of one streamed response. Pass it to [`finish`](Self::finish) at the end
    /// of the stream.
    pub fn stream(&self) -> StreamDecoder {
        StreamDecoder::new(self.dialect.provider())
    }

    /// Returns the decoded response of a stream, equal to the result of [`decode`](Self::decode) for
    /// the complete response.
    pub fn finish(&self, decoder: StreamDecoder) -> Decoded {
        decoder.finish(Some(&self.tools))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Message, Options, Provider, StrictMode};

    /// A plan whose tool has a name that the provider does not accept and an optional parameter.
    fn plan() -> ConversionPlan {
        let schema = json!({"type": "object", "properties": {
            "city": {"type": "string"}, "days": {"type": "integer"},
        }, "required": ["city"], "additionalProperties": false});
        let tool = ToolDefinition::new("weather.now", "Current weather.", schema);
        let options = Options::default().with_strict(StrictMode::On);
        ConversionPlan::new(Provider::OpenAi.with_options(options), &[tool])
    }

    #[test]
    fn request_has_tools_and_conversation() {
        let body = plan()
            .encode(&Transcript::from(vec![Message::user("Hi")]))
            .body;

        assert_eq!(body["tools"][0]["function"]["strict"], true);
        assert_eq!(body["tool_choice"], "auto");
        assert_eq!(body["messages"], json!([{"role": "user", "content": "Hi"}]));
    }

    #[test]
    fn response_and_stream_are_mapped_back() {
        let plan = plan();
        let wire = plan.tools().wire_name("weather.now").unwrap();
        let arguments = r#"{"city":"Oslo","days":null}"#;
        let call = json!({"index": 0, "id": "c", "type": "function",
            "function": {"name": wire, "arguments": arguments}});
        let choice = |member: &str| {
            json!({"choices": [{"index": 0, "finish_reason": "tool_calls",
                (member): {"role": "assistant", "tool_calls": [call]}}]})
        };

        let complete = plan.decode(&choice("message")).unwrap();
        let mut decoder = plan.stream();
        decoder
            .push_event(&choice("delta").to_string(), |_| {})
            .unwrap();
        decoder.push_event("[DONE]", |_| {}).unwrap();
        let streamed = plan.finish(decoder);

        assert_eq!(complete.calls[0].name, "weather.now");
        assert_eq!(complete.calls[0].arguments, Some(json!({"city": "Oslo"})));
        assert_eq!(streamed.calls, complete.calls);
    }
}
