//! Client that sends requests and reads bounded responses.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::header::{HeaderMap, HeaderValue, USER_AGENT};
use reqwest::redirect::Policy;
use reqwest::{Client, Proxy, retry};
use tool_core::middleware::Backoff;
use tracing::Instrument as _;

use super::retry::delay;
use super::{Deadline, Problem, Request, Response, Secrets, SetupError};

const AGENT: &str = concat!("toolwright/", env!("CARGO_PKG_VERSION"));
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const IDLE: Duration = Duration::from_secs(30);
const IDLE_CONNECTIONS: usize = 4;
/// Maximum size of the response headers in bytes.
const MAX_HEADER_BYTES: u32 = 64 * 1024;
const MAX_HEADERS: usize = 1024;

/// Delays of requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    /// Longest delay before the second attempt.
    pub(crate) first_wait: Duration,
    /// Longest delay before a later attempt.
    pub(crate) longest_wait: Duration,
    /// Timeout of one attempt.
    pub(crate) attempt: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(8),
            attempt: Duration::from_secs(30),
        }
    }
}

/// Client of one service. Clones share connections and secrets.
#[derive(Clone)]
pub(crate) struct Door {
    service: &'static str,
    client: Client,
    secrets: Secrets,
    pace: Pace,
    backoff: Arc<Backoff>,
}

impl Door {
    /// Creates a client. `service` is the name of the service in errors and spans.
    pub(crate) fn new(
        service: &'static str,
        secrets: Secrets,
        proxy: Option<&str>,
    ) -> Result<Self, SetupError> {
        Ok(Self {
            service,
            client: client(proxy)?,
            secrets,
            pace: Pace::default(),
            backoff: backoff(Pace::default()),
        })
    }

    /// Sets the delays.
    #[cfg(test)]
    pub(crate) fn with_pace(mut self, pace: Pace) -> Self {
        self.pace = pace;
        self.backoff = backoff(pace);
        self
    }

    /// Returns this client with the name of another service.
    pub(crate) fn named(&self, service: &'static str) -> Self {
        Self {
            service,
            ..self.clone()
        }
    }

    /// Returns the longest delay before a second attempt, as a unit for other delays.
    pub(crate) fn first_wait(&self) -> Duration {
        self.pace.first_wait
    }

    /// Returns the name of the service.
    pub(crate) fn service(&self) -> &'static str {
        self.service
    }

    /// Returns the secrets that are removed from responses.
    pub(crate) fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Sends a request, again if it may be repeated, and returns the last response with any status.
    pub(crate) async fn send(
        &self,
        request: &Request,
        deadline: Deadline,
    ) -> Result<Response, Problem> {
        let mut attempt = 1;
        loop {
            let outcome = self.attempt(request, deadline, attempt).await;
            let Some(wait) = delay(request, &outcome, attempt, &self.backoff, deadline) else {
                return outcome;
            };
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    async fn attempt(
        &self,
        request: &Request,
        deadline: Deadline,
        attempt: u32,
    ) -> Result<Response, Problem> {
        let span = tracing::debug_span!(
            "request",
            service = self.service,
            operation = request.operation,
            host = request.url.host_str().unwrap_or_default(),
            attempt,
            status = tracing::field::Empty,
            milliseconds = tracing::field::Empty,
        );
        let begin = Instant::now();
        let within = deadline.remaining().min(self.pace.attempt);
        let exchange = self.exchange(request).instrument(span.clone());
        let outcome = tokio::time::timeout(within, exchange)
            .await
            .unwrap_or(Err(Problem::Timeout(within)));
        if let Ok(response) = &outcome {
            span.record("status", response.status.as_u16());
        }
        let elapsed = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        span.record("milliseconds", elapsed);
        outcome
    }

    async fn exchange(&self, request: &Request) -> Result<Response, Problem> {
        let mut headers = request.headers.clone();
        headers
            .entry(USER_AGENT)
            .or_insert(HeaderValue::from_static(AGENT));
        let mut builder = self
            .client
            .request(request.method.clone(), request.url.clone())
            .headers(headers);
        if let Some(body) = &request.body {
            builder = builder.body(body.clone());
        }
        let mut response = builder.send().await.map_err(unsent)?;
        if header_bytes(response.headers()) > u64::from(MAX_HEADER_BYTES) {
            return Err(Problem::TooLarge(MAX_HEADER_BYTES as usize));
        }
        let mut body = read(&mut response, request).await?;
        if request.is_scrubbed {
            body = self.secrets.scrub_bytes(body);
        }
        Ok(Response {
            status: response.status(),
            headers: response.headers().clone(),
            body,
        })
    }
}

/// Creates the HTTP client.
fn client(proxy: Option<&str>) -> Result<Client, SetupError> {
    let mut builder = Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .referer(false)
        .retry(retry::never())
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_max_idle_per_host(IDLE_CONNECTIONS)
        .pool_idle_timeout(IDLE)
        .http1_max_headers(MAX_HEADERS)
        .http2_max_header_list_size(MAX_HEADER_BYTES);
    // Tests create thousands of clients for servers without TLS, and each would parse all certificates of the system.
    #[cfg(test)]
    {
        builder = builder.tls_certs_only([]);
    }
    if let Some(proxy) = proxy {
        builder = builder.proxy(Proxy::all(proxy).map_err(|_| SetupError::InvalidProxy)?);
    }
    builder
        .build()
        .map_err(|error| SetupError::Client(error.into()))
}

fn backoff(pace: Pace) -> Arc<Backoff> {
    Arc::new(Backoff::new(pace.first_wait, pace.longest_wait))
}

/// Reads the body up to the limit of the request.
async fn read(response: &mut reqwest::Response, request: &Request) -> Result<Vec<u8>, Problem> {
    let max = request.max_bytes;
    let declared = response.content_length().unwrap_or_default();
    if declared > max as u64 && !request.is_cut {
        return Err(Problem::TooLarge(max));
    }
    let mut body = Vec::new();
    let lost = |error: reqwest::Error| Problem::Lost(Arc::new(error.without_url()));
    while let Some(chunk) = response.chunk().await.map_err(lost)? {
        let room = max.saturating_sub(body.len());
        if chunk.len() > room && !request.is_cut {
            return Err(Problem::TooLarge(max));
        }
        body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if chunk.len() > room {
            break;
        }
    }
    Ok(body)
}

/// Classifies an error without a response.
fn unsent(error: reqwest::Error) -> Problem {
    // The URL contains search terms, which must not be logged.
    let error = error.without_url();
    if error.is_connect() || error.is_builder() {
        Problem::Unreachable(Arc::new(error))
    } else {
        Problem::Lost(Arc::new(error))
    }
}

fn header_bytes(headers: &HeaderMap) -> u64 {
    let lengths = headers
        .iter()
        .map(|(name, value)| (name.as_str().len() + value.len() + 4) as u64);
    lengths.sum()
}

impl fmt::Debug for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Door({})", self.service)
    }
}
