//! Providers with options.

use std::borrow::Cow;

use crate::{Options, Provider};

/// Provider with options for its requests.
///
/// # Examples
/// ```
/// use provider_adapters::{Options, Provider, ToolChoice};
/// use serde_json::json;
/// use tool_core::{Dialect, ToolDefinition};
///
/// let dialect = Provider::OpenAi.with_options(Options::default().with_choice(ToolChoice::Required));
/// let tool = ToolDefinition::new("now", "Returns the time.", json!({"type": "object"}));
/// assert_eq!(dialect.convert(&[tool]).request["tool_choice"], json!("required"));
/// assert_ne!(dialect.id(), Provider::OpenAi.id());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProviderDialect {
    provider: Provider,
    options: Options,
    /// Text of [`Dialect::id`](tool_core::Dialect::id).
    pub(super) id: Cow<'static, str>,
}

impl ProviderDialect {
    /// Creates the dialect of a provider.
    pub fn new(provider: Provider, options: Options) -> Self {
        // Converted tools are cached by it, so different options must have different ids.
        let id = if options == Options::default() {
            provider.as_str().into()
        } else {
            // Serializing options never fails: all map keys are strings.
            let options = serde_json::to_string(&options).unwrap_or_default();
            format!("{provider}+{options}").into()
        };
        Self {
            provider,
            options,
            id,
        }
    }

    /// Returns the provider.
    pub fn provider(&self) -> Provider {
        self.provider
    }

    /// Returns a name that the provider and its model accept.
    pub(crate) fn wire_name(&self, name: &str) -> String {
        self.provider.wire().names.wire_name(name)
    }

    /// Returns the options.
    pub fn options(&self) -> &Options {
        &self.options
    }
}

impl Provider {
    /// Returns this provider with options.
    pub fn with_options(self, options: Options) -> ProviderDialect {
        ProviderDialect::new(self, options)
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use tool_core::Dialect;

    use crate::{ModelTraits, StrictMode, ToolChoice};

    use super::*;

    #[test]
    fn distinct_options_have_distinct_ids() {
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
            plain().with_tool_type(true),
            plain().with_gemini_model(true),
            plain().with_model(ModelTraits {
                max_tools: Some(9),
                ..ModelTraits::default()
            }),
            plain().with_model(ModelTraits {
                inline_definitions: true,
                ..ModelTraits::default()
            }),
        ];

        let ids: HashSet<Cow<'static, str>> = options
            .iter()
            .map(|options| Provider::OpenAi.with_options(options.clone()).id())
            .collect();

        assert_eq!(ids.len(), options.len());
    }
}
