//! Models over HTTP.

mod address;
mod exchange;
mod failure;
mod request;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use provider_adapters::{Options, Provider, ProviderDialect};
use reqwest::Client;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;

pub use self::address::default_base_url;
use self::address::{Address, has_http_api};
use crate::{Model, ModelError, ModelReply, ModelRequest};

/// How long a response is waited for unless said otherwise; models may think for minutes.
const TIMEOUT: Duration = Duration::from_mins(5);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The largest response unless said otherwise, in bytes.
const RESPONSE_LIMIT: usize = 8 * 1024 * 1024;
/// The longest answer that is asked for where the provider wants to be told.
const MAX_OUTPUT_TOKENS: u32 = 8192;

/// Settings from which no model can be made.
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
    /// The base URL is none.
    #[error("the base URL is not one; write it as `http://host:port` or `https://host/path`")]
    BaseUrl,
    /// The provider has no HTTP API.
    #[error("`{0}` has no HTTP API of its own to send requests to; choose another provider")]
    NoHttpApi(Provider),
    /// The base URL is `https`, and this build has no TLS.
    #[error(
        "this build of agent-loop has no TLS; enable its feature `tls-aws-lc`, or use an `http` URL"
    )]
    NoTls,
    /// The key holds what no header can hold.
    #[error("the key holds a line break or another character that no key has; copy it again")]
    Key,
    /// The client could not be made, for example because the system's certificates cannot be read.
    #[error("the HTTP client cannot be made: {0}")]
    Client(String),
}

/// A model behind any provider that has an HTTP API; responses come whole, not as streams.
///
/// For Azure the base URL is that of the version-less API, which ends in `/openai/v1`; for Bedrock it is that of the
/// region, and the key one of Bedrock's own.
///
/// The base URL and the key come from the caller; nothing is read from the environment but the system's proxy
/// settings, and these not for a server on this machine. Redirects are not followed, and `Debug` does not show the key.
///
/// Whoever builds the application chooses its TLS: with the feature `http` alone only `http` URLs are taken, and
/// `tls-aws-lc` adds `https`.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use agent_loop::{HttpModel, default_base_url};
/// use provider_adapters::Provider;
///
/// let base_url = default_base_url(Provider::Ollama).unwrap_or_default();
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
    timeout: Duration,
    response_limit: usize,
    max_output_tokens: Option<u32>,
}

impl HttpModel {
    /// Creates a model without a key. The base URL may end in the version (`/v1`, `/v1beta`) or not, as people
    /// copy it.
    ///
    /// # Errors
    /// [`HttpModelError`] when the base URL is none, or no client can be made.
    pub fn new(
        provider: Provider,
        model: impl Into<String>,
        base_url: &str,
    ) -> Result<Self, HttpModelError> {
        if !has_http_api(provider) {
            return Err(HttpModelError::NoHttpApi(provider));
        }
        let model = model.into();
        let address = Address::parse(provider, &model, base_url).ok_or(HttpModelError::BaseUrl)?;
        if address.needs_tls() && !cfg!(feature = "tls-aws-lc") {
            return Err(HttpModelError::NoTls);
        }
        let mut headers = HeaderMap::new();
        if provider == Provider::Anthropic {
            let version = HeaderValue::from_static("2023-06-01");
            headers.insert("anthropic-version", version);
        }
        Ok(Self {
            client: client(&address)?,
            dialect: provider.into(),
            model,
            address,
            headers,
            timeout: TIMEOUT,
            response_limit: RESPONSE_LIMIT,
            max_output_tokens: None,
        })
    }

    /// Sets the key.
    ///
    /// # Errors
    /// [`HttpModelError::Key`] when it cannot be a header.
    pub fn with_key(mut self, key: &str) -> Result<Self, HttpModelError> {
        let (name, text) = match self.dialect.provider() {
            Provider::Anthropic => ("x-api-key", key.to_owned()),
            Provider::Gemini | Provider::GeminiOpenApi => ("x-goog-api-key", key.to_owned()),
            Provider::Azure => ("api-key", key.to_owned()),
            _ => ("authorization", format!("Bearer {key}")),
        };
        let mut value = HeaderValue::from_str(&text).map_err(|_| HttpModelError::Key)?;
        value.set_sensitive(true);
        self.headers.insert(HeaderName::from_static(name), value);
        Ok(self)
    }

    /// Sets how the tools are told: strictness, choice, parallel calls.
    #[must_use]
    pub fn with_options(mut self, options: Options) -> Self {
        self.dialect = ProviderDialect::new(self.dialect.provider(), options);
        self
    }

    /// Sets how long a response is waited for; five minutes without this.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the largest response in bytes; 8 MB without this.
    #[must_use]
    pub fn with_response_limit(mut self, bytes: usize) -> Self {
        self.response_limit = bytes;
        self
    }

    /// Sets the longest answer. Without this the provider's own limit holds; Anthropic wants one, and gets 8192.
    #[must_use]
    pub fn with_max_output_tokens(mut self, tokens: u32) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }
}

fn client(address: &Address) -> Result<Client, HttpModelError> {
    // A redirect would carry the conversation, and for some the key, to a host that nobody chose.
    let builder = Client::builder()
        .redirect(Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("toolwright/", env!("CARGO_PKG_VERSION")));
    let builder = if address.is_local() {
        builder.no_proxy()
    } else {
        builder
    };
    builder
        .build()
        .map_err(|error| HttpModelError::Client(error.to_string()))
}

#[async_trait]
impl Model for HttpModel {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        let draft = request::Draft::new(self, request);
        tokio::time::timeout(self.timeout, exchange::exchange(self, &draft))
            .await
            .map_err(|_| ModelError::Timeout {
                after: self.timeout,
            })?
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

#[cfg(test)]
mod tests;
