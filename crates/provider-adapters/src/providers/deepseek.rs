//! Differences between `DeepSeek` and OpenAI Chat Completions.

use serde_json::Value;

use crate::providers::openai::{self, ChatVariant, StrictRules};
use crate::schema::{Losses, StrictLimits};
use crate::transcript::{Conversation, reasoning_text};
use crate::wire::{Endpoint, SourceTool, Wire, WireTool};
use crate::{Object, Reasoning};

pub(crate) const WIRE: Wire = Wire {
    name: "deepseek",
    endpoint: Endpoint {
        token_limit: "/max_tokens",
        stop: ("/stop", 16),
        effort: "",
        ..Endpoint::CHAT_COMPLETIONS.at("https://api.deepseek.com")
    },
    tool,
    encode,
    ..openai::COMPATIBLE_WIRE
};

/// `DeepSeek` rejects a bare reference in `anyOf`, which strict schemas use for nullable
/// references.
const RULES: StrictRules = StrictRules {
    // Sources disagree about bounds, patterns and formats, so these are described.
    also: &[],
    formats: &[],
    limits: StrictLimits::OPENAI,
    references: false,
};

/// Only the beta base URL supports strict tools, so the caller must enable them.
fn tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    openai::tool_by((&RULES, openai::plain_schema), source, losses)
}

fn encode(conversation: &mut Conversation) -> Value {
    let variant = ChatVariant {
        accepts: |reasoning, server| {
            !reasoning.text.is_empty() || openai::reasoning_field(reasoning, server).is_some()
        },
        reasoning: reasoning_content,
        dropped: "the provider only accepts the text of reasoning",
        ..ChatVariant::COMPATIBLE
    };
    openai::encode_by(&variant, conversation)
}

/// Returns the reasoning, which the thinking mode requires in every message since a call, even if there is none. Where
/// it is not required, the API ignores it.
fn reasoning_content(reasoning: &[Reasoning], _server: &str) -> Object {
    let text = reasoning_text(reasoning);
    crate::wire::member(openai::REASONING_CONTENT, text.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::{Dialect, ToolDefinition};

    use crate::{ModelTraits, Options, Provider, StrictMode, ToolChoice};

    #[test]
    fn strict_schema_has_no_references_bounds_or_formats() {
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
    fn model_without_forced_choice_has_none() {
        let tool = ToolDefinition::new("f", "F", json!({"type": "object"}));
        let options = Options::default()
            .with_choice(ToolChoice::named(["f"]))
            .with_model(ModelTraits {
                without_forced_choice: true,
                ..ModelTraits::default()
            });

        let converted = Provider::DeepSeek.with_options(options).convert(&[tool]);

        assert_eq!(converted.request["tool_choice"], "auto");
        assert_eq!(converted.losses[0].keyword, "tool_choice");
    }
}
