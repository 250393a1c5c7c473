//! Limits and features of a model that differ from the provider's defaults.

mod known;

use serde::{Deserialize, Serialize};

/// Limits and features of a model or endpoint that differ from the provider's defaults.
///
/// We take the defaults from the provider's documentation, or from what its API accepts. Some differ
/// by model and account, so set a field if yours does. All other fields keep the provider's defaults.
/// [`ModelTraits::of`] sets them for known models.
///
/// # Examples
/// ```
/// use provider_adapters::{ModelTraits, Options, Provider};
/// use serde_json::json;
/// use tool_core::{Dialect, ToolDefinition};
///
/// let mut traits = ModelTraits::default();
/// traits.max_description = Some(16);
/// let dialect = Provider::Copilot.with_options(Options::default().with_model(traits));
/// let tool = ToolDefinition::new("now", "Tells the time of day.", json!({"type": "object"}));
/// let losses = dialect.convert(&[tool]).losses;
/// assert_eq!(losses[0].detail, "the description has 22 characters; copilot allows 16");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "the flags are independent")]
pub struct ModelTraits {
    /// Name of the model. Reasoning that is known to be of another model is omitted, because it is signed for its own.
    pub name: Option<String>,
    /// Maximum number of tools per request. More tools are still sent, with a loss, because only the
    /// provider knows the limit for sure.
    pub max_tools: Option<usize>,
    /// Maximum characters of a tool's description. A longer one is still sent, with a loss.
    pub max_description: Option<usize>,
    /// Whether the model doesn't see definitions (`$defs`), like the gpt-oss models. References are
    /// then inlined, unless they are recursive. Applies to `OpenAI`-compatible providers.
    pub inline_definitions: bool,
    /// Whether the model rejects a tool choice, like many models on Bedrock. No choice is sent then,
    /// and a forced one is reported as a loss.
    pub without_tool_choice: bool,
    /// Whether the model rejects a forced tool choice, like several models of Anthropic, and others while they think. `auto`
    /// is sent then, with a loss.
    pub without_forced_choice: bool,
    /// Whether the model rejects the error status of a result, like some models on Bedrock. The
    /// result then starts with `Error:`.
    pub without_error_status: bool,
    /// Whether the model rejects a temperature, like the models of Anthropic since Claude Opus 4.7.
    pub without_temperature: bool,
    /// Whether the model rejects messages with calls but without `reasoning_content`, like Kimi models while they think.
    /// An empty one is then added to the messages of other models. `DeepSeek` needs no flag.
    pub requires_reasoning: bool,
    /// Whether the model searches among deferred tools with the tool of its provider, like those of `OpenAI` since GPT-5.4
    /// and of Anthropic since Claude Opus 4.7. All others search with
    /// [`search_tools`](tool_core::search::SEARCH_TOOLS).
    pub searches_tools: bool,
    /// Whether a result may contain its images, as from Gemini 3 on. Otherwise they are sent after
    /// all results.
    pub images_in_results: bool,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tool_core::{Dialect, LossKind, ToolDefinition};

    use crate::{
        Block, Message, ModelTraits, Options, Provider, ProviderDialect, ToolChoice, ToolMessage,
        Transcript, encode,
    };

    fn with(provider: Provider, traits: ModelTraits) -> ProviderDialect {
        provider.with_options(Options::default().with_model(traits))
    }

    fn answered(id: &str, answer: ToolMessage) -> Transcript {
        let message =
            json!({"role": "assistant", "calls": [{"id": id, "name": "f", "arguments": {}}]});
        let source: Message = serde_json::from_value(message).unwrap();
        Transcript::from(vec![Message::user("Go"), source, Message::tool([answer])])
    }

    #[test]
    fn model_limits_override_provider_limits() {
        let tools = ["a", "b", "c"].map(|name| ToolDefinition::new(name, "long", json!({})));
        for (traits, details) in [
            (ModelTraits::default(), vec![]),
            (
                ModelTraits {
                    max_tools: Some(2),
                    ..ModelTraits::default()
                },
                vec!["3 tools; bedrock allows 2"],
            ),
            (
                ModelTraits {
                    max_description: Some(3),
                    ..ModelTraits::default()
                },
                vec!["the description has 4 characters; bedrock allows 3"; 3],
            ),
        ] {
            let losses = with(Provider::Bedrock, traits).convert(&tools).losses;

            let reported: Vec<&str> = losses.iter().map(|loss| loss.detail.as_str()).collect();
            assert_eq!(reported, details);
        }
    }

