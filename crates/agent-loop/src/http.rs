//! Models over HTTP.

mod address;
mod exchange;
mod failure;
mod named;
mod request;
mod response;
mod stream;
mod wait;

use std::time::Duration;

use async_trait::async_trait;
use provider_adapters::{ModelSettings, ModelTraits, Options, Provider, ProviderDialect};
use reqwest::Client;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use serde_json::{Map, Value};

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
    /// TLS has no cryptography: the feature `http` is disabled, and the application has installed none.
    #[error(
        "there is no cryptography for TLS; enable the feature `http`, or install a provider of rustls at the start of the program"
    )]
    NoCryptography,
    /// The HTTP client cannot be created, for example because system certificates are unreadable.
    #[error("failed to create the HTTP client: {0}")]
    Client(String),
}

/// Model of a provider with an HTTP API.
///
/// By default, it waits for the complete response. With [`with_stream`](Self::with_stream), the
/// response arrives in parts, and each is passed to the listener at once ([`ModelRequest::hand_on`]);
/// the reply is the same. Time and size of a response are limited. The model itself never retries,
/// because the loop does ([`ModelRetry`](crate::ModelRetry)).
///
/// For Azure, use the base URL of the version-less API, which ends in `/openai/v1`. For Bedrock,
/// use the base URL of the region and a Bedrock API key.
///
/// TLS uses the cryptography that the application has installed in `rustls`. With the feature `http`, aws-lc is used if it
/// has installed none.
///
/// You pass the base URL and the key. From the environment, only the system's proxy settings are
/// read, and not for a server on this machine. Redirects aren't followed, because they could send
/// the key to another host, and `Debug` doesn't show the key.
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
#[must_use]
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
        let traits = ModelTraits::of(provider, &model);
        Ok(Self {
            client: client(&address)?,
            dialect: provider.with_options(Options::default().with_model(traits)),
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

    /// Sets the provider options for tools: strictness, tool choice and parallel calls. Without traits of the model, those
    /// of [`ModelTraits::of`] apply.
    pub fn with_options(mut self, mut options: Options) -> Self {
        let provider = self.dialect.provider();
        if options.model == ModelTraits::default() {
            options.model = ModelTraits::of(provider, &self.model);
        }
        let name = || self.model.clone();
        options.model.name.get_or_insert_with(name);
        self.dialect = ProviderDialect::new(provider, options);
        self
    }

    /// Sets whether responses are streamed. The default is `false`. Bedrock responses are never
    /// streamed, because Bedrock streams are binary.
    ///
    /// Some servers ignore the setting and send a complete response; we accept it, without parts.
    pub fn with_stream(mut self, stream: bool) -> Self {
        self.stream = stream;
        self
    }

    fn streams(&self) -> bool {
        self.stream && self.dialect.provider().endpoint().can_stream()
    }

    /// Sets how long a stream may send nothing, before its first chunk or between two chunks. The
    /// default is two minutes.
    pub fn with_idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = timeout;
        self
    }

    /// Sets how long a complete response may take, streamed or not. The default is five minutes.
    /// Streams have no such limit by default, because the idle timeout and the size limit end them.
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Returns the timeout for a complete response.
    fn total_timeout(&self) -> Option<Duration> {
        self.timeout.or((!self.streams()).then_some(TIMEOUT))
    }

    /// Sets how large a response may be, in bytes. For streams, this is the sum of all events. The
    /// default is 8 MiB.
    pub fn with_response_limit(mut self, bytes: usize) -> Self {
        self.response_limit = bytes;
        self
    }

    /// Sets the sampling settings, such as the temperature. The defaults are the provider's; for Anthropic, which requires
    /// a limit of output tokens, it is 8192.
    ///
    /// A setting that the provider doesn't support is omitted, and one outside its range is reduced.
    /// [`Endpoint::sampling`](provider_adapters::Endpoint::sampling) returns these changes.
    ///
    /// # Examples
    /// ```
    /// use agent_loop::HttpModel;
    /// use provider_adapters::{Effort, ModelSettings, Provider};
    ///
    /// let settings = ModelSettings::default().with_temperature(0.2).with_effort(Effort::Low);
    /// let (_, losses) = Provider::Mistral.endpoint().sampling(&settings);
    /// assert_eq!(losses[0].keyword, "effort");
    /// let model = HttpModel::new(Provider::Mistral, "some-model", "http://127.0.0.1:8080")?
    ///     .with_settings(settings);
    /// # Ok::<_, agent_loop::HttpModelError>(())
    /// ```
    pub fn with_settings(mut self, settings: ModelSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Adds members to the body of every request, for what the provider supports and this type
    /// doesn't. They win over all other members; objects with the same key are merged.
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
    pub fn with_client(mut self, client: Client) -> Self {
        self.client = client;
        self
    }
}

impl HttpModel {
    async fn exchange(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        let draft = request::Draft::new(self, request);
        if let Some(detail) = request::over_limit(&draft.tools) {
            return Err(ModelError::TooManyTools { detail });
        }
        let exchange = exchange::exchange(self, &draft, request);
        let mut reply = match self.total_timeout() {
            Some(after) => tokio::time::timeout(after, exchange)
                .await
                .map_err(|_| ModelError::Timeout { after })?,
            None => exchange.await,
        }?;
        for reasoning in &mut reply.reasoning {
            reasoning.model = reasoning.provider_data.as_ref().map(|_| self.model.clone());
        }
        Ok(if draft.has_answer_tool {
            request::answered(reply)
        } else {
            reply
        })
    }
}

fn client(address: &Address) -> Result<Client, HttpModelError> {
    // Without a provider, reqwest would panic.
    if cfg!(not(feature = "http")) && rustls::crypto::CryptoProvider::get_default().is_none() {
        return Err(HttpModelError::NoCryptography);
    }
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
        match self.exchange(request).await {
            // Some models sign their reasoning together with all that precedes it, which a host may have changed.
            Err(error) if failure::rejects_reasoning(&error) => {
                tracing::warn!("the provider rejected earlier reasoning; it is sent without");
                let transcript = request::without_reasoning(request.transcript);
                let mut request = *request;
                request.transcript = &transcript;
                self.exchange(&request).await
            }
            reply => reply,
        }
    }

    fn identity(&self) -> Option<ModelIdentity<'_>> {
        let provider = self.dialect.provider().telemetry_name();
        let mut identity = ModelIdentity::new(provider, &self.model);
        identity.server = self.address.server();
        Some(identity)
    }
}

tool_core::debug_fields!(HttpModel, this =>
    provider: this.dialect.provider(), model: this.model, origin: this.address.origin());

#[cfg(test)]
mod tests;
