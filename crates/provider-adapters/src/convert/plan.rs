//! Conversion of definitions, and the mapping back to them.

use std::borrow::Cow;
use std::collections::HashMap;

use tool_core::{ConversionLoss, Dialect, LossKind, ProviderTools, RejectedTool, ToolDefinition};

use super::request::Request;
use crate::schema::{Losses, drop_large_bounds, measure, validated};
use crate::strictness::StrictBudget;
use crate::wire::{Planned, SourceTool};
use crate::{Provider, ProviderDialect, StrictMode, ToolChoice};

impl Dialect for ProviderDialect {
    fn id(&self) -> Cow<'static, str> {
        self.id.clone()
    }

    fn convert(&self, definitions: &[ToolDefinition]) -> ProviderTools {
        Plan::new(self, definitions).into_converted(self)
    }
}

impl Dialect for Provider {
    fn id(&self) -> Cow<'static, str> {
        self.as_str().into()
    }

    fn convert(&self, definitions: &[ToolDefinition]) -> ProviderTools {
        ProviderDialect::from(*self).convert(definitions)
    }
}

/// Converts one definition with default options.
///
/// # Examples
/// ```
/// use provider_adapters::{Provider, convert_to_provider};
/// use serde_json::json;
/// use tool_core::ToolDefinition;
///
/// let tool = ToolDefinition::new("now", "Returns the time.", json!({"type": "object"}));
/// assert_eq!(
///     convert_to_provider(Provider::Anthropic, &tool).tools[0]["name"],
///     json!("now")
/// );
/// ```
pub fn convert_to_provider(provider: Provider, definition: &ToolDefinition) -> ProviderTools {
    provider.convert(std::slice::from_ref(definition))
}

/// Converts several definitions with default options.
///
/// # Examples
/// ```
/// use provider_adapters::{Provider, batch_convert_to_provider};
/// use serde_json::json;
///
/// assert_eq!(batch_convert_to_provider(Provider::Gemini, &[]).tools, json!([]));
/// ```
pub fn batch_convert_to_provider(
    provider: Provider,
    definitions: &[ToolDefinition],
) -> ProviderTools {
    provider.convert(definitions)
}

/// All tools as they are sent.
#[derive(Debug, Default)]
struct Plan {
    pub(crate) tools: Vec<Planned>,
    losses: Vec<ConversionLoss>,
    refused: Vec<RejectedTool>,
}

impl Plan {
    pub(crate) fn new(dialect: &ProviderDialect, definitions: &[ToolDefinition]) -> Self {
        let mut plan = Self::default();
        let mut taken = HashMap::new();
        let mut budget = StrictBudget::default();
        for definition in definitions.iter().filter(|tool| is_shown(tool, dialect)) {
            match plan.add(dialect, definition, &mut taken, budget) {
                Ok(remaining) => budget = remaining,
                Err(reason) => plan
                    .refused
                    .push(RejectedTool::new(definition.name(), reason)),
            }
        }
        let exceeded = limits_exceeded(dialect, &plan.tools);
        plan.losses.extend(exceeded);
        plan
    }

    fn add<'d>(
        &mut self,
        dialect: &ProviderDialect,
        definition: &'d ToolDefinition,
        taken: &mut HashMap<String, &'d str>,
        budget: StrictBudget,
    ) -> Result<StrictBudget, String> {
        let provider = dialect.provider();
        let wire = dialect.wire_name(definition.name());
        reject_taken(definition.name(), taken.get(&wire).copied())?;
        let mut losses = Losses::new(definition.name());
        let has_field = provider.wire().extras.examples;
        if dialect.options().examples && !has_field && !definition.examples().is_empty() {
            let detail = "the provider has no field for examples";
            losses.add("", "examples", LossKind::Dropped, detail);
        }
        let strict = provider.wire().strict_mode(dialect.options());
        let (sent, strict) = repaired(definition, strict, &mut losses)?;
        let source = SourceTool {
            definition: &sent,
            wire: &wire,
            strict,
            options: dialect.options(),
            budget,
        };
        let converted = (provider.wire().tool)(source, &mut losses)?;
        self.losses
            .extend(losses.into_list(definition.input_schema()));
        taken.insert(wire.clone(), definition.name());
        let remaining = budget.after(converted.strict, &converted.tool);
        self.tools.push(Planned {
            definition: definition.clone(),
            wire,
            converted,
        });
        Ok(remaining)
    }

    fn into_converted(mut self, dialect: &ProviderDialect) -> ProviderTools {
        let request = Request::new(dialect, &mut self.tools);
        let mut converted = ProviderTools::new(request.tools);
        converted.request = request.body;
        converted.losses = self.losses;
        converted.losses.extend(request.losses);
        converted.refused = self.refused;
        for tool in self.tools {
            let name = tool.definition.name().to_owned();
            // Only what differs is kept, so decoding a call of a usual tool changes nothing.
            if !tool.converted.keys.is_empty() {
                converted
                    .keys
                    .insert(tool.wire.clone(), tool.converted.keys);
            }
            if tool.converted.adds_nulls {
                converted
                    .nullable
                    .insert(tool.wire.clone(), tool.definition);
            }
            converted.names.insert(tool.wire, name);
        }
        converted
    }
}

