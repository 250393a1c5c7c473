//! Differences between Azure and OpenAI Chat Completions.

use crate::Object;
use crate::providers::openai::{self, StrictRules};
use crate::schema::{Losses, StrictLimits};
use crate::wire::{Draft, Endpoint, IdRule, ReplyFormat, SourceTool, Strictness, Wire, WireTool};

pub(crate) const WIRE: Wire = Wire {
    name: "azure",
    endpoint: Endpoint {
        key_header: ("api-key", ""),
        answer: ReplyFormat::ResponseFormat,
        ..Endpoint::CHAT_COMPLETIONS
    },
    // Older deployments reject longer ids.
    ids: IdRule::Shorter,
    tool,
    request,
    strictness: Strictness::OneCallAtATime,
    ..openai::WIRE
};

const RULES: StrictRules = StrictRules {
    also: &[],
    formats: &[],
    // Azure documents fewer properties and levels than OpenAI, and supports neither bounds nor formats in strict schemas.
    limits: StrictLimits {
        properties: 100,
        levels: 5,
    },
    references: true,
};

fn tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    openai::tool_by((&RULES, openai::plain_schema), source, losses)
}

/// Azure supports strict tools only without parallel calls.
fn request(draft: &mut Draft<'_>) -> Object {
    if draft.has_strict && draft.parallel != Some(false) {
        draft.parallel = Some(false);
        let detail = "the provider does not support parallel calls of strict tools";
        draft.degrade("parallel_tool_calls", detail);
    }
    openai::request(draft)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::{Dialect, ToolDefinition};

    use crate::{Options, Provider, StrictMode};

    fn tool() -> ToolDefinition {
        let schema = json!({
            "type": "object",
            "properties": {"n": {"type": "integer", "minimum": 1}},
            "required": ["n"],
        });
        ToolDefinition::new("f", "F", schema)
    }

    #[test]
    fn strict_tool_disables_parallel_calls_and_bounds() {
        let converted = Provider::Azure.convert(&[tool()]);

        let function = &converted.tools[0]["function"];
        assert_eq!(function["strict"], json!(true));
        assert_eq!(
            function["parameters"]["properties"]["n"],
            json!({"type": "integer", "description": "At least 1."})
        );
        assert_eq!(converted.request["parallel_tool_calls"], json!(false));
        let keywords: Vec<&str> = converted
            .losses
            .iter()
            .map(|loss| loss.keyword.as_str())
            .collect();
        assert_eq!(keywords, ["minimum", "parallel_tool_calls"]);
    }

    #[test]
    fn parallel_calls_disable_automatic_strictness() {
        for (strict, parallel) in [
            (StrictMode::Auto, true),
            (StrictMode::Off, true),
            (StrictMode::On, false),
        ] {
            let options = Options::default()
                .with_strict(strict)
                .with_parallel(Some(true));

            let converted = Provider::Azure.with_options(options).convert(&[tool()]);

            assert_eq!(converted.request["parallel_tool_calls"], json!(parallel));
            assert_eq!(converted.losses.is_empty(), parallel);
        }
    }

    #[test]
    fn schema_over_limits_is_not_strict() {
        let deep = (0..6).fold(
            json!({"type": "string"}),
            |inner, _| json!({"type": "object", "properties": {"a": inner}, "required": ["a"]}),
        );

        let converted = Provider::Azure.convert(&[ToolDefinition::new("f", "F", deep)]);

        assert_eq!(converted.tools[0]["function"].get("strict"), None);
    }
}
