//! Admission of requests, in the order of the steps: path, credentials, place, body. The endpoint then checks host and origin.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body::{Body, Frame, SizeHint};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};
use tool_core::CancellationToken;
use tower_service::Service;

use super::pages::{self, Page};
use super::{AuthenticationError, HttpOptions};
use crate::server::ClientIdentity;
use crate::wire::handler::{Endpoint, SESSION};
use crate::{McpServer, locked};

/// Content type of text.
const PLAIN: &str = "text/plain; charset=utf-8";

/// Path of the endpoint.
const MCP: &str = "/mcp";

/// Path of the metadata for clients that must log in. Clients may append the path of the endpoint.
const METADATA: &str = "/.well-known/oauth-protected-resource";

/// Maximum time in which a request must arrive.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum number of failed authentications of an address in a window, and of remembered addresses.
const MAX_FAILURES: u32 = 10;
const FAILURE_WINDOW: Duration = Duration::from_mins(1);
const MAX_ADDRESSES: usize = 10_000;

/// Address of the client, as set by the accepting loop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) SocketAddr);

/// Service of an MCP server for hyper, axum and other servers based on `tower_service`. The endpoint is `/mcp`;
/// `/healthz` and `/readyz` return 200 without a body.
///
/// Requests in excess of the limits are rejected. A request is cancelled if its response is dropped. Clones share
/// their state.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_mcp::McpServer;
/// use tool_mcp::server::HttpOptions;
///
/// let service = McpServer::new(Registry::new()).into_service(HttpOptions::default());
/// assert!(service.is_ok());
/// ```
#[derive(Clone)]
pub struct HttpService(Arc<Inner>);

struct Inner {
    endpoint: Endpoint,
    options: HttpOptions,
    /// Failed authentications by address: begin of the window, and number.
    failures: Mutex<HashMap<IpAddr, (Instant, u32)>>,
    /// Subjects that opened sessions, so that no other client uses them.
    owners: Mutex<HashMap<String, String>>,
    calls: Arc<Semaphore>,
    streams: Arc<Semaphore>,
    stopping: CancellationToken,
}

impl HttpService {
    pub(super) fn new(
        server: McpServer,
        options: HttpOptions,
        stopping: &CancellationToken,
        ended: &CancellationToken,
    ) -> Self {
        Self(Arc::new(Inner {
            endpoint: Endpoint::new(server, &options, stopping, ended),
            failures: Mutex::default(),
            owners: Mutex::default(),
            calls: places(options.max_calls),
            streams: places(options.max_connections),
            stopping: stopping.clone(),
            options,
        }))
    }

    async fn respond<B>(&self, request: Request<B>) -> Response<HttpBody>
    where
        B: Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let page = Page::of(request.headers(), &self.0.options);
        if let Some(page) = &page
            && request.method() == Method::OPTIONS
        {
            let mut response = response(StatusCode::NO_CONTENT, PLAIN, String::new());
            page.answer(request.headers(), response.headers_mut());
            return response;
        }
        let path = request.uri().path();
        let response = match path {
            "/healthz" => Ok(response(StatusCode::OK, PLAIN, String::new())),
            "/readyz" => Ok(self.0.readiness()),
            MCP => self.0.serve(request).await,
            _ if path
                .strip_prefix(METADATA)
                .is_some_and(|rest| rest.is_empty() || rest == MCP) =>
            {
                self.0.metadata()
            }
            _ => Err(not_found()),
        };
        let mut response = response.unwrap_or_else(Rejection::into_response);
        if let Some(page) = page {
            page.allow(response.headers_mut());
        }
        response
    }
}

impl Inner {
    fn readiness(&self) -> Response<HttpBody> {
        let is_ready = !self.stopping.is_cancelled();
        let status = if is_ready {
            StatusCode::OK
        } else {
            StatusCode::SERVICE_UNAVAILABLE
        };
        response(status, PLAIN, String::new())
    }

    fn metadata(&self) -> Result<Response<HttpBody>, Rejection> {
        let document = self.options.metadata.as_ref().ok_or_else(not_found)?;
        Ok(response(
            StatusCode::OK,
            "application/json",
            document.to_string(),
        ))
    }

