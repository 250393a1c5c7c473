//! Transport to a remote server: streamable HTTP.

mod failure;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http::{HeaderName, HeaderValue};
use reqwest::redirect::{Attempt, Policy};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransport,
    StreamableHttpClientTransportConfig, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::Sse;
use tool_json::{surrogates, wide_numbers};

use super::failure::{Failure, TOO_LARGE, UNREADABLE};
use super::lines::unread;
use super::link::{Link, Opening};
use super::login::{Challenge, Tokens};
use crate::client::Address;
use crate::locked;

/// Maximum size of a kept error page in bytes.
const MAX_ERROR_PAGE: usize = 4 * 1024;

/// Number of requests in addition to the calls: lists and handshakes.
const SPARE_REQUESTS: usize = 4;

/// Maximum number and interval of attempts to resume a stream.
const MAX_RESUMES: usize = 5;
const RESUME_DELAY: Duration = Duration::from_millis(250);
const MAX_RESUME_DELAY: Duration = Duration::from_secs(5);

/// Time limit of a connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// Time after which an idle connection is closed. Servers close theirs after 5 s or later, and a request that is sent at
/// this moment is lost.
const IDLE_LIMIT: Duration = Duration::from_secs(4);

/// Maximum number of redirects within the server.
const MAX_REDIRECTS: usize = 5;

/// Part of the message of an error about the size of an event.
const SIZE: &str = "maximum size";

impl Opening<'_> {
    /// Opens a connection over HTTP.
    pub(crate) async fn over_http(
        self,
        pool: &reqwest::Client,
        address: &Address,
        max_parallel: usize,
        tokens: Option<Arc<Tokens>>,
    ) -> Result<Link, Failure> {
        let host = address.url.host_str().unwrap_or_default().to_owned();
        let port = address.url.port_or_known_default().unwrap_or_default();
        let config = transport_config(address, max_parallel, self.max_message);
        let client = Client {
            inner: pool.clone(),
            challenge: tokens.as_ref().map(|tokens| tokens.challenge()),
        };
        let Some(tokens) = tokens else {
            let transport = StreamableHttpClientTransport::with_client(client, config);
            return self.over(transport, Some((host, port))).await;
        };
        let client = tokens.authorized(client).await;
        let client = client.map_err(|error| Failure::Unreachable(error.to_string()))?;
        let transport = StreamableHttpClientTransport::with_client(client, config);
        self.over(transport, Some((host, port))).await
    }
}

fn transport_config(
    address: &Address,
    max_parallel: usize,
    max_message: usize,
) -> StreamableHttpClientTransportConfig {
    let headers = address.headers.iter();
    let headers = headers.map(|(name, value)| (name.clone(), value.clone()));
    let mut config = StreamableHttpClientTransportConfig::with_uri(address.url.as_str())
        .max_concurrent_requests(max_parallel.saturating_add(SPARE_REQUESTS))
        .custom_headers(headers.collect())
        .max_json_response_size(max_message)
        .max_sse_event_size(max_message)
        .max_error_response_size(MAX_ERROR_PAGE);
    let mut backoff = ExponentialBackoff::default();
    backoff.max_times = Some(MAX_RESUMES);
    backoff.base_duration = RESUME_DELAY;
    backoff.max_delay = Some(MAX_RESUME_DELAY);
    config.retry_config = Arc::new(backoff);
    config
}

/// HTTP client of one server. It keeps the challenge of a rejected request for the next login, and stops a call whose
/// response is too large; rmcp would wait for its timeout.
#[derive(Clone)]
struct Client {
    inner: reqwest::Client,
    challenge: Option<Challenge>,
}

type Headers = HashMap<HeaderName, HeaderValue>;
type Error = StreamableHttpError<reqwest::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

