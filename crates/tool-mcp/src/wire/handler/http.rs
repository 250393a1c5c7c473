//! Service over streamable HTTP.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use rmcp::model::{ErrorCode, JsonRpcMessage, ProtocolVersion, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tool_core::CancellationToken;
use tool_json::wide_numbers;

use super::{RegistryHandler, incoming};
use crate::McpServer;
use crate::server::HttpOptions;
use crate::wire::lines::without_mark;

/// Maximum number of open sessions.
const MAX_SESSIONS: usize = 1_000;

/// Header with the id of a session.
pub(crate) const SESSION: &str = "mcp-session-id";

/// Endpoint for requests whose clients are authenticated. Checks their hosts.
#[derive(Clone)]
pub(crate) struct Endpoint {
    service: StreamableHttpService<RegistryHandler, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    has_sessions: bool,
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
        let new_handler = move || Ok(RegistryHandler(Arc::clone(&shared), Arc::default()));
        Self {
            service: StreamableHttpService::new(new_handler, Arc::clone(&sessions), config),
            sessions,
            has_sessions: options.sessions,
        }
    }

    /// Responds to a request.
    pub(crate) async fn handle(
        &self,
        parts: Parts,
        body: Bytes,
    ) -> Response<BoxBody<Bytes, Infallible>> {
        let body = body.slice_ref(without_mark(&body));
        // rmcp would round them, and another number is another argument.
        let body = wide_numbers::quote(&body).map_or(body, |(quoted, _)| quoted.into());
        let is_message = parts.method == Method::POST;
        if is_message && let Err(rejected) = incoming::check(&body) {
            return error_response(&rejected);
        }
        // rmcp has no limit, and each session keeps a task and its buffers.
        if self.has_sessions
            && opens_session(&parts)
            && self.sessions.sessions.read().await.len() >= MAX_SESSIONS
        {
            let mut response = Response::new(Full::from("too many sessions").boxed());
            *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
            return response;
        }
        let has_type = parts.headers.contains_key(CONTENT_TYPE);
        let request = Request::from_parts(parts, Full::new(body.clone()));
        let response = self.service.handle(request).await;
        // rmcp's response to JSON that does not fit the protocol names neither the request nor the reason.
        if is_message && has_type && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return error_response(&incoming::unfit(&body));
        }
        response
    }

    /// Returns the ids of the open sessions.
    pub(crate) async fn sessions(&self) -> HashSet<String> {
        let sessions = self.sessions.sessions.read().await;
        sessions.keys().map(ToString::to_string).collect()
    }
}

/// Returns an error of the protocol. If it belongs to a request, the exchange as such succeeded.
fn error_response(error: &ServerJsonRpcMessage) -> Response<BoxBody<Bytes, Infallible>> {
    // Serialization of these types cannot fail.
    let body = serde_json::to_vec(error).unwrap_or_default();
    let mut response = Response::new(Full::from(body).boxed());
    if !matches!(error, JsonRpcMessage::Error(error) if error.error.code == ErrorCode::INVALID_PARAMS)
    {
        *response.status_mut() = StatusCode::BAD_REQUEST;
    }
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

/// Returns `true` if the request may be a handshake of the older revisions.
fn opens_session(parts: &Parts) -> bool {
    let version = parts.headers.get("mcp-protocol-version");
    let current = ProtocolVersion::V_2026_07_28;
    let is_current =
        version.is_some_and(|version| version.as_bytes() >= current.as_str().as_bytes());
    parts.method == Method::POST && !parts.headers.contains_key(SESSION) && !is_current
}
