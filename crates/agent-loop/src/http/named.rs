//! Models by one name, with the key from the environment.

use std::env;

use provider_adapters::Provider;

use super::{HttpModel, HttpModelError};

impl HttpModel {
    /// Creates a model from the names of its provider and itself, such as `anthropic/claude-sonnet-4-5`. It uses the
    /// provider's public address, and the key in the [variable](Provider::key_variable) that the provider's own tools read.
    ///
    /// Use [`new`](Self::new) for another address, and [`with_key`](Self::with_key) for a key from elsewhere.
    ///
    /// # Errors
    /// Returns [`HttpModelError::Name`] if the name has no slash or an unknown provider, [`HttpModelError::NoAddress`] if
    /// each customer of the provider has another address (Azure, Bedrock), [`HttpModelError::MissingKey`] if the variable is
    /// missing or blank, and the errors of [`new`](Self::new).
    ///
    /// # Examples
    /// ```no_run
    /// use agent_loop::HttpModel;
    ///
    /// let model = HttpModel::from_env("openai/gpt-5-mini")?;
    /// # Ok::<_, agent_loop::HttpModelError>(())
    /// ```
    pub fn from_env(name: &str) -> Result<Self, HttpModelError> {
        Self::named(name, |variable| env::var(variable).ok())
    }

    fn named(
        name: &str,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, HttpModelError> {
        let unknown = || HttpModelError::Name(name.to_owned());
        // Models of OpenRouter have their own slashes.
        let (provider, model) = name.split_once('/').ok_or_else(unknown)?;
        let provider: Provider = provider.parse().map_err(|_| unknown())?;
        if model.is_empty() {
            return Err(unknown());
        }
        let address = provider.endpoint().base_url;
        let address = address.ok_or(HttpModelError::NoAddress(provider))?;
        let created = Self::new(provider, model, address)?;
        let Some(name) = provider.key_variable() else {
            return Ok(created);
        };
        match variable(name).as_deref().map(str::trim) {
            Some(key) if !key.is_empty() => created.with_key(key),
            _ => Err(HttpModelError::MissingKey(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_select_provider_address_and_key() {
        let key = |name: &str| (name == "OPENROUTER_API_KEY").then(|| " secret\n".to_owned());

        let model = HttpModel::named("openrouter/some/model", key).unwrap();

        assert_eq!(model.model, "some/model");
        assert_eq!(model.address.origin(), "https://openrouter.ai");
        assert_eq!(model.headers.get("authorization").unwrap(), "Bearer secret");
    }

    #[test]
    fn models_without_key_need_no_variable() {
        let model = HttpModel::named("ollama/qwen3", |_| None).unwrap();

        assert!(model.headers.get("authorization").is_none());
    }

    #[test]
    fn errors_name_the_remedy() {
        for (name, message) in [
            (
                "gpt-5",
                "unknown model `gpt-5`; write the provider and the model, such as `openai/gpt-5-mini`",
            ),
            (
                "opnai/gpt-5",
                "unknown model `opnai/gpt-5`; write the provider and the model, such as `openai/gpt-5-mini`",
            ),
            (
                "azure/gpt-5",
                "`azure` has no common address; pass yours to `HttpModel::new`",
            ),
            (
                "anthropic/claude",
                "the variable `ANTHROPIC_API_KEY` is not set; set it to your key, or pass the key to `HttpModel::with_key`",
            ),
        ] {
            let error = HttpModel::named(name, |_| Some("  ".to_owned())).unwrap_err();

            assert_eq!(error.to_string(), message);
        }
    }
}