    async fn serve<B>(&self, request: Request<B>) -> Result<Response<HttpBody>, Rejection>
    where
        B: Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (mut parts, body) = request.into_parts();
        if !is_method(&parts.method, self.options.sessions) {
            let text = "the method is not allowed";
            return Err(Rejection::new(StatusCode::METHOD_NOT_ALLOWED, text).with(ALLOW, "POST"));
        }
        // Before a place is taken and the body is read, so that strangers cannot use up either.
        let identity = self.authenticate(&parts).await?;
        let session = session_of(&parts);
        if let Some(session) = &session {
            self.check_owner(session, &identity)?;
        }
        let permit = self.place(&parts)?;
        let body = read(body, self.options.max_body).await?;
        pages::complete_accept(&mut parts.headers);
        parts.extensions.insert(identity.clone());
        let response = self.endpoint.handle(parts, body).await;
        if session.is_none() {
            self.add_owner(&response, &identity).await;
        }
        let mut response = response.map(|body| HttpBody::holding(permit, body));
        // A response belongs to one client, so a proxy must not keep it.
        let no_store = HeaderValue::from_static("no-store");
        response
            .headers_mut()
            .entry(CACHE_CONTROL)
            .or_insert(no_store);
        Ok(response)
    }

    async fn authenticate(&self, parts: &Parts) -> Result<ClientIdentity, Rejection> {
        let Some(authenticate) = &self.options.authenticate else {
            return Ok(ClientIdentity::anonymous());
        };
        let checked = authenticate.authenticate(parts).await;
        checked.map_err(|error| self.rejected(&error, parts))
    }

    fn rejected(&self, error: &AuthenticationError, parts: &Parts) -> Rejection {
        let details = match error {
            AuthenticationError::Missing => String::new(),
            AuthenticationError::Invalid if self.fails_too_often(parts) => {
                let text = "too many failed authentications; try again later";
                return Rejection::new(StatusCode::TOO_MANY_REQUESTS, text).with(RETRY_AFTER, "60");
            }
            AuthenticationError::Invalid => " error=\"invalid_token\"".to_owned(),
            AuthenticationError::InsufficientScope { scope } => {
                let details = format!(" error=\"insufficient_scope\", scope=\"{scope}\"");
                let text = "the token does not include a required scope";
                return Rejection::new(StatusCode::FORBIDDEN, text)
                    .with(WWW_AUTHENTICATE, self.challenge(&details));
            }
            AuthenticationError::Unavailable(source) => {
                tracing::warn!(%source, "credentials could not be checked");
                let text = "the credentials cannot be checked; try again later";
                return Rejection::new(StatusCode::SERVICE_UNAVAILABLE, text)
                    .with(RETRY_AFTER, "1");
            }
        };
        let text = "the request requires a valid bearer token";
        let rejection = Rejection::new(StatusCode::UNAUTHORIZED, text);
        rejection.with(WWW_AUTHENTICATE, self.challenge(&details))
    }

    /// Counts a failed authentication. Returns `true` if the address has failed too often. A right token always passes,
    /// because all clients behind a proxy have the same address.
    fn fails_too_often(&self, parts: &Parts) -> bool {
        let Some(Peer(address)) = parts.extensions.get() else {
            return false;
        };
        let address = address.ip();
        let mut failures = locked(&self.failures);
        if failures.len() >= MAX_ADDRESSES {
            failures.retain(|_, (since, _)| since.elapsed() < FAILURE_WINDOW);
        }
        // Without room for another address, only the known ones are counted.
        if failures.len() >= MAX_ADDRESSES && !failures.contains_key(&address) {
            return false;
        }
        let (since, count) = failures.entry(address).or_insert((Instant::now(), 0));
        if since.elapsed() >= FAILURE_WINDOW {
            (*since, *count) = (Instant::now(), 0);
        }
        *count += 1;
        *count > MAX_FAILURES
    }

    /// Returns the value of the header `WWW-Authenticate`.
    fn challenge(&self, details: &str) -> String {
        let Some(metadata) = &self.options.metadata else {
            return format!("Bearer{details}");
        };
        let resource = metadata.get("resource").and_then(Value::as_str);
        let origin = origin_of(resource.unwrap_or_default());
        let comma = if details.is_empty() { "" } else { "," };
        format!("Bearer{details}{comma} resource_metadata=\"{origin}{METADATA}{MCP}\"")
    }

    /// Rejects a session of another client.
    fn check_owner(&self, session: &str, identity: &ClientIdentity) -> Result<(), Rejection> {
        let owners = locked(&self.owners);
        let is_shared = self.options.authenticate.is_none();
        let is_allowed = is_shared || owners.get(session) == Some(&identity.subject);
        is_allowed.then_some(()).ok_or_else(|| {
            let text = "the session is unknown or has ended; initialize again";
            Rejection::new(StatusCode::NOT_FOUND, text)
        })
    }

    /// Remembers the owner of a session that the response opens, and forgets closed sessions.
    async fn add_owner<B>(&self, response: &Response<B>, identity: &ClientIdentity) {
        let opened = response.headers().get(SESSION);
        let Some(Ok(session)) = opened.map(HeaderValue::to_str) else {
            return;
        };
        let open = self.endpoint.sessions().await;
        let mut owners = locked(&self.owners);
        owners.retain(|session, _| open.contains(session));
        owners.insert(session.to_owned(), identity.subject.clone());
    }

    /// Returns the place of a request. Streams that stay open have their own places.
    fn place(&self, parts: &Parts) -> Result<OwnedSemaphorePermit, Rejection> {
        let method = parts.headers.get("mcp-method").map(HeaderValue::as_bytes);
        let is_stream = parts.method == Method::GET || method == Some(b"subscriptions/listen");
        let (places, limit) = if is_stream {
            (&self.streams, self.options.max_connections)
        } else {
            (&self.calls, self.options.max_calls)
        };
        let place = Arc::clone(places).try_acquire_owned();
        place.map_err(|_| {
            let text = format!("{limit} requests are running, which is the limit");
            Rejection::new(StatusCode::SERVICE_UNAVAILABLE, text).with(RETRY_AFTER, "1")
        })
    }
}

