//! Service over streamable HTTP.

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

use super::Host;
use crate::server::McpServer;

/// Maximum number of open sessions.
const MAX_SESSIONS: usize = 1_000;

/// Header with the id of a session.
pub(crate) const SESSION: &str = "mcp-session-id";

/// Endpoint for requests that were admitted.
#[derive(Clone)]
pub(crate) struct Endpoint {
    service: StreamableHttpService<Host, LocalSessionManager>,
    /// Sessions, if they are enabled.
    sessions: Option<Arc<LocalSessionManager>>,
}

impl Endpoint {
    /// Creates an endpoint. Subscriptions end with `stopping`, and calls with `ended`.
    pub(crate) fn new(
        server: McpServer,
        with_sessions: bool,
        stopping: &CancellationToken,
        ended: &CancellationToken,
    ) -> Self {
        // The service in front of the endpoint checks hosts, origins and sizes.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(with_sessions)
            .with_json_response(true)
            .with_max_request_body_bytes(usize::MAX)
            .disable_allowed_hosts()
            .disable_allowed_origins();
        let sessions = Arc::new(LocalSessionManager::default());
        let host = Host::new(server, stopping, ended);
        let new_host = move || Ok(host.for_connection());
        Self {
            service: StreamableHttpService::new(new_host, Arc::clone(&sessions), config),
            sessions: with_sessions.then_some(sessions),
        }
    }

    /// Responds to a request.
    pub(crate) async fn handle(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Response<BoxBody<Bytes, Infallible>> {
        if let Some(sessions) = &self.sessions
            && opens_session(request.method(), request.headers())
            && sessions.sessions.read().await.len() >= MAX_SESSIONS
        {
            let mut response = Response::new(Full::from("too many sessions").boxed());
            *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
            return response;
        }
        self.service.handle(request).await
    }

    /// Returns `true` if a session is open.
    pub(crate) async fn has_session(&self, id: &str) -> bool {
        match &self.sessions {
            Some(sessions) => sessions.sessions.read().await.contains_key(id),
            None => false,
        }
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
