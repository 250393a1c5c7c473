//! Service over streamable HTTP.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use rmcp::model::{ProtocolVersion, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tool_core::CancellationToken;
use tool_json::wide_numbers;

use super::{RegistryHandler, Shared, incoming};
use crate::McpServer;
use crate::server::{HttpBody, HttpOptions, Rejection, response};

/// Maximum number of open sessions.
const MAX_SESSIONS: usize = 1_000;

/// Time after which the client of a session must initialize again.
const SESSION_TTL: Duration = Duration::from_hours(24 * 365);

/// Header with the id of a session.
const SESSION: &str = "mcp-session-id";

/// Endpoint for requests whose clients are authenticated. Checks their hosts.
pub(crate) struct Endpoint {
    service: StreamableHttpService<RegistryHandler, LocalSessionManager>,
    shared: Arc<Shared>,
    /// Sessions, if clients of older revisions get any.
    sessions: Option<Arc<LocalSessionManager>>,
}

impl Endpoint {
    /// Creates an endpoint. Subscriptions end with `stopping`, and calls with `ended`.
    pub(crate) fn new(
        server: McpServer,
        options: &HttpOptions,
        stopping: &CancellationToken,
        ended: &CancellationToken,
    ) -> Self {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(options.sessions)
            .with_json_response(true)
            // The service in front of the endpoint has read the body within its limit.
            .with_max_request_body_bytes(usize::MAX)
            .with_allowed_hosts(&options.hosts);
        let sessions = Arc::new(LocalSessionManager::default());
        let RegistryHandler(shared, _) = RegistryHandler::new(server, stopping, ended);
        let handler_parts = Arc::clone(&shared);
        let new_handler = move || Ok(RegistryHandler(Arc::clone(&handler_parts), Arc::default()));
        Self {
            service: StreamableHttpService::new(new_handler, Arc::clone(&sessions), config),
            shared,
            sessions: options.sessions.then_some(sessions),
        }
    }

    /// Responds to a request of a client.
    pub(crate) async fn handle(
        &self,
        mut parts: Parts,
        body: Bytes,
        subject: &str,
    ) -> Result<Response<HttpBody>, Rejection> {
        // rmcp would round them, and another number is another argument.
        let body = wide_numbers::quote(&body).map_or(body, |(quoted, _)| quoted.into());
        // The id of a session is sealed for its client, so that no other client uses the session.
        let (seals, bound) = (&self.shared.seals, || format!("session:{subject}"));
        if let Some(sessions) = &self.sessions {
            // rmcp has no limit, and each session keeps a task and its buffers.
            if opens_session(&parts) && sessions.sessions.read().await.len() >= MAX_SESSIONS {
                let status = StatusCode::SERVICE_UNAVAILABLE;
                return Err(Rejection::new(status, "too many sessions"));
            }
            let open = |sealed: &str| seals.open(sealed, bound().as_bytes());
            replace_session(&mut parts.headers, open).ok_or_else(|| {
                let text = "the session is unknown or has ended; initialize again";
                Rejection::new(StatusCode::NOT_FOUND, text)
            })?;
        }
        let kind = parts.headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        let is_json = kind.is_some_and(|kind| kind.starts_with(b"application/json"));
        let request = Request::from_parts(parts, Full::new(body.clone()));
        let mut response = self.service.handle(request).await;
        // rmcp's response to a message that it cannot read does not name the request.
        if is_json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return Ok(error_response(&incoming::unreadable(&body)));
        }
        let seal = |id: &str| seals.seal(id, bound().as_bytes(), SESSION_TTL);
        replace_session(response.headers_mut(), seal).ok_or_else(|| {
            let text = "the session cannot be sealed";
            Rejection::new(StatusCode::INTERNAL_SERVER_ERROR, text)
        })?;
        Ok(response)
    }
}

/// Replaces the id of a session, if there is one. Returns `None` without a new one.
fn replace_session(
    headers: &mut HeaderMap,
    replace: impl FnOnce(&str) -> Option<String>,
) -> Option<()> {
    if let Some(session) = headers.get_mut(SESSION) {
        *session = replace(session.to_str().ok()?)?.parse().ok()?;
    }
    Some(())
}

/// Returns an error of the protocol.
fn error_response(error: &ServerJsonRpcMessage) -> Response<HttpBody> {
    // Serialization of these types cannot fail.
    let body = serde_json::to_string(error).unwrap_or_default();
    response(StatusCode::BAD_REQUEST, "application/json", body)
}

/// Returns `true` if the request may be a handshake of the older revisions.
fn opens_session(parts: &Parts) -> bool {
    let version = parts.headers.get("mcp-protocol-version");
    let current = ProtocolVersion::V_2026_07_28;
    let is_current =
        version.is_some_and(|version| version.as_bytes() >= current.as_str().as_bytes());
    parts.method == Method::POST && !parts.headers.contains_key(SESSION) && !is_current
}