    #[test]
    fn inlines_definitions_for_model_without_definitions() {
        let schema = json!({
            "type": "object",
            "properties": {"unit": {"$ref": "#/$defs/Unit"}},
            "required": ["unit"],
            "$defs": {"Unit": {"type": "string", "enum": ["C", "F"]}},
        });
        let tool = [ToolDefinition::new("f", "F", schema)];
        for provider in [
            Provider::OpenAi,
            Provider::OpenAiResponses,
            Provider::Xai,
            Provider::OpenAiFlat,
        ] {
            let traits = ModelTraits {
                inline_definitions: true,
                ..ModelTraits::default()
            };

            let converted = with(provider, traits).convert(&tool);

            assert!(!converted.tools.to_string().contains("$ref"), "{provider}");
            assert_eq!(converted.losses, [], "{provider}");
        }
    }

    #[test]
    fn omits_tool_choice_and_reports_forced_choice() {
        let tools = ["f", "g"].map(|name| ToolDefinition::new(name, "", json!({})));
        let traits = ModelTraits {
            without_tool_choice: true,
            ..ModelTraits::default()
        };
        for (choice, sent, losses) in [
            (ToolChoice::Auto, 2, 0),
            (ToolChoice::Required, 2, 1),
            (ToolChoice::named(["g"]), 1, 1),
            (ToolChoice::None, 0, 1),
        ] {
            let options = Options::default()
                .with_model(traits.clone())
                .with_choice(choice);
            for provider in [Provider::Bedrock, Provider::OpenAi] {
                let converted = provider.with_options(options.clone()).convert(&tools);

                let request = converted.request.to_string();
                assert!(!request.contains("tool_choice") && !request.contains("toolChoice"));
                assert_eq!(converted.tools.as_array().map(Vec::len), Some(sent));
                let degraded = converted
                    .losses
                    .iter()
                    .filter(|loss| loss.action == LossKind::Degraded);
                assert_eq!(
                    degraded.count(),
                    losses,
                    "{provider}: {:?}",
                    converted.losses
                );
            }
        }
    }

    #[test]
    fn states_failure_in_text_without_error_status() {
        let failed = || {
            answered(
                "c",
                ToolMessage::new("c", "f", "no such file").with_error(true),
            )
        };
        for (without, expected) in [
            (
                false,
                json!({"toolUseId": "c", "content": [{"text": "no such file"}], "status": "error"}),
            ),
            (
                true,
                json!({"toolUseId": "c", "content": [{"text": "Error:"}, {"text": "no such file"}]}),
            ),
        ] {
            let dialect = with(
                Provider::Bedrock,
                ModelTraits {
                    without_error_status: without,
                    ..ModelTraits::default()
                },
            );

            let body = encode(dialect, &failed(), None).body;

            assert_eq!(body["messages"][2]["content"][0]["toolResult"], expected);
        }
    }

    #[test]
    fn keeps_supported_images_in_results() {
        let image = |media_type: &str, data: &str| Block::Image {
            media_type: media_type.to_owned(),
            data: data.to_owned(),
        };
        let content = vec![
            Block::text("two"),
            image("image/png", "iVBORw0KGgo="),
            image("image/heic", "AAAAGGZ0eXBoZWlj"),
        ];
        let transcript = answered("c", ToolMessage::new("c", "f", content));
        let dialect = with(
            Provider::Gemini,
            ModelTraits {
                images_in_results: true,
                ..ModelTraits::default()
            },
        );

        let encoded = encode(&dialect, &transcript, None);

        let parts: &Value = &encoded.body["contents"][2]["parts"];
        let within = json!([{"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}]);
        assert_eq!(parts[0]["functionResponse"]["parts"], within);
        assert_eq!(parts[2]["inlineData"]["mimeType"], "image/heic");
        assert_eq!(encoded.losses.len(), 1);
    }
}