impl StreamableHttpClient for Client {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Error> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, token, headers, limits)
            .await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Error> {
        let id = match &message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let has_session = session.is_some();
        let response = self
            .inner
            .post_message_with_response_limits(uri, message, session, token, headers, limits)
            .await;
        let challenge = response.as_ref().err().and_then(Error::auth_challenge);
        if let (Some(kept), Some(challenge)) = (&self.challenge, challenge) {
            let mut kept = locked(kept);
            *kept = Some(challenge.to_owned());
        }
        if has_session && is_unread(&response) {
            // As for the status 404: rmcp opens one new session, and repeats the rejected request once.
            return Err(StreamableHttpError::SessionExpired);
        }
        Ok(match (response?, id) {
            (StreamableHttpPostResponse::Sse(events, session), Some(id)) => {
                let events = events.map(move |event| limited(event, &id)).boxed();
                StreamableHttpPostResponse::Sse(events, session)
            }
            (StreamableHttpPostResponse::Json(message, session), Some(id)) => {
                StreamableHttpPostResponse::Json(response_to(&id, message), session)
            }
            (response, _) => response,
        })
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), Error> {
        self.inner
            .delete_session(uri, session, token, headers)
            .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Events, Error> {
        self.inner
            .get_stream(uri, session, last_event, token, headers)
            .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
        limit: usize,
    ) -> Result<Events, Error> {
        let events = self
            .inner
            .get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, limit)
            .await?;
        Ok(events.map(|event| event.map(exact)).boxed())
    }
}

/// Returns whether the server rejected a request that it has not read: the error has no id, or its own. Many servers
/// do so if they do not know the session.
fn is_unread(response: &Result<StreamableHttpPostResponse, Error>) -> bool {
    match response {
        Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), _)) => {
            !matches!(&error.id, Some(RequestId::Number(_)))
        }
        Err(StreamableHttpError::UnexpectedServerResponse(text)) => text.starts_with("HTTP 400"),
        _ => false,
    }
}

/// Returns a message as the response to a request. A body that is one message responds to the request that was posted,
/// and calls with another id would wait for their timeout.
fn response_to(id: &RequestId, message: ServerJsonRpcMessage) -> ServerJsonRpcMessage {
    match message {
        JsonRpcMessage::Error(error) => ServerJsonRpcMessage::error(error.error, Some(id.clone())),
        JsonRpcMessage::Response(response) if response.id.to_string() != id.to_string() => {
            unread(UNREADABLE, id.clone())
        }
        message => message,
    }
}

/// Returns an event of the response to a request. One that is too large becomes an error of the request; rmcp would close the
/// stream without a reason.
fn limited(event: Result<Sse, SseError>, id: &RequestId) -> Result<Sse, SseError> {
    match event {
        Err(SseError::Body(error)) if error.to_string().contains(SIZE) => {
            // Serialization of these types cannot fail.
            let data = serde_json::to_string(&unread(TOO_LARGE, id.clone()));
            Ok(Sse::default().data(data.unwrap_or_default()))
        }
        event => event.map(exact),
    }
}

/// Returns an event with its wide numbers as text, which rmcp would round, and U+FFFD for what is no Unicode, with which rmcp
/// would skip it.
fn exact(mut event: Sse) -> Sse {
    for change in [wide_numbers::quote, surrogates::replace] {
        let data = event.data.as_deref().unwrap_or_default();
        if let Some((changed, _)) = change(data.as_bytes()) {
            event.data = String::from_utf8(changed).ok();
        }
    }
    event
}

/// Creates a client with pooled connections, for all servers.
///
/// # Errors
/// Returns the reason if TLS cannot be initialized.
pub(crate) fn http_pool() -> Result<reqwest::Client, String> {
    let client = reqwest::Client::builder()
        .redirect(Policy::custom(redirect))
        .connect_timeout(CONNECT_LIMIT)
        .pool_idle_timeout(IDLE_LIMIT)
        .tcp_nodelay(true)
        .user_agent(concat!("toolwright/", env!("CARGO_PKG_VERSION")));
    client.build().map_err(|error| error.to_string())
}

/// Follows redirects that keep the method, to the same origin only: headers may hold secrets.
fn redirect(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let first = attempt.previous().first();
    let keeps_origin = first.is_some_and(|first| first.origin() == attempt.url().origin());
    let keeps_method = matches!(attempt.status().as_u16(), 307 | 308);
    if keeps_origin && keeps_method && attempt.previous().len() <= MAX_REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}