/// Returns the places of `most` requests or connections.
pub(super) fn places(most: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)))
}

/// Reads the body of a request.
async fn read<B>(body: B, limit: usize) -> Result<Bytes, Rejection>
where
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    // The rest of the request is not read.
    let too_large = || {
        let text = format!("the request exceeds {limit} bytes");
        Rejection::new(StatusCode::PAYLOAD_TOO_LARGE, text).with(CONNECTION, "close")
    };
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large());
    }
    match timeout(READ_TIMEOUT, Limited::new(body, limit).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => {
            let text = "the request is incomplete";
            Err(Rejection::new(StatusCode::BAD_REQUEST, text))
        }
        Err(_) => {
            let text = "the request was not received in time";
            Err(Rejection::new(StatusCode::REQUEST_TIMEOUT, text).with(CONNECTION, "close"))
        }
    }
}

/// Response to a request that is not served.
struct Rejection {
    status: StatusCode,
    text: String,
    header: Option<(HeaderName, String)>,
}

impl Rejection {
    fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self {
            status,
            text: text.into(),
            header: None,
        }
    }

    fn with(mut self, name: HeaderName, value: impl Into<String>) -> Self {
        self.header = Some((name, value.into()));
        self
    }

    fn into_response(self) -> Response<HttpBody> {
        let mut response = response(self.status, PLAIN, self.text);
        if let Some((name, value)) = self.header
            && let Ok(value) = value.parse()
        {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

fn response(status: StatusCode, kind: &'static str, text: String) -> Response<HttpBody> {
    let mut response = Response::new(HttpBody::text(text));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

fn not_found() -> Rejection {
    Rejection::new(StatusCode::NOT_FOUND, "not found; the endpoint is /mcp")
}

fn is_method(method: &Method, with_sessions: bool) -> bool {
    method == Method::POST || (with_sessions && (method == Method::GET || method == Method::DELETE))
}

fn session_of(parts: &Parts) -> Option<String> {
    let session = parts.headers.get(SESSION)?;
    Some(String::from_utf8_lossy(session.as_bytes()).into_owned())
}

/// Returns scheme, host and port of a URL.
fn origin_of(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url.get(start..).and_then(|rest| rest.find('/'));
    url.get(..end.map_or(url.len(), |end| start + end))
        .unwrap_or(url)
}

impl<B> Service<Request<B>> for HttpService
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<HttpBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.respond(request).await) })
    }
}

opaque_debug!(HttpService);

/// Body of a response.
pub struct HttpBody {
    body: BoxBody<Bytes, Infallible>,
    /// Place of the request, which is free when the response was sent.
    _permit: Option<OwnedSemaphorePermit>,
}

impl HttpBody {
    fn holding(permit: OwnedSemaphorePermit, body: BoxBody<Bytes, Infallible>) -> Self {
        Self {
            body,
            _permit: Some(permit),
        }
    }

    fn text(text: impl Into<Bytes>) -> Self {
        Self {
            body: Full::new(text.into()).boxed(),
            _permit: None,
        }
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

opaque_debug!(HttpBody);