/// Returns whether the model sees the definition: it searches among the deferred ones with the provider's tool or with the
/// registry's, never with both.
fn is_shown(definition: &ToolDefinition, dialect: &ProviderDialect) -> bool {
    let options = dialect.options();
    let named = match &options.choice {
        ToolChoice::Named(names) => names.as_slice(),
        _ => &[],
    };
    let is_named = named.iter().any(|name| name == definition.name());
    // The model must call one of the named tools, so it has nothing to search.
    let has_search = dialect.provider().wire().extras.search.is_some();
    let is_native = has_search && options.model.searches_tools && named.is_empty();
    match (definition.is_deferred(), definition.is_search()) {
        (true, _) => is_native || is_named,
        (_, true) => !is_native,
        _ => true,
    }
}

/// Returns the definition with a repaired schema and without bounds that providers reject. A schema that needed repairs
/// is not sent as strict.
fn repaired<'d>(
    definition: &'d ToolDefinition,
    strict: StrictMode,
    losses: &mut Losses,
) -> Result<(Cow<'d, ToolDefinition>, StrictMode), String> {
    // Before anything else, because the passes recurse and foreign schemas may be built to exhaust the stack.
    measure(definition.input_schema())?;
    let valid = validated(definition.input_schema(), losses)?;
    let was_repaired = matches!(valid, Cow::Owned(_));
    let schema = match (drop_large_bounds(&valid, losses), was_repaired) {
        (Cow::Borrowed(_), false) => return Ok((Cow::Borrowed(definition), strict)),
        (schema, _) => schema.into_owned(),
    };
    let definition = Cow::Owned(definition.clone().with_input_schema(schema));
    if !was_repaired {
        return Ok((definition, strict));
    }
    if strict == StrictMode::On {
        let detail = "the tool is not strict because its schema was repaired";
        losses.add("", "strict", LossKind::Degraded, detail);
    }
    Ok((definition, StrictMode::Off))
}

fn reject_taken(name: &str, holder: Option<&str>) -> Result<(), String> {
    match holder {
        _ if name.is_empty() => Err("the name is empty".to_owned()),
        None => Ok(()),
        Some(holder) if holder == name => Err("another tool has the same name".to_owned()),
        Some(holder) => Err(format!("the converted name equals that of `{holder}`")),
    }
}

