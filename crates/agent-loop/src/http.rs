//! Models over HTTP.

mod address;
mod exchange;
mod failure;
mod named;
mod request;
mod stream;
mod wait;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use provider_adapters::{Effort, ModelSettings, Options, Provider, ProviderDialect};
use reqwest::Client;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use serde_json::{Map, Value};
use tool_core::ConversionLoss;

use crate::{Model, ModelError, ModelIdentity, ModelReply, ModelRequest};
use address::Address;

/// Timeout of complete responses. Models may think for minutes.
const TIMEOUT: Duration = Duration::from_mins(5);
const IDLE_TIMEOUT: Duration = Duration::from_mins(2);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of a response in bytes.
const RESPONSE_LIMIT: usize = 8 * 1024 * 1024;

/// Error for invalid settings of an [`HttpModel`].
///
/// # Examples
/// ```
/// use agent_loop::{HttpModel, HttpModelError};
/// use provider_adapters::Provider;
///
/// let error = HttpModel::new(Provider::OpenAi, "some-model", "localhost:8080").unwrap_err();
/// assert_eq!(error, HttpModelError::BaseUrl);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpModelError {
    /// The base URL is invalid.
    #[error("invalid base URL; use `http://host:port` or `https://host/path`")]
    BaseUrl,
    /// The name has no slash, or its provider is unknown.
    #[error("unknown model `{0}`; write the provider and the model, such as `openai/gpt-5-mini`")]
    Name(String),
    /// Each customer of the provider has another address.
    #[error("`{0}` has no common address; pass yours to `HttpModel::new`")]
    NoAddress(Provider),
    /// The environment has no key.
    #[error(
        "the variable `{0}` is not set; set it to your key, or pass the key to `HttpModel::with_key`"
    )]
    MissingKey(&'static str),
    /// The provider has no HTTP API.
    #[error("`{0}` has no HTTP API; choose another provider")]
    NoHttpApi(Provider),
    /// The API key contains characters that are invalid in a header.
    #[error(
        "the API key contains a newline or another character that is invalid in a header; copy it again"
    )]
    Key,
    /// The name or value of a header is invalid.
    #[error("invalid header `{0}`; use a name and value without newlines")]
    Header(String),
    /// The additional members of the request body are not an object.
    #[error("the additional body is not a JSON object; pass its members as an object")]
    Body,
    /// The HTTP client cannot be created, for example because system certificates are unreadable.
    #[error("failed to create the HTTP client: {0}")]
    Client(String),
}

/// Model of a provider with an HTTP API.
///
/// Responses are complete by default, or streamed ([`with_stream`](Self::with_stream)) in parts
/// that are sent to the listener ([`ModelRequest::hand_on`]); the reply is the same. Time and size
/// of a response are limited. The model never retries; [`ModelRetry`](crate::ModelRetry) sets the
/// retry policy of the loop.
///
/// For Azure, use the base URL of the version-less API, which ends in `/openai/v1`. For Bedrock,
/// use the base URL of the region and a Bedrock API key.
///
/// [`from_env`](Self::from_env) takes the key from the environment. Otherwise you pass it, and only the system's proxy
/// settings are read there, though not for a server on this machine. Redirects are not followed, and `Debug` does not show
/// the key.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use agent_loop::HttpModel;
/// use provider_adapters::Provider;
///
/// let base_url = Provider::Ollama.endpoint().base_url.unwrap_or_default();
/// let model = HttpModel::new(Provider::Ollama, "some-model", base_url)?
///     .with_key("secret")?
///     .with_timeout(Duration::from_secs(60));
/// assert!(!format!("{model:?}").contains("secret"));
/// # Ok::<_, agent_loop::HttpModelError>(())
/// ```
#[derive(Clone)]
pub struct HttpModel {
    client: Client,
    dialect: ProviderDialect,
    model: String,
    address: Address,
    headers: HeaderMap,
    timeout: Option<Duration>,
    response_limit: usize,
    settings: ModelSettings,
    body: Map<String, Value>,
    idle_timeout: Duration,
    stream: bool,
}

impl HttpModel {
    /// Creates a model without a key. The base URL may end in the API version (`/v1`, `/v1beta`).
    ///
    /// # Errors
    /// Returns [`HttpModelError`] if the provider has no HTTP API, the base URL is invalid or
    /// requires TLS in a build without it, or the client cannot be created.
    pub fn new(
        provider: Provider,
        model: impl Into<String>,
        base_url: &str,
    ) -> Result<Self, HttpModelError> {
        let endpoint = provider.endpoint();
        if endpoint.path.is_empty() {
            return Err(HttpModelError::NoHttpApi(provider));
        }
        let model = model.into();
        let address = Address::parse(endpoint, &model, base_url).ok_or(HttpModelError::BaseUrl)?;
        let headers = endpoint.headers.iter().map(|(name, value)| {
            let name = HeaderName::from_static(name);
            (name, HeaderValue::from_static(value))
        });
        Ok(Self {
            client: client(&address)?,
            dialect: provider.into(),
            model,
            address,
            headers: headers.collect(),
            timeout: None,
            response_limit: RESPONSE_LIMIT,
            settings: ModelSettings::default(),
            body: Map::new(),
            idle_timeout: IDLE_TIMEOUT,
            stream: false,
        })
    }

