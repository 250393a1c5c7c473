//! Transport to a remote server: streamable HTTP.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use futures_core::stream::BoxStream;
use http::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::{Attempt, Policy};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransport,
    StreamableHttpClientTransportConfig, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::Sse;
use url::{Host, Url};

use super::failure::{Failure, TOO_LARGE, UNREADABLE};
use super::lines::{id_of, unread};
use super::link::{Link, Opening};
use super::login::{Challenge, Tokens};
use super::unicode::as_unicode;
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

/// Words with which servers say that they do not know a session.
const LOST: &str =
    "valid unknown found expired terminated missing required closed initialized exist";

/// Part of the message of an error about the size of an event.
const SIZE: &str = "maximum size";

/// Address of a server and headers of its requests.
pub(crate) struct HttpTarget {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) max_parallel: usize,
    pub(crate) tokens: Option<Arc<Tokens>>,
}

impl Opening<'_> {
    /// Opens a connection over HTTP.
    pub(crate) async fn over_http(
        self,
        pool: &HttpPool,
        target: HttpTarget,
    ) -> Result<Link, Failure> {
        let host = target.url.host_str().unwrap_or_default().to_owned();
        let port = target.url.port_or_known_default().unwrap_or_default();
        let config = transport_config(&target, self.max_message);
        let client = Client {
            inner: pool.client(&target.url),
            challenge: target.tokens.as_ref().map(|tokens| tokens.challenge()),
        };
        let Some(tokens) = &target.tokens else {
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
    target: &HttpTarget,
    max_message: usize,
) -> StreamableHttpClientTransportConfig {
    let headers = target.headers.iter();
    let headers = headers.map(|(name, value)| (name.clone(), value.clone()));
    let mut config = StreamableHttpClientTransportConfig::with_uri(target.url.as_str())
        .max_concurrent_requests(target.max_parallel.saturating_add(SPARE_REQUESTS))
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

/// HTTP client of one server. It keeps the challenge of a rejected request for the next login, and ends a call whose
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
        if has_session && is_session_lost(&response) {
            // As for the status 404: rmcp opens one new session, and repeats the rejected request once.
            return Err(StreamableHttpError::SessionExpired);
        }
        Ok(match (response?, id) {
            (StreamableHttpPostResponse::Sse(events, session), Some(id)) => {
                StreamableHttpPostResponse::Sse(Box::pin(ReadableEvents { events, id }), session)
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
        self.inner
            .get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, limit)
            .await
    }
}

/// Returns whether the server rejected a request because it does not know the session. Some use other statuses than 404,
/// and then the error has no id, or one of its own, because the server has not read the request.
fn is_session_lost(response: &Result<StreamableHttpPostResponse, Error>) -> bool {
    let text = match response {
        Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), _)) => {
            let is_read = matches!(&error.id, Some(RequestId::Number(_)));
            if is_read { "" } else { &error.error.message }
        }
        Err(StreamableHttpError::UnexpectedServerResponse(text)) if text.starts_with("HTTP 4") => {
            text
        }
        _ => "",
    };
    let text = text.to_ascii_lowercase();
    let mut words = LOST.split(' ');
    text.contains("session") && words.any(|word| text.contains(word))
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

/// Events of the response to a request. What rmcp would skip becomes an error of the request: events that are too large,
/// or cannot be read.
struct ReadableEvents {
    events: Events,
    id: RequestId,
}

impl ReadableEvents {
    fn readable(&self, mut event: Sse) -> Sse {
        let Some(data) = &event.data else {
            return event;
        };
        let text = as_unicode(data.as_bytes());
        match serde_json::from_str(&text) {
            Ok(ServerJsonRpcMessage::Error(error)) => {
                let error = ServerJsonRpcMessage::error(error.error, Some(self.id.clone()));
                return sse_of(&error);
            }
            Err(_) if id_of(text.as_bytes(), text.as_bytes()).is_some() => {
                return sse_of(&unread(UNREADABLE, self.id.clone()));
            }
            // Another message, or none.
            Ok(_) | Err(_) => {}
        }
        event.data = Some(text.into_owned());
        event
    }
}

impl Stream for ReadableEvents {
    type Item = Result<Sse, SseError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.events.as_mut().poll_next(cx);
        polled.map(|event| {
            Some(match event? {
                Ok(event) => Ok(self.readable(event)),
                Err(SseError::Body(error)) if error.to_string().contains(SIZE) => {
                    Ok(sse_of(&unread(TOO_LARGE, self.id.clone())))
                }
                Err(SseError::Utf8Parse(_)) => Ok(sse_of(&unread(UNREADABLE, self.id.clone()))),
                Err(error) => Err(error),
            })
        })
    }
}

fn sse_of(message: &ServerJsonRpcMessage) -> Sse {
    // Serialization of these types cannot fail.
    let data = serde_json::to_string(message).ok();
    Sse {
        data,
        ..Sse::default()
    }
}

/// Client with pooled connections, shared by all servers.
#[derive(Clone, Debug)]
pub(crate) struct HttpPool {
    client: reqwest::Client,
    /// Client without a proxy, for servers of this machine.
    local: reqwest::Client,
}

impl HttpPool {
    /// Creates a client.
    ///
    /// # Errors
    /// Returns the reason if TLS cannot be initialized.
    pub(crate) fn new() -> Result<Self, String> {
        let builder = || {
            reqwest::Client::builder()
                .redirect(Policy::custom(redirect))
                .connect_timeout(CONNECT_LIMIT)
                .pool_idle_timeout(IDLE_LIMIT)
                .tcp_nodelay(true)
                .user_agent(concat!("toolwright/", env!("CARGO_PKG_VERSION")))
        };
        let build = |builder: reqwest::ClientBuilder| {
            let client = builder.build();
            client.map_err(|error| error.to_string())
        };
        Ok(Self {
            client: build(builder())?,
            local: build(builder().no_proxy())?,
        })
    }

    fn client(&self, url: &Url) -> reqwest::Client {
        if is_local(url) {
            self.local.clone()
        } else {
            self.client.clone()
        }
    }
}

/// Returns `true` for servers of this machine.
fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_of_this_machine_use_no_proxy() {
        for (url, expected) in [
            ("http://localhost:8080/mcp", true),
            ("http://mcp.localhost/mcp", true),
            ("http://127.0.0.1:1/", true),
            ("http://127.9.9.9/", true),
            ("http://[::1]/", true),
            ("http://10.0.0.1/", false),
            ("https://localhost.example.com/", false),
            ("https://notlocalhost/", false),
        ] {
            assert_eq!(is_local(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }
}
