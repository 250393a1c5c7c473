//! Service over streamable HTTP, and its options.

mod authentication;
mod connections;
mod pages;
mod service;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use http::Uri;
use http::uri::Authority;
use serde_json::Value;
use tool_core::CancellationToken;

pub use authentication::{Authenticate, AuthenticationError, BearerTokens};
pub use service::{HttpBody, HttpService};

/// Names of this machine.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Options of an MCP server over streamable HTTP.
///
/// # Examples
/// ```
/// use tool_core::Secret;
/// use tool_mcp::server::{BearerTokens, HttpOptions};
///
/// let tokens = BearerTokens::default().with_token("ci", &Secret::new("correct horse battery staple".to_owned()));
/// let options = HttpOptions::default()
///     .allow_host("mcp.example.com")
///     .authenticate(tokens)
///     .max_calls(16);
/// ```
#[derive(Clone)]
#[must_use]
pub struct HttpOptions {
    pub(crate) hosts: Vec<String>,
    pub(crate) origins: Vec<String>,
    authenticate: Option<Arc<dyn Authenticate>>,
    metadata: Option<Value>,
    pub(crate) sessions: bool,
    is_open: bool,
    max_body: usize,
    max_calls: usize,
    max_connections: usize,
    stop: CancellationToken,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            hosts: LOOPBACK.map(str::to_owned).to_vec(),
            origins: Vec::new(),
            authenticate: None,
            metadata: None,
            sessions: false,
            is_open: false,
            max_body: 1024 * 1024,
            max_calls: 64,
            max_connections: 512,
            stop: CancellationToken::new(),
        }
    }
}

impl HttpOptions {
    /// Accepts requests for a host, such as `mcp.example.com`, or for one of its ports only, such as
    /// `mcp.example.com:8080`. `localhost` and the loopback addresses are always accepted. Other hosts are rejected
    /// with status 403, because a web page could point its own name at this machine.
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Accepts requests of web pages from an origin, such as `https://app.example.com`, and lets them read the
    /// responses (CORS); `:*` stands for any port. If the server listens on loopback, origins of this machine are
    /// accepted too. Programs send no origin, and are always accepted.
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Sets how clients are recognized. Without it, they are anonymous, and the server listens only on loopback
    /// addresses.
    pub fn authenticate(mut self, authenticate: impl Authenticate + 'static) -> Self {
        self.authenticate = Some(Arc::new(authenticate));
        self
    }

    /// Sets the document that tells clients where to log in: protected resource metadata (RFC 9728). It is served at
    /// `/.well-known/oauth-protected-resource`, and responses with status 401 refer to it.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_mcp::server::HttpOptions;
    ///
    /// let options = HttpOptions::default().resource_metadata(json!({
    ///     "resource": "https://mcp.example.com/mcp",
    ///     "authorization_servers": ["https://login.example.com"],
    ///     "scopes_supported": ["read"],
    ///     "bearer_methods_supported": ["header"],
    /// }));
    /// ```
    pub fn resource_metadata(mut self, document: Value) -> Self {
        self.metadata = Some(document);
        self
    }

    /// Serves anonymous clients even on addresses that others can reach.
    pub fn allow_anonymous(mut self) -> Self {
        self.is_open = true;
        self
    }

    /// Sets whether clients of revisions before 2026-07-28 get sessions. Only within a session can the server ask such
    /// a client something. A session binds the client to one process, so don't use sessions with several replicas. At
    /// most 1,000 are open, and an idle one is closed after 5 minutes. The default is `false`.
    pub fn sessions(mut self, on: bool) -> Self {
        self.sessions = on;
        self
    }

    /// Sets the maximum size of a request in bytes. The default is 1 MiB. Larger requests are rejected with
    /// status 413.
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.max_body = bytes;
        self
    }

    /// Sets the maximum number of concurrent requests, without subscriptions. The default is 64. Further requests are
    /// rejected with status 503.
    pub fn max_calls(mut self, calls: usize) -> Self {
        self.max_calls = calls;
        self
    }

    /// Sets the maximum number of open connections, which also limits subscriptions. The default is 512. Further
    /// connections are rejected with status 503.
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections;
        self
    }

    /// Sets the token that stops the server. Running calls then have 30 s to finish, and `/readyz` returns 503.
    pub fn stop(mut self, token: CancellationToken) -> Self {
        self.stop = token;
        self
    }
}

