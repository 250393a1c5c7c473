//! What a model or an address takes where that differs from its provider's usual.

use serde::{Deserialize, Serialize};

/// What a model or an address takes where that differs from its provider's usual.
///
/// The limits of this crate are those that providers document or were seen to hold. Several of them are uncertain or
/// differ by model and account, so that each can be set. What is not set is as the provider usually has it.
///
/// # Examples
/// ```
/// use provider_adapters::{ModelTraits, Options, Provider};
/// use serde_json::json;
/// use tool_core::{Dialect, ToolDefinition};
///
/// let traits = ModelTraits::default().with_max_description(16).with_max_name(32);
/// let dialect = Provider::Copilot.with_options(Options::default().with_model(traits));
/// let tool = ToolDefinition::new("now", "Tells the time of day.", json!({"type": "object"}));
/// let losses = dialect.convert(&[tool]).losses;
/// assert_eq!(losses[0].detail, "a description of 22 characters; copilot takes 16");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each holds for a model or not, whatever the others do"
)]
pub struct ModelTraits {
    /// The most tools of one request; more are sent all the same, with a loss.
    pub max_tools: Option<usize>,
    /// The most characters of a tool's description; a longer one is sent all the same, with a loss.
    pub max_description: Option<usize>,
    /// The most characters of a tool's name, never fewer than 16; a longer one is cut, with a hash at its end.
    pub max_name: Option<usize>,
    /// The most characters of a call's id, never fewer than 16; a longer one is cut, with a hash at its end.
    pub max_id: Option<usize>,
    /// The most fields of all strict tools of one request, which Cohere counts.
    pub max_strict_fields: Option<usize>,
    /// Whether the model sees no definitions (`$defs`), as those of gpt-oss: references are written out where that
    /// ends. Of the providers that speak as `OpenAI` does.
    pub inline_definitions: bool,
    /// Whether the model takes no tool choice, as many behind Bedrock: none is sent, and a forced one is a loss.
    pub without_tool_choice: bool,
    /// Whether the model refuses the mark of a failed result, as some behind Bedrock: its words say it.
    pub without_error_status: bool,
    /// Whether results hold images themselves, as from Gemini 3 on; else these follow after all results.
    pub images_in_results: bool,
}

impl ModelTraits {
    /// Sets the most tools of one request.
    #[must_use]
    pub fn with_max_tools(mut self, tools: usize) -> Self {
        self.max_tools = Some(tools);
        self
    }

    /// Sets the most characters of a tool's description.
    #[must_use]
    pub fn with_max_description(mut self, characters: usize) -> Self {
        self.max_description = Some(characters);
        self
    }

    /// Sets the most characters of a tool's name.
    #[must_use]
    pub fn with_max_name(mut self, characters: usize) -> Self {
        self.max_name = Some(characters);
        self
    }

    /// Sets the most characters of a call's id.
    #[must_use]
    pub fn with_max_id(mut self, characters: usize) -> Self {
        self.max_id = Some(characters);
        self
    }

    /// Sets the most fields of all strict tools of one request.
    #[must_use]
    pub fn with_max_strict_fields(mut self, fields: usize) -> Self {
        self.max_strict_fields = Some(fields);
        self
    }

    /// Says whether the model sees no definitions.
    #[must_use]
    pub fn with_inline_definitions(mut self, inline: bool) -> Self {
        self.inline_definitions = inline;
        self
    }

    /// Says whether the model takes no tool choice.
    #[must_use]
    pub fn with_no_tool_choice(mut self, without: bool) -> Self {
        self.without_tool_choice = without;
        self
    }

    /// Says whether the model refuses the mark of a failed result.
    #[must_use]
    pub fn with_no_error_status(mut self, without: bool) -> Self {
        self.without_error_status = without;
        self
    }

