//! Settings of a model over HTTP.

use provider_adapters::{Effort, ModelSettings};
use reqwest::Client;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;
use tool_core::ConversionLoss;

use super::{HttpModel, HttpModelError};

/// Settings with the same meaning for all providers, and additions to the requests.
impl HttpModel {
    /// Sets the maximum number of output tokens. By default the provider's limit applies; for
    /// Anthropic, which requires a limit, the default is 8192.
    #[must_use]
    pub fn with_max_output_tokens(mut self, tokens: u32) -> Self {
        self.settings.max_output_tokens = Some(tokens);
        self
    }

    /// Sets the randomness, from 0 to 2. The default is the provider's.
    #[must_use]
    pub fn with_temperature(mut self, temperature: f64) -> Self {
        self.settings.temperature = Some(temperature);
        self
    }

    /// Sets the reasoning effort. The default is the provider's. Models without reasoning may reject
    /// it.
    #[must_use]
    pub fn with_effort(mut self, effort: Effort) -> Self {
        self.settings.effort = Some(effort);
        self
    }

    /// Sets the words that end a reply.
    #[must_use]
    pub fn with_stop<W: Into<String>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        self.settings = self.settings.with_stop(words);
        self
    }

    /// Sets all settings.
    #[must_use]
    pub fn with_settings(mut self, settings: ModelSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Returns the settings that the provider does not support or changes.
    ///
    /// # Examples
    /// ```
    /// use agent_loop::HttpModel;
    /// use provider_adapters::{Effort, Provider};
    ///
    /// let model = HttpModel::new(Provider::Mistral, "some-model", "http://127.0.0.1:8080")?
    ///     .with_temperature(0.2)
    ///     .with_effort(Effort::Low);
    /// let losses = model.losses();
    /// assert_eq!(losses.iter().map(|loss| loss.keyword.as_str()).collect::<Vec<_>>(), ["effort"]);
    /// # Ok::<_, agent_loop::HttpModelError>(())
    /// ```
    #[must_use]
    pub fn losses(&self) -> Vec<ConversionLoss> {
        let endpoint = self.dialect.provider().endpoint();
        endpoint.sampling(&self.settings).1
    }

    /// Adds members to the body of every request. They take precedence over all other members;
    /// objects with the same key are merged.
    ///
    /// # Errors
    /// Returns [`HttpModelError::Body`] if `members` is not an object.
    pub fn with_body(mut self, members: Value) -> Result<Self, HttpModelError> {
        let Value::Object(members) = members else {
            return Err(HttpModelError::Body);
        };
        self.body = members;
        Ok(self)
    }

    /// Adds a header to every request. Replaces a header of the same name.
    ///
    /// # Errors
    /// Returns [`HttpModelError::Header`] if the name or the value is invalid.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, HttpModelError> {
        let invalid = || HttpModelError::Header(name.escape_debug().to_string());
        let key = HeaderName::try_from(name).map_err(|_| invalid())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| invalid())?;
        // The value may be a secret.
        value.set_sensitive(true);
        self.headers.insert(key, value);
        Ok(self)
    }

    /// Sets the HTTP client, for example one with a proxy or a client certificate.
    ///
    /// The default client does not follow redirects and does not decompress responses.
    #[must_use]
    pub fn with_client(mut self, client: Client) -> Self {
        self.client = client;
        self
    }
}
