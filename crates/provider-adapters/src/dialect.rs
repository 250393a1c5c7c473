//! Definitions out: what a provider is told about tools.

use std::borrow::Cow;

use serde_json::{Value, json};
use tool_core::{Converted, Dialect, ToolDefinition};

use crate::plan::Plan;
use crate::{ModelTraits, Options, Provider, ToolChoice};

/// A provider and what its requests ask for.
///
/// # Examples
/// ```
/// use provider_adapters::{Options, Provider, ToolChoice};
/// use serde_json::json;
/// use tool_core::{Dialect, ToolDefinition};
///
/// let dialect = Provider::OpenAi.with_options(Options::default().with_choice(ToolChoice::Required));
/// let tool = ToolDefinition::new("now", "Tells the time.", json!({"type": "object"}));
/// assert_eq!(dialect.convert(&[tool]).request["tool_choice"], json!("required"));
/// assert_ne!(dialect.id(), Provider::OpenAi.id());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProviderDialect {
    provider: Provider,
    options: Options,
}

impl ProviderDialect {
    /// Creates the dialect of a provider.
    #[must_use]
    pub fn new(provider: Provider, options: Options) -> Self {
        Self { provider, options }
    }

    /// The provider.
    #[must_use]
    pub fn provider(&self) -> Provider {
        self.provider
    }

    /// A name as the provider and its model take it.
    pub(crate) fn wire_name(&self, name: &str) -> String {
        let names = self.provider.wire().names;
        names.wire_name_within(self.options.model.max_name, name)
    }

    /// What its requests ask for.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }
}

impl From<Provider> for ProviderDialect {
    fn from(provider: Provider) -> Self {
        Self::new(provider, Options::default())
    }
}

impl From<&ProviderDialect> for ProviderDialect {
    fn from(dialect: &ProviderDialect) -> Self {
        dialect.clone()
    }
}

impl Dialect for ProviderDialect {
    fn id(&self) -> Cow<'static, str> {
        if self.options == Options::default() {
            return self.provider.as_str().into();
        }
        let choice = match &self.options.choice {
            ToolChoice::Auto => "auto".to_owned(),
            ToolChoice::None => "none".to_owned(),
            ToolChoice::Required => "required".to_owned(),
            ToolChoice::Named(names) => Value::from(names.as_slice()).to_string(),
        };
        let strict = self.options.strict.as_str();
        let parallel = match self.options.parallel {
            None => "default",
            Some(true) => "on",
            Some(false) => "off",
        };
        format!(
            "{}+strict={strict}+choice={choice}+parallel={parallel}{}",
            self.provider,
            extras(&self.options)
        )
        .into()
    }

    fn convert(&self, definitions: &[ToolDefinition]) -> Converted {
        Plan::new(self, definitions).into_converted(self)
    }
}

/// What is asked for beyond the first three options.
fn extras(options: &Options) -> String {
    let flags = [
        (options.cache, "+cache"),
        (options.examples, "+examples"),
        (options.output_schemas, "+output_schemas"),
        (options.tool_type, "+tool_type"),
        (options.eager_input, "+eager_input"),
        (options.unchecked_calls, "+unchecked_calls"),
        (options.thinking, "+thinking"),
        (options.gemini_model, "+gemini_model"),
    ];
    let asked = flags.iter().filter(|(on, _)| *on).map(|(_, flag)| *flag);
    let by_tool = [
        ("deferred", json!(options.deferred)),
        ("non_blocking", json!(options.non_blocking)),
        ("allowed_callers", json!(options.allowed_callers)),
        ("icons", json!(options.icons)),
        ("task_support", json!(options.task_support)),
    ];
    let is_asked = |asked: &Value| *asked != json!([]) && *asked != json!({});
    let by_tool = by_tool.iter().filter(|(_, asked)| is_asked(asked));
    let by_tool = by_tool.map(|(word, asked)| format!("+{word}={asked}"));
    asked.collect::<String>() + &by_tool.collect::<String>() + &traits(&options.model)
}