    /// Says whether results hold images themselves.
    #[must_use]
    pub fn with_images_in_results(mut self, within: bool) -> Self {
        self.images_in_results = within;
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tool_core::{Dialect, LossKind, ToolDefinition};

    use crate::{
        Block, Message, ModelTraits, Options, Provider, ProviderDialect, ToolAnswer, ToolChoice,
        Transcript, encode,
    };

    fn with(provider: Provider, traits: ModelTraits) -> ProviderDialect {
        provider.with_options(Options::default().with_model(traits))
    }

    fn answered(id: &str, answer: ToolAnswer) -> Transcript {
        let message =
            json!({"role": "assistant", "calls": [{"id": id, "name": "f", "arguments": {}}]});
        let asked: Message = serde_json::from_value(message).unwrap();
        Transcript::from(vec![Message::user("Go"), asked, Message::tool([answer])])
    }

    #[test]
    fn limits_that_are_set_hold_in_place_of_the_usual_ones() {
        let tools = ["a", "b", "c"].map(|name| ToolDefinition::new(name, "long", json!({})));
        for (traits, details) in [
            (ModelTraits::default(), vec![]),
            (
                ModelTraits::default().with_max_tools(2),
                vec!["3 tools; bedrock takes 2"],
            ),
            (
                ModelTraits::default().with_max_description(3),
                vec!["a description of 4 characters; bedrock takes 3"; 3],
            ),
        ] {
            let losses = with(Provider::Bedrock, traits).convert(&tools).losses;

            let told: Vec<&str> = losses.iter().map(|loss| loss.detail.as_str()).collect();
            assert_eq!(told, details);
        }
    }

    #[test]
    fn names_and_ids_are_as_short_as_the_model_takes_them_and_lead_back() {
        let name = "a_name_of_thirty_characters_ok";
        let tools = [ToolDefinition::new(name, "", json!({}))];
        let dialect = with(
            Provider::OpenAi,
            ModelTraits::default().with_max_name(20).with_max_id(16),
        );
        let tools = dialect.convert(&tools);
        let transcript = answered(
            "an_id_of_many_characters",
            ToolAnswer::new("an_id_of_many_characters", name, "ok"),
        );

        let body = encode(&dialect, &transcript, Some(&tools)).body;

        let wire = tools.wire_name(name).unwrap();
        assert_eq!((wire.len(), tools.canonical_name(wire)), (20, name));
        let id = body["messages"][1]["tool_calls"][0]["id"].as_str().unwrap();
        assert_eq!(id.len(), 16);
        assert_eq!(body["messages"][2]["tool_call_id"], id);
    }

    #[test]
    fn a_model_without_definitions_gets_them_written_out() {
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
            let traits = ModelTraits::default().with_inline_definitions(true);

            let converted = with(provider, traits).convert(&tool);

            assert!(!converted.tools.to_string().contains("$ref"), "{provider}");
            assert_eq!(converted.losses, [], "{provider}");
        }
    }

    #[test]
    fn a_model_without_a_choice_is_sent_none_and_a_forced_one_is_reported() {
        let tools = ["f", "g"].map(|name| ToolDefinition::new(name, "", json!({})));
        let traits = ModelTraits::default().with_no_tool_choice(true);
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
    fn a_failure_is_said_in_words_where_the_mark_is_refused() {
        let failed = || {
            answered(
                "c",
                ToolAnswer::new("c", "f", "no such file").with_error(true),
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
                ModelTraits::default().with_no_error_status(without),
            );

            let body = encode(dialect, &failed(), None).body;

            assert_eq!(body["messages"][2]["content"][0]["toolResult"], expected);
        }
    }

    #[test]
    fn images_stand_in_their_result_where_the_model_takes_them_there() {
        let image = |media_type: &str| Block::Image {
            media_type: media_type.to_owned(),
            data: "aGk=".to_owned(),
        };
        let content = vec![Block::text("two"), image("image/png"), image("image/tiff")];
        let transcript = answered("c", ToolAnswer::new("c", "f", content));
        let dialect = with(
            Provider::Gemini,
            ModelTraits::default().with_images_in_results(true),
        );

        let encoded = encode(&dialect, &transcript, None);

        let parts: &Value = &encoded.body["contents"][2]["parts"];
        let within = json!([{"inlineData": {"mimeType": "image/png", "data": "aGk="}}]);
        assert_eq!(parts[0]["functionResponse"]["parts"], within);
        assert_eq!(parts[2]["inlineData"]["mimeType"], "image/tiff");
        assert_eq!(encoded.losses.len(), 1);
    }
}
