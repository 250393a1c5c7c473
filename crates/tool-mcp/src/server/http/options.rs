//! Options of the service over HTTP.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use http::Uri;
use http::uri::Authority;
use tool_core::CancellationToken;

use super::Authenticate;

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
pub struct HttpOptions {
    pub(crate) hosts: Vec<String>,
    pub(crate) origins: Vec<String>,
    pub(super) authenticate: Option<Arc<dyn Authenticate>>,
    pub(super) metadata: Option<ResourceMetadata>,
    pub(crate) sessions: bool,
    pub(super) is_open: bool,
    pub(super) max_body: usize,
    pub(super) max_calls: usize,
    pub(super) max_connections: usize,
    pub(super) stop: CancellationToken,
}

/// Protected resource metadata (RFC 9728), which names the authorization servers for clients.
///
/// # Examples
/// ```
/// use tool_mcp::server::ResourceMetadata;
///
/// let metadata = ResourceMetadata::new("https://mcp.example.com/mcp", ["https://login.example.com"]).with_scopes(["read"]);
/// assert_eq!(metadata.resource, "https://mcp.example.com/mcp");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceMetadata {
    /// URL of the endpoint, as clients use it.
    pub resource: String,
    /// Issuers of the authorization servers.
    pub authorization_servers: Vec<String>,
    /// Scopes that clients may request.
    pub scopes: Vec<String>,
}

impl ResourceMetadata {
    /// Creates metadata without scopes.
    #[must_use]
    pub fn new<S: Into<String>>(
        resource: impl Into<String>,
        authorization_servers: impl IntoIterator<Item = S>,
    ) -> Self {
        Self {
            resource: resource.into(),
            authorization_servers: authorization_servers.into_iter().map(Into::into).collect(),
            scopes: Vec::new(),
        }
    }

    /// Sets the scopes that clients may request.
    #[must_use]
    pub fn with_scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }
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
    /// Accepts requests for a host, such as `mcp.example.com`, or with one port only, such as
    /// `mcp.example.com:8080`. `localhost` and the loopback addresses are always accepted.
    #[must_use]
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Accepts requests of web pages from an origin, such as `https://app.example.com`; `:*` stands for any port.
    /// Origins on this machine are accepted if the server listens on loopback. Requests without an origin, as
    /// programs send them, are always accepted.
    #[must_use]
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Sets the authentication of clients. By default, clients are anonymous and the server accepts only loopback
    /// addresses.
    #[must_use]
    pub fn authenticate(mut self, authenticate: impl Authenticate + 'static) -> Self {
        self.authenticate = Some(Arc::new(authenticate));
        self
    }

    /// Sets the metadata for clients that must log in. It is served at `/.well-known/oauth-protected-resource`, and
    /// responses with status 401 refer to it.
    #[must_use]
    pub fn resource_metadata(mut self, metadata: ResourceMetadata) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// Serves anonymous clients on addresses that others can reach.
    #[must_use]
    pub fn allow_anonymous(mut self) -> Self {
        self.is_open = true;
        self
    }

    /// Enables sessions for clients of revisions before 2026-07-28. Only within a session can the server send
    /// requests to such a client, for example to ask its user. Sessions bind a client to one process; at most 1,000
    /// are open, and an idle one is closed after 5 minutes.
    #[must_use]
    pub fn sessions(mut self, on: bool) -> Self {
        self.sessions = on;
        self
    }

    /// Sets the maximum size of a request in bytes. The default is 1 MiB. Larger requests are rejected with
    /// status 413.
    #[must_use]
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.max_body = bytes;
        self
    }

    /// Sets the maximum number of concurrent requests, without subscriptions. The default is 64. Further requests are
    /// rejected with status 503.
    #[must_use]
    pub fn max_calls(mut self, calls: usize) -> Self {
        self.max_calls = calls;
        self
    }

    /// Sets the maximum number of open connections, which also limits subscriptions. The default is 512. Further
    /// connections are rejected with status 503.
    #[must_use]
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections;
        self
    }

    /// Sets the token that stops the server. Running calls then have 30 s to finish.
    #[must_use]
    pub fn stop(mut self, token: CancellationToken) -> Self {
        self.stop = token;
        self
    }
}

impl HttpOptions {
    /// Checks the hosts and origins, and completes origins without a port.
    pub(super) fn checked(mut self) -> Result<Self, ServeError> {
        let invalid = |text: &str| ServeError::InvalidAddress(text.to_owned());
        for host in &self.hosts {
            host.parse::<Authority>().map_err(|_| invalid(host))?;
        }
        for origin in &mut self.origins {
            *origin = with_port(origin).ok_or_else(|| invalid(origin))?;
        }
        Ok(self)
    }

    /// Accepts the origins of this machine.
    pub(super) fn allow_loopback_origins(&mut self) {
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

impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOptions")
            .field("hosts", &self.hosts)
            .field("origins", &self.origins)
            .field("sessions", &self.sessions)
            .finish_non_exhaustive()
    }
}

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