    /// Sets the API key.
    ///
    /// # Errors
    /// Returns [`HttpModelError::Key`] if the key is invalid in a header.
    pub fn with_key(mut self, key: &str) -> Result<Self, HttpModelError> {
        let (name, prefix) = self.dialect.provider().endpoint().key_header;
        let mut value =
            HeaderValue::from_str(&format!("{prefix}{key}")).map_err(|_| HttpModelError::Key)?;
        value.set_sensitive(true);
        self.headers.insert(HeaderName::from_static(name), value);
        Ok(self)
    }

    /// Sets the provider options for tools: strictness, tool choice and parallel calls.
    #[must_use]
    pub fn with_options(mut self, options: Options) -> Self {
        self.dialect = ProviderDialect::new(self.dialect.provider(), options);
        self
    }

    /// Sets whether responses are streamed. The default is `false`. Bedrock responses are never
    /// streamed, because Bedrock streams are binary.
    ///
    /// If the server sends a complete response instead, it is accepted without parts.
    ///
    /// # Examples
    /// ```
    /// use agent_loop::HttpModel;
    /// use provider_adapters::Provider;
    ///
    /// for (provider, streams) in [(Provider::Ollama, true), (Provider::Bedrock, false)] {
    ///     let model = HttpModel::new(provider, "some-model", "http://127.0.0.1:11434")?.with_stream(true);
    ///     assert_eq!(model.streams(), streams);
    /// }
    /// # Ok::<_, agent_loop::HttpModelError>(())
    /// ```
    #[must_use]
    pub fn with_stream(mut self, stream: bool) -> Self {
        self.stream = stream;
        self
    }

    /// Returns whether responses are streamed.
    #[must_use]
    pub fn streams(&self) -> bool {
        self.stream && self.dialect.provider().endpoint().can_stream()
    }

    /// Sets the maximum time without data: before the first chunk of a stream, and between two
    /// chunks. The default is two minutes.
    #[must_use]
    pub fn with_idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = timeout;
        self
    }

    /// Sets the timeout for a complete response, streamed or not. The default is five minutes, or
    /// unlimited for streams, which end by the idle timeout and the size limit.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Returns the timeout for a complete response.
    fn total_timeout(&self) -> Option<Duration> {
        self.timeout.or((!self.streams()).then_some(TIMEOUT))
    }

    /// Sets the maximum size of a response in bytes, for streams the sum of all events. The default
    /// is 8 MiB.
    #[must_use]
    pub fn with_response_limit(mut self, bytes: usize) -> Self {
        self.response_limit = bytes;
        self
    }
}

fn client(address: &Address) -> Result<Client, HttpModelError> {
    // A redirect could send the conversation, or even the key, to an unknown host.
    let builder = Client::builder()
        .redirect(Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        // The size limit counts received bytes, and a decompressor would delay chunks.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .user_agent(concat!("toolwright/", env!("CARGO_PKG_VERSION")));
    // A proxy would connect to its own loopback address.
    let builder = if address.is_local() {
        builder.no_proxy()
    } else {
        builder
    };
    // Without TLS there is nothing to verify, and parsing all certificates of the system takes longer than a request.
    let builder = if address.is_encrypted() {
        builder
    } else {
        builder.tls_certs_only([])
    };
    builder
        .build()
        .map_err(|error| HttpModelError::Client(error.to_string()))
}

#[async_trait]
impl Model for HttpModel {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        let draft = request::Draft::new(self, request);
        let exchange = exchange::exchange(self, &draft, request);
        let reply = match self.total_timeout() {
            Some(after) => tokio::time::timeout(after, exchange)
                .await
                .map_err(|_| ModelError::Timeout { after })?,
            None => exchange.await,
        }?;
        Ok(if draft.has_answer_tool {
            request::answered(reply)
        } else {
            reply
        })
    }

    fn identity(&self) -> Option<ModelIdentity<'_>> {
        let provider = self.dialect.provider().telemetry_name();
        let identity = ModelIdentity::new(provider, &self.model);
        let server = self.address.server();
        Some(server.map_or(identity, |(host, port)| identity.with_server(host, port)))
    }
}

impl fmt::Debug for HttpModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpModel")
            .field("provider", &self.dialect.provider())
            .field("model", &self.model)
            .field("origin", &self.address.origin())
            .finish_non_exhaustive()
    }
}

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

#[cfg(test)]
mod tests;
