//! Differences between `OpenRouter` and OpenAI Chat Completions.

use serde_json::Value;

use crate::providers::openai::{self, ChatVariant};
use crate::schema::Losses;
use crate::transcript::Conversation;
use crate::wire::{Endpoint, IdRule, SourceTool, Wire, WireTool};
use crate::{Object, Reasoning};

pub(crate) const WIRE: Wire = Wire {
    name: "openrouter",
    endpoint: Endpoint {
        token_limit: "/max_tokens",
        effort: "/reasoning/effort",
        ..Endpoint::CHAT_COMPLETIONS.at("https://openrouter.ai/api/v1")
    },
    // Requests are forwarded to models of many vendors: the strictest id rule applies, and tool
    // limits vary.
    ids: IdRule::Portable,
    max_tools: None,
    // Some of the models do not support `$defs`.
    tool,
    encode,
    ..openai::COMPATIBLE_WIRE
};

fn tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    if source.options.gemini_model {
        openai::text_values_tool(source, losses)
    } else {
        openai::inlining_tool(source, losses)
    }
}

fn encode(conversation: &mut Conversation) -> Value {
    let variant = ChatVariant {
        accepts: |reasoning, server| {
            details(reasoning).is_some() || openai::reasoning_field(reasoning, server).is_some()
        },
        reasoning: all_details,
        dropped: "the provider only accepts its own reasoning",
        ..ChatVariant::COMPATIBLE
    };
    openai::encode_by(&variant, conversation)
}

/// Returns the reasoning details as received, or the text if there are none.
fn all_details(reasoning: &[Reasoning], server: &str) -> Object {
    // They contain the signatures of the models behind it, so they go back unmodified and in the same order.
    let all: Vec<Value> = reasoning
        .iter()
        .filter_map(details)
        .flatten()
        .cloned()
        .collect();
    if all.is_empty() {
        return openai::reasoning_as_received(reasoning, server);
    }
    crate::wire::member(DETAILS, all.into())
}

const DETAILS: &str = "reasoning_details";

fn details(reasoning: &Reasoning) -> Option<&Vec<Value>> {
    reasoning.provider_data.as_ref()?.get(DETAILS)?.as_array()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::{Dialect, ToolDefinition};

    use crate::{Options, Provider};

    #[test]
    fn gemini_model_gets_string_values_and_no_references() {
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
    fn gemini_model_gets_recursive_schema_without_definitions() {
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
