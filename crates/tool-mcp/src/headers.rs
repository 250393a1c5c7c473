//! HTTP headers of requests.

use std::sync::Arc;

use http::HeaderMap;

/// Request whose headers are added by [`headers`](crate::client::McpManagerBuilder::headers).
///
/// # Examples
/// ```
/// use tool_mcp::client::HeaderMap;
/// use tool_mcp::McpManager;
///
/// let manager = McpManager::builder().headers(|request| {
///     let mut headers = HeaderMap::new();
///     if let Some(id) = request.call_id.and_then(|id| id.parse().ok()) {
///         headers.insert("x-request-id", id);
///     }
///     headers
/// });
/// # let _ = manager.build();
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct CallInfo<'c> {
    /// Name of the server.
    pub server: &'c str,
    /// Name of the called tool on the server. `None` for requests that are not calls.
    pub tool: Option<&'c str>,
    /// Id of the call. `None` for requests that are not calls.
    pub call_id: Option<&'c str>,
}

impl<'c> CallInfo<'c> {
    pub(crate) fn new(server: &'c str) -> Self {
        Self {
            server,
            tool: None,
            call_id: None,
        }
    }
}

/// Headers of the host for each request.
pub(crate) type HeaderSource = Arc<dyn Fn(&CallInfo<'_>) -> HeaderMap + Send + Sync>;
