//! What a provider is: its limits, and the functions that speak for it.
//!
//! Each provider's folder or file holds one [`Wire`], so that nothing else has to tell the providers apart.

use serde_json::{Map, Value};
use tool_core::{Loss, LossAction};

use crate::decoded::Choice;
use crate::encode::{Conversation, IdRule};
use crate::names::NameRule;
use crate::plan::{Asked, Planned, Spoken};
use crate::request::Draft;
use crate::schema::Losses;
use crate::stream::{Fold, Framing};
use crate::{
    DecodeError, ModelTraits, Options, Provider, StrictMode, anthropic, azure, bedrock, cohere,
    copilot, deepseek, gemini, groq, mcp, mistral, ollama, openai, openai_flat, openai_responses,
    openrouter, xai,
};

/// What a provider is.
pub(crate) struct Wire {
    pub(crate) names: NameRule,
    pub(crate) ids: IdRule,
    pub(crate) strictness: Strictness,
    /// The most tools of one request.
    pub(crate) max_tools: Option<usize>,
    /// The most characters of a tool's description.
    pub(crate) max_description: Option<usize>,
    pub(crate) extras: Extras,
    /// Says one tool, or why it cannot be said.
    pub(crate) tool: fn(Asked<'_>, &mut Losses) -> Result<Spoken, String>,
    /// The choice and the parallel switch.
    pub(crate) request: fn(&mut Draft) -> Map<String, Value>,
    /// The tools with the rest of the request.
    pub(crate) body: fn(Vec<Value>, Map<String, Value>) -> Body,
    pub(crate) decode: fn(&Map<String, Value>) -> Answered,
    pub(crate) stream: Stream,
    pub(crate) encode: fn(&mut Conversation) -> Value,
}

/// How a provider streams.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stream {
    pub(crate) framing: Framing,
    pub(crate) fold: fn() -> Box<dyn Fold>,
}

/// The value of the tools key, and the part of the body that holds it with the rest of the request.
pub(crate) type Body = (Value, Map<String, Value>);

/// What a whole response holds, or why it is none of this provider.
pub(crate) type Answered = Result<Vec<Choice>, DecodeError>;

/// Whether a provider holds a model to a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// It does not.
    Never,
    /// Some of its models or addresses do, so that only a caller who knows asks for it.
    WhenAsked,
    /// It does for all tools of a request at once, when that is asked for.
    OfRequest,
    /// It does, for each tool that loses nothing by it.
    Always,
}

/// What a provider has beyond definitions and choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is there or not, whatever the others are"
)]
pub(crate) struct Extras {
    /// A mark up to which the request is cached.
    pub(crate) cache: bool,
    /// Tools that the model finds by searching.
    pub(crate) deferred: bool,
    /// Tools for whose answers the model does not wait.
    pub(crate) non_blocking: bool,
    /// Tools that are called by what is not the model itself.
    pub(crate) callers: bool,
    /// Arguments that are streamed before they are checked.
    pub(crate) eager_input: bool,
    /// Examples of arguments.
    pub(crate) examples: bool,
    /// Schemas of what tools answer.
    pub(crate) output_schemas: bool,
    /// A model that thinks can be told to call.
    pub(crate) forced_while_thinking: bool,
}

impl Extras {
    /// None of them, but for a choice that thinking does not touch.
    pub(crate) const NONE: Self = Self {
        cache: false,
        deferred: false,
        non_blocking: false,
        callers: false,
        eager_input: false,
        examples: false,
        output_schemas: false,
        forced_while_thinking: true,
    };
}

/// The tools under `tools`, beside the choice.
pub(crate) fn tools_beside(tools: Vec<Value>, mut extra: Map<String, Value>) -> Body {
    let tools = Value::Array(tools);
    extra.insert("tools".to_owned(), tools.clone());
    (tools, extra)
}

