//! Client that sends requests and reads bounded responses.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::header::{HeaderMap, HeaderValue, USER_AGENT};
use reqwest::redirect::Policy;
use reqwest::{Client, Proxy, StatusCode, retry};
use tool_core::ToolContext;
use tool_core::middleware::Backoff;
use tracing::Instrument as _;

use super::{Problem, Repeat, Request, Response, Secrets, SetupError};

const AGENT: &str = concat!("toolwright/", env!("CARGO_PKG_VERSION"));
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const IDLE: Duration = Duration::from_secs(30);
const IDLE_CONNECTIONS: usize = 4;
/// Maximum size of the response headers in bytes.
const MAX_HEADER_BYTES: u32 = 64 * 1024;
const MAX_HEADERS: usize = 1024;

/// Longest delay before the second attempt.
// Tests lose hundreds of responses on purpose, and with these times they would take minutes.
pub(crate) const FIRST_WAIT: Duration = Duration::from_millis(if cfg!(test) { 1 } else { 500 });
/// Longest delay before a later attempt.
const LONGEST_BACKOFF: Duration = Duration::from_millis(if cfg!(test) { 8 } else { 8000 });
/// Timeout of one attempt.
const ATTEMPT: Duration = Duration::from_millis(if cfg!(test) { 800 } else { 30_000 });

/// Client of one service. Clones share connections and secrets.
#[derive(Clone)]
pub(crate) struct Door {
    service: &'static str,
    client: Client,
    secrets: Secrets,
    attempt: Duration,
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
            attempt: ATTEMPT,
            backoff: Arc::new(Backoff::new(FIRST_WAIT, LONGEST_BACKOFF)),
        })
    }

    /// Sets the timeout of one attempt.
    #[cfg(test)]
    pub(crate) fn with_attempt(mut self, attempt: Duration) -> Self {
        self.attempt = attempt;
        self
    }

    /// Returns this client with the name of another service.
    pub(crate) fn named(&self, service: &'static str) -> Self {
        Self {
            service,
            ..self.clone()
        }
    }

    /// Returns this client with other secrets.
    pub(crate) fn with_secrets(self, secrets: Secrets) -> Self {
        Self { secrets, ..self }
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
        let within = deadline.remaining().min(self.attempt);
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
        // The limit of the client covers HTTP/2 only.
        if header_bytes(response.headers()) > u64::from(MAX_HEADER_BYTES) {
            return Err(Problem::TooLarge(MAX_HEADER_BYTES as usize));
        }
        let mut body = read(&mut response, request.max_bytes).await?;
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
        // A proxy of the environment would see every token, so the application has to name one itself.
        .no_proxy()
        // A redirect would carry the token to an origin that nobody configured.
        .redirect(Policy::none())
        .referer(false)
        // Only `delay` knows which requests may be repeated. A hidden retry could send a mail twice.
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

/// Reads the body up to the limit of the request.
async fn read(response: &mut reqwest::Response, max: usize) -> Result<Vec<u8>, Problem> {
    let declared = response.content_length().unwrap_or_default();
    // Before reading, so that a server cannot make us receive 48 MB for nothing.
    if declared > max as u64 {
        return Err(Problem::TooLarge(max));
    }
    let mut body = Vec::new();
    let lost = |error: reqwest::Error| Problem::Lost(Arc::new(error.without_url()));
    while let Some(chunk) = response.chunk().await.map_err(lost)? {
        if chunk.len() > max.saturating_sub(body.len()) {
            return Err(Problem::TooLarge(max));
        }
        body.extend_from_slice(&chunk);
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

tool_core::debug_fields!(Door, this => service: this.service);

/// Maximum number of attempts.
const ATTEMPTS: u32 = 3;
/// Longest requested wait that is waited for within a call.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

const TEMPORARY: [StatusCode; 6] = [
    StatusCode::REQUEST_TIMEOUT,
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::INTERNAL_SERVER_ERROR,
    StatusCode::BAD_GATEWAY,
    StatusCode::SERVICE_UNAVAILABLE,
    StatusCode::GATEWAY_TIMEOUT,
];

/// Returns the delay before the next attempt, or `None` if `outcome` is final.
pub(super) fn delay(
    request: &Request,
    outcome: &Result<Response, Problem>,
    attempt: u32,
    backoff: &Backoff,
    deadline: Deadline,
) -> Option<Duration> {
    if attempt >= ATTEMPTS || !may_repeat(request, outcome) {
        return None;
    }
    let requested = outcome.as_ref().ok().and_then(Response::retry_after);
    let wait = match requested {
        // The model should decide about a wait of minutes, so it gets the error and the time.
        Some(wait) if wait > LONGEST_WAIT => return None,
        Some(wait) => wait,
        None => backoff.wait_after(attempt, None)?,
    };
    (wait < deadline.remaining()).then_some(wait)
}

fn may_repeat(request: &Request, outcome: &Result<Response, Problem>) -> bool {
    match (outcome, request.repeat) {
        (_, Repeat::Never) => false,
        // Without a connection, the service received nothing.
        (Err(Problem::Unreachable(_)), _) | (Err(Problem::Lost(_)), Repeat::Always) => true,
        (Ok(response), Repeat::Always) => {
            TEMPORARY.contains(&response.status) || is_rate_limit(request, response)
        }
        (Ok(response), Repeat::IfRejected) => is_rate_limit(request, response),
        (Err(_), _) => false,
    }
}

fn is_rate_limit(request: &Request, response: &Response) -> bool {
    response.status == StatusCode::TOO_MANY_REQUESTS || (request.is_rate_limit)(response)
}

/// Timeout of calls outside a registry.
const DEFAULT: Duration = Duration::from_mins(1);
/// Time reserved for the result of the call.
const RESERVE: Duration = Duration::from_millis(500);

/// Time at which the requests of a call must be finished.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    /// Returns the deadline of a call, shortly before its timeout.
    pub(crate) fn of(cx: &ToolContext) -> Self {
        match cx.deadline() {
            Some(deadline) => Self(deadline.checked_sub(RESERVE).unwrap_or(deadline)),
            None => Self::after(DEFAULT),
        }
    }

    /// Returns a deadline after `time`.
    pub(crate) fn after(time: Duration) -> Self {
        let now = Instant::now();
        Self(now.checked_add(time).unwrap_or(now))
    }

    /// Returns the remaining time.
    pub(crate) fn remaining(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Returns the earlier of this deadline and `time` from now.
    pub(crate) fn at_most(self, time: Duration) -> Self {
        Self(self.0.min(Self::after(time).0))
    }
}
