//! Where `DeepSeek` differs from Chat Completions of OpenAI.

use serde_json::{Map, Value};

use crate::providers::openai::{self, Habits, StrictRules};
use crate::schema::{Losses, StrictLimits};
use crate::transcript::{AssistantTurn, Conversation};
use crate::wire::{Asked, Endpoint, Extras, Spoken, Wire};

pub(crate) const WIRE: Wire = Wire {
    name: "deepseek",
    endpoint: Endpoint {
        token_limit: "/max_tokens",
        ..Endpoint::CHAT_COMPLETIONS.at("https://api.deepseek.com")
    },
    extras: Extras {
        forced_while_thinking: false,
        ..Extras::NONE
    },
    tool,
    encode,
    ..openai::COMPATIBLE_WIRE
};

/// A reference alone is refused within `anyOf`, which is how strict schemas say that one may be null.
const RULES: StrictRules = StrictRules {
    also: &[],
    formats: &[],
    limits: StrictLimits::OPENAI,
    references: false,
};

/// Strict tools are taken only at the base address for tests, so that they are sent when asked for.
fn tool(asked: Asked<'_>, losses: &mut Losses) -> Result<Spoken, String> {
    openai::tool_by((strict_schema, openai::plain_schema), asked, losses)
}

fn strict_schema(given: &Value, losses: &mut Losses) -> Result<Value, String> {
    openai::strict_schema_by(&RULES, given, losses)
}

fn encode(conversation: &mut Conversation) -> Value {
    let habits = Habits {
        reasoning: beside_calls,
        dropped: "the provider takes reasoning back beside calls only",
        ..Habits::COMPATIBLE
    };
    openai::encode_by(&habits, conversation)
}

/// A model that thinks wants its words back with the calls that it made after them.
fn beside_calls(turn: &AssistantTurn) -> Option<Map<String, Value>> {
    let words = turn.reasoning.iter().map(|piece| piece.text.as_str());
    let words: Vec<&str> = words.filter(|text| !text.is_empty()).collect();
    if turn.calls.is_empty() || words.is_empty() {
        return None;
    }
    let text = words.join("\n");
    Some(crate::wire::member("reasoning_content", text.into()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::{Dialect, ToolDefinition};

    use crate::{Options, Provider, StrictMode, ToolChoice};

    #[test]
    fn a_strict_schema_holds_no_references_bounds_or_formats() {
        let schema = json!({
            "type": "object",
            "properties": {"unit": {"$ref": "#/$defs/Unit"}, "at": {"type": "string", "format": "uuid"}},
            "required": ["at"],
            "$defs": {"Unit": {"type": "string", "enum": ["C", "F"]}},
        });
        let options = Options::default().with_strict(StrictMode::On);

        let converted = Provider::DeepSeek
            .with_options(options)
            .convert(&[ToolDefinition::new("f", "F", schema)]);

        assert_eq!(
            converted.tools[0]["function"]["parameters"],
            json!({
                "type": "object",
                "properties": {
                    "unit": {"type": ["string", "null"], "enum": ["C", "F", null]},
                    "at": {"type": "string", "description": "Format: uuid."},
                },
                "required": ["unit", "at"],
                "additionalProperties": false,
            })
        );
    }

    #[test]
    fn a_model_that_thinks_cannot_be_told_to_call() {
        let tool = ToolDefinition::new("f", "F", json!({"type": "object"}));
        let options = Options::default()
            .with_choice(ToolChoice::named(["f"]))
            .with_thinking(true);

        let converted = Provider::DeepSeek.with_options(options).convert(&[tool]);

        assert_eq!(converted.request["tool_choice"], "auto");
        assert_eq!(converted.losses[0].keyword, "tool_choice");
    }
}
