//! Where `OpenRouter` differs from Chat Completions of OpenAI.

use serde_json::{Map, Value};

use crate::providers::openai::{self, Habits};
use crate::schema::Losses;
use crate::transcript::{AssistantTurn, Conversation};
use crate::wire::{Asked, Endpoint, IdRule, Spoken, Wire};

pub(crate) const WIRE: Wire = Wire {
    name: "openrouter",
    endpoint: Endpoint {
        token_limit: "/max_tokens",
        ..Endpoint::CHAT_COMPLETIONS.at("https://openrouter.ai/api/v1")
    },
    // Requests go on to models of many makers: the strictest rule on ids holds, and limits on tools are theirs.
    ids: IdRule::Portable,
    max_tools: None,
    // Some of the models do not see definitions.
    tool,
    encode,
    ..openai::COMPATIBLE_WIRE
};

fn tool(asked: Asked<'_>, losses: &mut Losses) -> Result<Spoken, String> {
    if asked.options.gemini_model {
        openai::text_values_tool(asked, losses)
    } else {
        openai::inlining_tool(asked, losses)
    }
}

fn encode(conversation: &mut Conversation) -> Value {
    let habits = Habits {
        reasoning: details,
        dropped: "the provider takes back only details that it has given",
        ..Habits::COMPATIBLE
    };
    openai::encode_by(&habits, conversation)
}

/// The details as they came.
fn details(turn: &AssistantTurn) -> Option<Map<String, Value>> {
    let given = |data: &Value| data.get("reasoning_details").cloned();
    let mut data = turn
        .reasoning
        .iter()
        .filter_map(|piece| piece.provider_data.as_ref());
    let details = data.find_map(given).filter(Value::is_array)?;
    Some(crate::wire::member("reasoning_details", details))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::{Dialect, ToolDefinition};

    use crate::{Options, Provider};

    #[test]
    fn a_model_of_gemini_gets_values_that_are_texts_and_no_references() {
        let schema = json!({
            "type": "object",
            "properties": {
                "level": {"type": "integer", "enum": [1, 2]},
                "unit": {"$ref": "#/$defs/Unit"},
                "always": {"const": "a"},
            },
            "$defs": {"Unit": {"type": "string", "enum": ["C", "F"]}},
        });
        let tool = [ToolDefinition::new("f", "F", schema)];
        for (gemini, level, losses) in [
            (
                true,
                json!({"type": "integer", "description": "One of 1, 2."}),
                vec!["/properties/level/enum"],
            ),
            (false, json!({"type": "integer", "enum": [1, 2]}), vec![]),
        ] {
            let options = Options::default().with_gemini_model(gemini);

            let converted = Provider::OpenRouter.with_options(options).convert(&tool);

            let properties = &converted.tools[0]["function"]["parameters"]["properties"];
            assert_eq!(properties["level"], level);
            assert_eq!(
                properties["unit"],
                json!({"type": "string", "enum": ["C", "F"]})
            );
            let places: Vec<&str> = converted
                .losses
                .iter()
                .map(|loss| loss.pointer.as_str())
                .collect();
            assert_eq!(places, losses);
        }
    }

    #[test]
    fn a_model_of_gemini_gets_no_definitions_even_of_a_schema_that_goes_on_inside_itself() {
        let schema = json!({
            "type": "object",
            "properties": {"node": {"$ref": "#/$defs/Node"}},
            "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
        });
        let options = Options::default().with_gemini_model(true);

        let converted = Provider::OpenRouter
            .with_options(options)
            .convert(&[ToolDefinition::new("f", "F", schema)]);

        assert!(!converted.tools.to_string().contains("$ref"));
        assert_eq!(converted.losses[0].action, tool_core::LossKind::Cut);
    }
}
