//! Models over HTTP.

mod address;
mod exchange;
mod failure;
mod request;
mod stream;
mod wait;

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
/// How long the next piece of a stream is waited for unless said otherwise.
const IDLE_TIMEOUT: Duration = Duration::from_mins(2);
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

/// A model behind any provider that has an HTTP API.
///
/// Responses come whole, or as streams ([`with_stream`](Self::with_stream)) whose pieces are handed on
/// ([`ModelRequest::hand_on`]) as they come; the reply is the same. Each is bounded in time and in bytes. It asks once;
/// [`Retry`](crate::Retry) says when the loop asks again.
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
    idle_timeout: Duration,
    stream: bool,
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
            idle_timeout: IDLE_TIMEOUT,
            stream: false,
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

    /// Sets whether responses come as streams; they come whole without this. Bedrock's always come whole, as its
    /// stream is no text.
    ///
    /// A server that sends the response whole all the same is understood; it is handed on in no pieces then.
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

    /// Whether responses come as streams.
    #[must_use]
    pub fn streams(&self) -> bool {
        self.stream && self.dialect.provider() != Provider::Bedrock
    }

    /// Sets how long the next bytes of a stream are waited for; two minutes without this.
    #[must_use]
    pub fn with_idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = timeout;
        self
    }

    /// Sets how long a response is waited for until it is whole, a stream too; five minutes without this.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the largest response in bytes, of a stream all its events together; 8 MB without this.
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
        // What is counted is what came, and no piece waits in a decompressor.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
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
        tokio::time::timeout(self.timeout, exchange::exchange(self, &draft, request))
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
