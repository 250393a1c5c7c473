//! Transport to a remote server: streamable HTTP.

mod client;
mod pool;

use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransport, StreamableHttpClientTransportConfig,
};
use url::Url;

use self::client::Client;
pub(crate) use self::pool::HttpPool;
use super::error::OpenError;
#[cfg(feature = "http-client")]
use super::failure::HttpFailure;
use super::link::Link;
#[cfg(feature = "http-client")]
use super::login::{AuthError, Tokens};
use super::signals::Signals;
use super::watched::Watched;
use crate::config::Protocol;
use crate::headers::HeaderSource;
use crate::input::HostInput;

/// Maximum size of a kept error page in bytes.
const MAX_ERROR_PAGE: usize = 4 * 1024;

/// Number of requests in addition to the calls: lists and handshakes.
const SPARE_REQUESTS: usize = 4;

/// Maximum number and interval of attempts to resume a stream.
const MAX_RESUMES: usize = 5;
const RESUME_DELAY: Duration = Duration::from_millis(250);
const MAX_RESUME_DELAY: Duration = Duration::from_secs(5);

/// Address of a server and headers of its requests.
#[derive(Clone)]
pub(crate) struct HttpTarget {
    pub(crate) server: Arc<str>,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) call_headers: Option<HeaderSource>,
    pub(crate) max_message: usize,
    pub(crate) max_parallel: usize,
    #[cfg(feature = "http-client")]
    pub(crate) tokens: Option<Arc<Tokens>>,
}

impl HttpTarget {
    /// Opens a connection.
    pub(crate) async fn open(
        self,
        pool: &HttpPool,
        protocol: Protocol,
        signals: Arc<Signals>,
        input: HostInput,
    ) -> Result<Link, OpenError> {
        let config = self.transport_config();
        let server = Arc::clone(&self.server);
        let client = Client {
            inner: pool.client(&self.url),
            server: Arc::clone(&self.server),
            call_headers: self.call_headers,
            #[cfg(feature = "http-client")]
            challenge: self.tokens.as_ref().map(|tokens| tokens.challenge()),
        };
        #[cfg(feature = "http-client")]
        if let Some(tokens) = &self.tokens {
            let client = tokens.authorized(client).await;
            let failed = |error: AuthError| HttpFailure::Unreachable(error.to_string());
            let client = client.map_err(|error| OpenError::Http(failed(error)))?;
            let inner = StreamableHttpClientTransport::with_client(client, config);
            let transport = Watched::new(inner, &signals);
            return Link::open(&server, transport, signals, protocol, input).await;
        }
        let inner = StreamableHttpClientTransport::with_client(client, config);
        let transport = Watched::new(inner, &signals);
        Link::open(&server, transport, signals, protocol, input).await
    }

    fn transport_config(&self) -> StreamableHttpClientTransportConfig {
        let headers = self.headers.iter();
        let headers = headers.map(|(name, value)| (name.clone(), value.clone()));
        let mut config = StreamableHttpClientTransportConfig::with_uri(self.url.as_str())
            .max_concurrent_requests(self.max_parallel.saturating_add(SPARE_REQUESTS))
            .custom_headers(headers.collect())
            .max_json_response_size(self.max_message)
            .max_sse_event_size(self.max_message)
            .max_error_response_size(MAX_ERROR_PAGE);
        let mut backoff = ExponentialBackoff::default();
        backoff.max_times = Some(MAX_RESUMES);
        backoff.base_duration = RESUME_DELAY;
        backoff.max_delay = Some(MAX_RESUME_DELAY);
        config.retry_config = Arc::new(backoff);
        config
    }
}