/// What is said of the model.
fn traits(model: &ModelTraits) -> String {
    let limits = [
        (model.max_tools, "max_tools"),
        (model.max_description, "max_description"),
        (model.max_name, "max_name"),
        (model.max_id, "max_id"),
        (model.max_strict_fields, "max_strict_fields"),
    ];
    let flags = [
        (model.inline_definitions, "+inline_definitions"),
        (model.without_tool_choice, "+without_tool_choice"),
        (model.without_error_status, "+without_error_status"),
        (model.images_in_results, "+images_in_results"),
    ];
    let limits = limits
        .iter()
        .filter_map(|(limit, word)| Some(format!("+{word}={}", (*limit)?)));
    let flags = flags
        .iter()
        .filter(|(on, _)| *on)
        .map(|(_, flag)| (*flag).to_owned());
    limits.chain(flags).collect()
}

impl Dialect for Provider {
    fn id(&self) -> Cow<'static, str> {
        self.as_str().into()
    }

    fn convert(&self, definitions: &[ToolDefinition]) -> Converted {
        ProviderDialect::from(*self).convert(definitions)
    }
}

/// What a provider is told about one tool, with default options.
///
/// # Examples
/// ```
/// use provider_adapters::{Provider, convert_to_provider};
/// use serde_json::json;
/// use tool_core::ToolDefinition;
///
/// let tool = ToolDefinition::new("now", "Tells the time.", json!({"type": "object"}));
/// assert_eq!(
///     convert_to_provider(Provider::Anthropic, &tool).tools[0]["name"],
///     json!("now")
/// );
/// ```
#[must_use]
pub fn convert_to_provider(provider: Provider, definition: &ToolDefinition) -> Converted {
    provider.convert(std::slice::from_ref(definition))
}

/// What a provider is told about several tools, with default options.
///
/// # Examples
/// ```
/// use provider_adapters::{Provider, batch_convert_to_provider};
/// use serde_json::json;
///
/// assert_eq!(batch_convert_to_provider(Provider::Gemini, &[]).tools, json!([]));
/// ```
#[must_use]
pub fn batch_convert_to_provider(provider: Provider, definitions: &[ToolDefinition]) -> Converted {
    provider.convert(definitions)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::{Icon, StrictMode, TaskSupport};

    use super::*;

    #[test]
    fn every_option_makes_another_id() {
        let plain = Options::default;
        let options = [
            plain(),
            plain().with_strict(StrictMode::On),
            plain().with_choice(ToolChoice::named(["a", "b"])),
            plain().with_choice(ToolChoice::named(["a,b"])),
            plain().with_parallel(Some(true)),
            plain().with_parallel(Some(false)),
            plain().with_cache(true),
            plain().with_deferred(["a"]),
            plain().with_examples(true),
            plain().with_output_schemas(true),
            plain().with_tool_type(true),
            plain().with_thinking(true),
            plain().with_gemini_model(true),
            plain().with_eager_input(true),
            plain().with_unchecked_calls(true),
            plain().with_non_blocking(["a"]),
            plain().with_allowed_callers("a", ["direct"]),
            plain().with_allowed_callers("a", ["direct", "programmatic"]),
            plain().with_icons("a", [Icon::new("https://e.com/a.png")]),
            plain().with_icons("a", [Icon::new("https://e.com/b.png")]),
            plain().with_task_support("a", TaskSupport::Optional),
            plain().with_task_support("a", TaskSupport::Required),
            plain().with_model(ModelTraits::default().with_max_tools(9)),
            plain().with_model(ModelTraits::default().with_max_id(9)),
            plain().with_model(ModelTraits::default().with_inline_definitions(true)),
        ];

        let ids: HashSet<Cow<'static, str>> = options
            .iter()
            .map(|options| Provider::OpenAi.with_options(options.clone()).id())
            .collect();

        assert_eq!(ids.len(), options.len());
    }
}