impl Provider {
    /// The one place that tells the providers apart.
    pub(crate) fn wire(self) -> &'static Wire {
        match self {
            Self::OpenAi => &openai::WIRE,
            Self::OpenAiResponses => &openai_responses::WIRE,
            Self::OpenAiFlat => &openai_flat::WIRE,
            Self::Azure => &azure::WIRE,
            Self::Copilot => &copilot::WIRE,
            Self::Groq => &groq::WIRE,
            Self::DeepSeek => &deepseek::WIRE,
            Self::Xai => &xai::WIRE,
            Self::OpenRouter => &openrouter::WIRE,
            Self::Mistral => &mistral::WIRE,
            Self::Cohere => &cohere::WIRE,
            Self::Anthropic => &anthropic::WIRE,
            Self::Bedrock => &bedrock::WIRE,
            Self::Gemini => &gemini::WIRE,
            Self::GeminiOpenApi => &gemini::OPENAPI_WIRE,
            Self::Ollama => &ollama::WIRE,
            Self::Mcp => &mcp::WIRE,
        }
    }

    /// Whether tools are to be said strictly, where the provider can be held to it.
    pub(crate) fn strict_mode(self, options: &Options) -> StrictMode {
        // Strict tools of this provider rule out several calls at once.
        let costs_calls = self == Self::Azure && options.parallel == Some(true);
        match (self.wire().strictness, options.strict) {
            (Strictness::Never | Strictness::OfRequest, _)
            | (Strictness::WhenAsked, StrictMode::Auto) => StrictMode::Off,
            (Strictness::Always, StrictMode::Auto) if costs_calls => StrictMode::Off,
            (_, mode) => mode,
        }
    }

    /// Says one tool, or why it cannot be said.
    pub(crate) fn say(self, asked: Asked<'_>, losses: &mut Losses) -> Result<Spoken, String> {
        (self.wire().tool)(asked, losses)
    }

    /// The limits that the tools exceed together or alone; they are sent all the same.
    pub(crate) fn limits_exceeded(self, tools: &[Planned], model: &ModelTraits) -> Vec<Loss> {
        let mut losses = Vec::new();
        if let Some(most) = model.max_tools.or(self.wire().max_tools)
            && tools.len() > most
        {
            let detail = format!("{} tools; {self} takes {most}", tools.len());
            losses.push(Loss::new("", "", "tools", LossAction::OverLimit, detail));
        }
        let most = model.max_description.or(self.wire().max_description);
        let most = most.unwrap_or(usize::MAX);
        losses.extend(tools.iter().filter_map(|tool| {
            let length = tool.description_length;
            let detail = format!("a description of {length} characters; {self} takes {most}");
            let name = tool.definition.name();
            (length > most)
                .then(|| Loss::new(name, "", "description", LossAction::OverLimit, detail))
        }));
        losses
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::{Dialect, ToolDefinition};

    use super::*;

    fn over_limit(provider: Provider, tools: &[ToolDefinition]) -> Vec<String> {
        let converted = provider.convert(tools);
        assert_eq!(converted.names.len(), tools.len(), "{provider}");
        let losses = converted.losses.into_iter();
        losses
            .filter(|loss| loss.action == LossAction::OverLimit)
            .map(|loss| loss.detail)
            .collect()
    }

    #[test]
    fn too_many_tools_are_sent_and_reported() {
        let tools: Vec<ToolDefinition> = (0..201)
            .map(|at| ToolDefinition::new(format!("f{at}"), "F", json!({})))
            .collect();
        for (provider, most) in [
            (Provider::OpenAi, Some(128)),
            (Provider::OpenAiResponses, Some(128)),
            (Provider::Azure, Some(128)),
            (Provider::Copilot, Some(128)),
            (Provider::Groq, Some(128)),
            (Provider::DeepSeek, Some(128)),
            (Provider::Gemini, Some(128)),
            (Provider::Xai, Some(200)),
            (Provider::OpenRouter, None),
            (Provider::Mistral, None),
            (Provider::Cohere, None),
            (Provider::Bedrock, None),
            (Provider::Anthropic, None),
            (Provider::Ollama, None),
            (Provider::OpenAiFlat, None),
            (Provider::Mcp, None),
        ] {
            let expected = most.map(|most| format!("201 tools; {provider} takes {most}"));

            assert_eq!(over_limit(provider, &tools), Vec::from_iter(expected));
        }
    }

    #[test]
    fn a_long_description_is_sent_whole_and_reported() {
        let tool = ToolDefinition::new("f", "d".repeat(1025), json!({}));
        for provider in Provider::ALL {
            let limited = matches!(provider, Provider::OpenAi | Provider::Azure);

            let reported = over_limit(*provider, std::slice::from_ref(&tool));

            assert_eq!(!reported.is_empty(), limited, "{provider}: {reported:?}");
        }
    }

    #[test]
    fn what_a_provider_does_not_have_is_reported_when_it_is_asked_for() {
        let tool = ToolDefinition::new("f", "F", json!({})).with_output_schema(json!({}));
        let options = Options::default()
            .with_strict(StrictMode::On)
            .with_cache(true)
            .with_deferred(["f"])
            .with_non_blocking(["f"])
            .with_allowed_callers("f", ["programmatic"])
            .with_eager_input(true)
            .with_output_schemas(true);
        for (provider, missing) in [
            (
                Provider::Ollama,
                vec![
                    "strict",
                    "cache",
                    "eager_input",
                    "deferred",
                    "non_blocking",
                    "allowed_callers",
                    "output_schema",
                ],
            ),
            (
                Provider::Anthropic,
                // A tool that code calls is never strict there.
                vec!["strict", "non_blocking", "output_schema", "cache"],
            ),
            (Provider::OpenAiResponses, vec!["cache", "eager_input"]),
            (
                Provider::Gemini,
                vec!["cache", "eager_input", "deferred", "allowed_callers"],
            ),
            (
                Provider::Mcp,
                vec![
                    "strict",
                    "cache",
                    "eager_input",
                    "deferred",
                    "non_blocking",
                    "allowed_callers",
                ],
            ),
        ] {
            let converted = provider
                .with_options(options.clone())
                .convert(std::slice::from_ref(&tool));

            let keywords: Vec<&str> = converted
                .losses
                .iter()
                .map(|loss| loss.keyword.as_str())
                .collect();
            assert_eq!(keywords, missing, "{provider}");
        }
    }
    #[test]
    fn a_tool_that_only_the_model_calls_is_as_every_provider_has_it() {
        let tool = ToolDefinition::new("f", "F", json!({}));
        for callers in [&["direct"][..], &[]] {
            let options = Options::default().with_allowed_callers("f", callers.iter().copied());

            let converted = Provider::Ollama
                .with_options(options)
                .convert(std::slice::from_ref(&tool));

            assert_eq!(converted.losses, [], "{callers:?}");
        }
    }
}
