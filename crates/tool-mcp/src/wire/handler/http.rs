//! Service over streamable HTTP.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tool_core::CancellationToken;

use super::RegistryHandler;
use crate::McpServer;
use crate::server::HttpOptions;

/// Maximum number of open sessions.
const MAX_SESSIONS: usize = 1_000;

/// Header with the id of a session.
pub(crate) const SESSION: &str = "mcp-session-id";

/// Endpoint for requests whose clients are authenticated. Checks their hosts and origins.
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
            .with_allowed_hosts(&options.hosts)
            .with_allowed_origins(&options.origins)
            .enforce_origin_validation();
        let sessions = Arc::new(LocalSessionManager::default());
        let handler = RegistryHandler::new(server, stopping, ended);
        let new_handler = move || Ok(handler.for_connection());
        Self {
            service: StreamableHttpService::new(new_handler, Arc::clone(&sessions), config),
            sessions,
            has_sessions: options.sessions,
        }
    }

    /// Responds to a request.
    pub(crate) async fn handle(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Response<BoxBody<Bytes, Infallible>> {
        // rmcp has no limit, and each session keeps a task and its buffers.
        if self.has_sessions
            && opens_session(request.method(), request.headers())
            && self.sessions.sessions.read().await.len() >= MAX_SESSIONS
        {
            let mut response = Response::new(Full::from("too many sessions").boxed());
            *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
            return response;
        }
        self.service.handle(request).await
    }

    /// Returns the ids of the open sessions.
    pub(crate) async fn sessions(&self) -> HashSet<String> {
        let sessions = self.sessions.sessions.read().await;
        sessions.keys().map(ToString::to_string).collect()
    }
}

/// Returns `true` if the request may be a handshake of the older revisions.
fn opens_session(method: &Method, headers: &HeaderMap) -> bool {
    let version = headers.get("mcp-protocol-version");
    let is_current = version
        .and_then(|version| version.to_str().ok())
        .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str());
    method == Method::POST && !headers.contains_key(SESSION) && !is_current
}