impl HttpOptions {
    /// Checks the hosts and origins, and completes origins without a port.
    fn checked(mut self) -> Result<Self, ServeError> {
        let invalid = |text: &str| ServeError::InvalidAddress(text.to_owned());
        for host in &self.hosts {
            host.parse::<Authority>().map_err(|_| invalid(host))?;
        }
        for origin in &mut self.origins {
            *origin = with_port(origin).ok_or_else(|| invalid(origin))?;
        }
        Ok(self)
    }

    /// Returns whether web pages of an origin are accepted.
    fn allows_origin(&self, origin: &str) -> bool {
        let Some(origin) = with_port(&origin.to_ascii_lowercase()) else {
            return false;
        };
        self.origins.iter().any(|allowed| {
            let allowed = allowed.to_ascii_lowercase();
            match allowed.strip_suffix('*') {
                Some(base) => origin.starts_with(base),
                None => allowed == origin,
            }
        })
    }

    /// Accepts the origins of this machine.
    fn allow_loopback_origins(&mut self) {
        let origins = LOOPBACK.map(|host| format!("http://{host}:*"));
        self.origins.extend(origins);
    }
}

/// Returns an origin with the port of its scheme if it has none. The check of the endpoint would accept any port.
fn with_port(origin: &str) -> Option<String> {
    let base = origin.strip_suffix(":*");
    let uri: Uri = base.unwrap_or(origin).parse().ok()?;
    let port = match uri.scheme_str()? {
        "http" => 80,
        "https" => 443,
        // Applications have their own schemes, without ports.
        _ => return Some(origin.to_owned()),
    };
    // An origin has no path: with one, no browser would ever match it.
    let is_origin = uri.path() == "/" && !origin.ends_with('/') && uri.query().is_none();
    match (base, uri.authority()?.port()) {
        _ if !is_origin => None,
        (Some(_), Some(_)) => None,
        (Some(_), None) | (None, Some(_)) => Some(origin.to_owned()),
        (None, None) => Some(format!("{origin}:{port}")),
    }
}

/// Reason why a server cannot be started.
///
/// # Examples
/// ```
/// use tool_mcp::server::ServeError;
///
/// let error = ServeError::InvalidAddress("a b".to_owned());
/// assert_eq!(error.to_string(), "`a b` is not a host or an origin; use `example.com` or `https://example.com`");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Others can reach the address, and clients are not authenticated.
    #[error(
        "{0} can be reached by others and no token is set; set an authentication, or use 127.0.0.1"
    )]
    Open(SocketAddr),
    /// An allowed host or origin is invalid.
    #[error("`{0}` is not a host or an origin; use `example.com` or `https://example.com`")]
    InvalidAddress(String),
    /// The listener failed.
    #[error("the listener has failed")]
    Listener(#[from] io::Error),
}

opaque_debug!(HttpOptions);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_have_ports() {
        for (origin, expected) in [
            (
                "https://app.example.com",
                Some("https://app.example.com:443"),
            ),
            ("http://[::1]", Some("http://[::1]:80")),
            (
                "http://dev.example.com:3000",
                Some("http://dev.example.com:3000"),
            ),
            (
                "https://any.example.com:*",
                Some("https://any.example.com:*"),
            ),
            ("example.com", None),
            ("https://example.com:1:*", None),
            ("https://example.com/path", None),
            ("null", None),
        ] {
            assert_eq!(with_port(origin).as_deref(), expected, "{origin}");
        }
        let options = HttpOptions::default().allow_host("a b");
        assert!(
            matches!(options.checked(), Err(ServeError::InvalidAddress(host)) if host == "a b")
        );
    }
}