/// Returns a loss for each exceeded limit. The tools are sent unchanged.
fn limits_exceeded(dialect: &ProviderDialect, tools: &[Planned]) -> Vec<ConversionLoss> {
    let (provider, model) = (dialect.provider(), &dialect.options().model);
    let mut losses = Vec::new();
    if let Some(most) = model.max_tools.or(provider.wire().max_tools)
        && tools.len() > most
    {
        let detail = format!("{} tools; {provider} allows {most}", tools.len());
        // Sent anyway: limits differ by model and change, so the provider decides.
        let loss = ConversionLoss::new("", "", "tools", LossKind::OverLimit, detail);
        losses.push(loss);
    }
    let most = model.max_description.or(provider.wire().max_description);
    let most = most.unwrap_or(usize::MAX);
    losses.extend(tools.iter().filter_map(|tool| {
        let length = tool.definition.description().chars().count();
        let detail = format!("the description has {length} characters; {provider} allows {most}");
        let name = tool.definition.name();
        (length > most)
            .then(|| ConversionLoss::new(name, "", "description", LossKind::OverLimit, detail))
    }));
    losses
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tool_core::Dialect;

    use super::*;
    use crate::{Options, Provider};

    fn over_limit(provider: Provider, tools: &[ToolDefinition]) -> Vec<String> {
        let converted = provider.convert(tools);
        assert_eq!(converted.names.len(), tools.len(), "{provider}");
        let losses = converted.losses.into_iter();
        losses
            .filter(|loss| loss.action == LossKind::OverLimit)
            .map(|loss| loss.detail)
            .collect()
    }

    #[test]
    fn too_many_tools_are_reported_and_sent() {
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
            let expected = most.map(|most| format!("201 tools; {provider} allows {most}"));

            assert_eq!(over_limit(provider, &tools), Vec::from_iter(expected));
        }
    }

    #[test]
    fn long_descriptions_are_reported_and_sent() {
        let tool = ToolDefinition::new("f", "d".repeat(1025), json!({}));
        for provider in Provider::ALL {
            let limited = matches!(provider, Provider::OpenAi | Provider::Azure);

            let reported = over_limit(*provider, std::slice::from_ref(&tool));

            assert_eq!(!reported.is_empty(), limited, "{provider}: {reported:?}");
        }
    }

    /// Converts a plain tool, deferred ones and the tools that search, as a registry hands them on.
    fn searched(dialect: &ProviderDialect) -> Value {
        let registry = tool_core::Registry::new();
        for name in ["always", "hidden"] {
            let definition = ToolDefinition::new(name, "F", json!({"type": "object"}));
            let tool = tool_core::DynamicTool::new(definition, |_, _| async {
                Ok(tool_core::ToolOutput::text("done"))
            });
            registry.register(tool).unwrap();
        }
        let options = tool_core::search::SearchOptions::default();
        let options = options.with_threshold(1, 1000).with_always(["always"]);
        let registry = registry.searchable(options).unwrap();
        registry.definitions(dialect).tools.clone()
    }

    #[test]
    fn models_search_with_one_tool() {
        let of = |provider: Provider, model: &str| {
            let traits = crate::ModelTraits::of(provider, model);
            provider.with_options(Options::default().with_model(traits))
        };
        let names = |tools: &Value| -> Vec<String> {
            let name = |tool: &Value| {
                let function = tool.get("function").unwrap_or(tool);
                let name = function.get("name").or(function.get("type")).unwrap();
                name.as_str().unwrap().to_owned()
            };
            tools.as_array().unwrap().iter().map(name).collect()
        };
        for (provider, model, expected) in [
            (
                Provider::OpenAiResponses,
                "gpt-5.5",
                vec!["tool_search", "always", "hidden"],
            ),
            (
                Provider::Anthropic,
                "claude-opus-5",
                vec!["tool_search_tool_bm25", "always", "hidden"],
            ),
            (
                Provider::OpenAiResponses,
                "gpt-5",
                vec!["always", "search_tools", "call_tool"],
            ),
            (
                Provider::OpenAi,
                "gpt-5.5",
                vec!["always", "search_tools", "call_tool"],
            ),
            (
                Provider::Ollama,
                "qwen3",
                vec!["always", "search_tools", "call_tool"],
            ),
        ] {
            let tools = searched(&of(provider, model));

            assert_eq!(names(&tools), expected, "{provider} {model}");
            let deferred = tools[2].get("defer_loading").is_some();
            assert_eq!(deferred, expected[2] == "hidden", "{provider} {model}");
            assert!(
                tools[0].get("defer_loading").is_none() && tools[1].get("defer_loading").is_none()
            );
        }
    }

    #[test]
    fn chosen_tool_is_sent_although_it_is_deferred() {
        let options = Options::default().with_choice(ToolChoice::named(["hidden"]));
        for provider in [Provider::OpenAi, Provider::Anthropic] {
            let traits = crate::ModelTraits::of(provider, "claude-opus-5");

            let tools = searched(&provider.with_options(options.clone().with_model(traits)));

            assert!(tools.to_string().contains("hidden"), "{provider}: {tools}");
            assert!(
                !tools.to_string().contains("tool_search_tool"),
                "{provider}: {tools}"
            );
        }
    }

    #[test]
    fn reports_unsupported_options() {
        let tool = ToolDefinition::new("f", "F", json!({}));
        let options = Options::default()
            .with_strict(StrictMode::On)
            .with_cache(true)
            .with_deferred(["f"]);
        for (provider, missing) in [
            (Provider::Ollama, vec!["strict", "cache", "deferred"]),
            // The search has the marker.
            (Provider::Anthropic, vec![]),
            (Provider::OpenAiResponses, vec!["cache"]),
            (Provider::Gemini, vec!["cache", "deferred"]),
            (Provider::Mcp, vec!["strict", "cache", "deferred"]),
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
    fn examples_without_field_are_a_loss() {
        let tool = ToolDefinition::new("add", "Adds.", json!({"type": "object"}))
            .with_example(json!({"a": 1}));
        let options = Options::default().with_examples(true);

        let converted = Provider::Mistral.with_options(options).convert(&[tool]);

        assert_eq!(converted.tools[0]["function"]["description"], "Adds.");
        assert_eq!(converted.losses[0].keyword, "examples");
    }
}
