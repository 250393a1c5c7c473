//! Admission of requests, in the order of the steps: path, address, credentials, place, body.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::Full;
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tool_core::CancellationToken;
use tower_service::Service;

use super::addresses::Addresses;
use super::body::HttpBody;
use super::failures::Failures;
use super::rejection::Rejection;
use super::request_body::read;
use super::sessions::Owners;
use super::{AuthenticationError, HttpOptions, ResourceMetadata};
use crate::server::{ClientIdentity, McpServer};
use crate::wire::host::{Endpoint, SESSION};

/// Path of the endpoint.
const MCP: &str = "/mcp";

/// Path of the metadata for clients that must log in. Clients may append the path of the endpoint.
const METADATA: &str = "/.well-known/oauth-protected-resource";

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
    addresses: Addresses,
    options: HttpOptions,
    failures: Failures,
    owners: Owners,
    calls: Arc<Semaphore>,
    streams: Arc<Semaphore>,
    stopping: CancellationToken,
}

impl HttpService {
    pub(super) fn new(
        server: McpServer,
        options: HttpOptions,
        addresses: Addresses,
        stopping: &CancellationToken,
        ended: &CancellationToken,
    ) -> Self {
        Self(Arc::new(Inner {
            endpoint: Endpoint::new(server, options.sessions, stopping, ended),
            addresses,
            failures: Failures::default(),
            owners: Owners::default(),
            calls: Arc::new(Semaphore::new(
                options.max_calls.min(Semaphore::MAX_PERMITS),
            )),
            streams: Arc::new(Semaphore::new(
                options.max_connections.min(Semaphore::MAX_PERMITS),
            )),
            stopping: stopping.clone(),
            options,
        }))
    }

    async fn respond<B>(&self, request: Request<B>) -> Response<HttpBody>
    where
        B: Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let path = request.uri().path();
        let response = match path {
            "/healthz" => Ok(Response::new(HttpBody::text(""))),
            "/readyz" => Ok(self.0.readiness()),
            MCP => self.0.serve(request).await,
            _ if path
                .strip_prefix(METADATA)
                .is_some_and(|rest| rest.is_empty() || rest == MCP) =>
            {
                self.0.metadata()
            }
            _ => Err(Rejection::NotFound),
        };
        response.unwrap_or_else(Rejection::into_response)
    }
}

impl Inner {
    fn readiness(&self) -> Response<HttpBody> {
        let mut response = Response::new(HttpBody::text(""));
        if self.stopping.is_cancelled() {
            *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        }
        response
    }

    fn metadata(&self) -> Result<Response<HttpBody>, Rejection> {
        let ResourceMetadata {
            resource,
            authorization_servers,
            scopes,
        } = self.options.metadata.as_ref().ok_or(Rejection::NotFound)?;
        let document = json!({
            "resource": resource,
            "authorization_servers": authorization_servers,
            "scopes_supported": scopes,
            "bearer_methods_supported": ["header"],
        });
        let mut response = Response::new(HttpBody::text(document.to_string()));
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(CONTENT_TYPE, json);
        Ok(response)
    }

    async fn serve<B>(&self, request: Request<B>) -> Result<Response<HttpBody>, Rejection>
    where
        B: Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (mut parts, body) = request.into_parts();
        self.addresses.check(&parts).map_err(Rejection::Foreign)?;
        if !is_method(&parts.method, self.options.sessions) {
            return Err(Rejection::Method);
        }
        let identity = self.authenticate(&parts).await?;
        let session = session_of(&parts);
        if let Some(session) = &session {
            self.check_owner(session, &identity)?;
        }
        let permit = self.place(&parts)?;
        let body = read(body, self.options.max_body).await?;
        parts.extensions.insert(identity.clone());
        let request = Request::from_parts(parts, Full::new(body));
        let response = self.endpoint.handle(request).await;
        if session.is_none() {
            self.add_owner(&response, &identity).await;
        }
        let mut response = response.map(|body| HttpBody::new(body, Some(permit)));
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
        let address = parts.extensions.get::<Peer>().map(|peer| peer.0.ip());
        if address.is_some_and(|address| self.failures.is_blocked(address)) {
            return Err(Rejection::TooManyFailures);
        }
        let checked = authenticate.authenticate(parts).await;
        checked.map_err(|error| self.rejected(&error, address))
    }

    fn rejected(&self, error: &AuthenticationError, address: Option<IpAddr>) -> Rejection {
        let details = match error {
            AuthenticationError::Missing => String::new(),
            AuthenticationError::Invalid => {
                if let Some(address) = address {
                    self.failures.count(address);
                }
                " error=\"invalid_token\"".to_owned()
            }
            AuthenticationError::InsufficientScope { scope } => {
                let challenge =
                    self.challenge(&format!(" error=\"insufficient_scope\", scope=\"{scope}\""));
                return Rejection::Forbidden { challenge };
            }
            AuthenticationError::Unavailable(source) => {
                tracing::warn!(%source, "credentials could not be checked");
                return Rejection::Unchecked;
            }
        };
        let challenge = self.challenge(&details);
        Rejection::Unauthorized { challenge }
    }

    /// Returns the value of the header `WWW-Authenticate`.
    fn challenge(&self, details: &str) -> String {
        let Some(metadata) = &self.options.metadata else {
            return format!("Bearer{details}");
        };
        let origin = origin_of(&metadata.resource);
        let comma = if details.is_empty() { "" } else { "," };
        format!("Bearer{details}{comma} resource_metadata=\"{origin}{METADATA}{MCP}\"")
    }

    /// Rejects a session of another client.
    fn check_owner(&self, session: &str, identity: &ClientIdentity) -> Result<(), Rejection> {
        let is_shared = self.options.authenticate.is_none();
        let is_allowed = is_shared || self.owners.is_owner(session, &identity.subject);
        is_allowed.then_some(()).ok_or(Rejection::NotFound)
    }

    /// Remembers the owner of a session that the response opens.
    async fn add_owner<B>(&self, response: &Response<B>, identity: &ClientIdentity) {
        let opened = response.headers().get(SESSION);
        let Some(Ok(session)) = opened.map(HeaderValue::to_str) else {
            return;
        };
        for known in self.owners.excess() {
            if !self.endpoint.has_session(&known).await {
                self.owners.remove(&known);
            }
        }
        self.owners.add(session, &identity.subject);
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
        place.map_err(|_| Rejection::Busy { limit })
    }
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

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService")
            .field("options", &self.0.options)
            .finish_non_exhaustive()
    }
}
