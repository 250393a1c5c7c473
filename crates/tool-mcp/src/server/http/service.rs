//! Admission of requests, in the order of the steps: origin, path, credentials, place, body. The endpoint then checks the host.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, ORIGIN, RETRY_AFTER, WWW_AUTHENTICATE,
};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tool_core::CancellationToken;
use tower_service::Service;

use super::response::{HttpBody, PLAIN, Rejection, response};
use super::{AuthenticationError, HttpOptions, allow_page, answer_page, complete_accept};
use crate::McpServer;
use crate::server::ClientIdentity;
use crate::wire::handler::Endpoint;

/// Path of the endpoint.
const MCP: &str = "/mcp";

/// Path of the metadata for clients that must log in. Clients may append the path of the endpoint.
const METADATA: &str = "/.well-known/oauth-protected-resource";

/// Maximum time in which a request must arrive.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

type RequestBody = UnsyncBoxBody<Bytes, io::Error>;

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
    calls: Arc<Semaphore>,
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
            calls: places(options.max_calls),
            stopping: stopping.clone(),
            options,
        }))
    }

    async fn respond(&self, request: Request<RequestBody>) -> Response<HttpBody> {
        let origin = request.headers().get(ORIGIN).cloned();
        let options = &self.0.options;
        let is_allowed = |origin: &HeaderValue| {
            origin
                .to_str()
                .is_ok_and(|text| options.allows_origin(text))
        };
        let mut response = match &origin {
            Some(origin) if !is_allowed(origin) => {
                return Rejection::new(StatusCode::FORBIDDEN, "the origin is not allowed")
                    .into_response();
            }
            Some(_) if request.method() == Method::OPTIONS => {
                let mut response = response(StatusCode::NO_CONTENT, PLAIN, String::new());
                answer_page(request.headers(), response.headers_mut());
                response
            }
            _ => self
                .route(request)
                .await
                .unwrap_or_else(Rejection::into_response),
        };
        if let Some(origin) = origin {
            allow_page(origin, response.headers_mut());
        }
        response
    }

    async fn route(&self, request: Request<RequestBody>) -> Result<Response<HttpBody>, Rejection> {
        let path = request.uri().path();
        match path {
            "/readyz" if self.0.stopping.is_cancelled() => {
                Err(Rejection::new(StatusCode::SERVICE_UNAVAILABLE, ""))
            }
            "/healthz" | "/readyz" => Ok(response(StatusCode::OK, PLAIN, String::new())),
            MCP => self.0.serve(request).await,
            _ if path
                .strip_prefix(METADATA)
                .is_some_and(|rest| rest.is_empty() || rest == MCP) =>
            {
                let document = self.0.options.metadata.as_ref().ok_or_else(not_found)?;
                let document = document.to_string();
                Ok(response(StatusCode::OK, "application/json", document))
            }
            _ => Err(not_found()),
        }
    }
}

impl Inner {
    async fn serve(&self, request: Request<RequestBody>) -> Result<Response<HttpBody>, Rejection> {
        let (mut parts, body) = request.into_parts();
        // Before a place is taken and the body is read, so that strangers cannot use up either.
        let identity = self.authenticate(&parts).await?;
        let permit = self.place(&parts)?;
        let body = read(body, self.options.max_body).await?;
        complete_accept(&mut parts.headers);
        let subject = identity.subject.clone();
        parts.extensions.insert(identity);
        let response = self.endpoint.handle(parts, body, &subject).await?;
        let mut response = holding(permit, response);
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
            return Ok(ClientIdentity::new("anonymous"));
        };
        let checked = authenticate.authenticate(parts).await;
        checked.map_err(|error| self.rejected(&error))
    }

    fn rejected(&self, error: &AuthenticationError) -> Rejection {
        let (status, text, details) = match error {
            AuthenticationError::Unavailable(source) => {
                tracing::warn!(%source, "credentials could not be checked");
                let text = "the credentials cannot be checked; try again later";
                return Rejection::new(StatusCode::SERVICE_UNAVAILABLE, text)
                    .with(RETRY_AFTER, "1");
            }
            AuthenticationError::InsufficientScope { scope } => (
                StatusCode::FORBIDDEN,
                "the token does not include a required scope",
                format!(" error=\"insufficient_scope\", scope=\"{scope}\""),
            ),
            AuthenticationError::Missing | AuthenticationError::Invalid => {
                let is_invalid = matches!(error, AuthenticationError::Invalid);
                let details = if is_invalid {
                    " error=\"invalid_token\""
                } else {
                    ""
                };
                let text = "the request requires a valid bearer token";
                (StatusCode::UNAUTHORIZED, text, details.to_owned())
            }
        };
        Rejection::new(status, text).with(WWW_AUTHENTICATE, &self.challenge(&details))
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

    /// Returns the place of a request. Streams that stay open need none: each has a connection.
    fn place(&self, parts: &Parts) -> Result<Option<OwnedSemaphorePermit>, Rejection> {
        let method = parts.headers.get("mcp-method").map(HeaderValue::as_bytes);
        if parts.method == Method::GET || method == Some(b"subscriptions/listen") {
            return Ok(None);
        }
        let place = Arc::clone(&self.calls).try_acquire_owned();
        place.map(Some).map_err(|_| {
            let limit = self.options.max_calls;
            let text = format!("{limit} requests are running, which is the limit");
            Rejection::new(StatusCode::SERVICE_UNAVAILABLE, text).with(RETRY_AFTER, "1")
        })
    }
}

/// Keeps the place of a request until its response was sent.
fn holding(
    permit: Option<OwnedSemaphorePermit>,
    mut response: Response<HttpBody>,
) -> Response<HttpBody> {
    // The body does not tell its size any more.
    if let Some(size) = response.body().size_hint().exact() {
        let headers = response.headers_mut();
        headers.insert(CONTENT_LENGTH, HeaderValue::from(size));
    }
    response.map(|body| {
        let body = body.map_frame(move |frame| {
            let _held = &permit;
            frame
        });
        body.boxed()
    })
}

/// Returns the places of `most` requests or connections.
pub(super) fn places(most: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)))
}

/// Reads the body of a request.
async fn read(body: RequestBody, limit: usize) -> Result<Bytes, Rejection> {
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

fn not_found() -> Rejection {
    Rejection::new(StatusCode::NOT_FOUND, "not found; the endpoint is /mcp")
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
    B: Body<Data = Bytes> + Send + 'static,
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
        let request = request.map(|body| body.map_err(io::Error::other).boxed_unsync());
        Box::pin(async move { Ok(service.respond(request).await) })
    }
}

tool_core::debug_fields!(HttpService);
