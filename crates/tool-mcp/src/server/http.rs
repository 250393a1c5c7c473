//! Service over streamable HTTP, and its options.

mod authentication;
mod connections;
mod response;
mod service;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use http::header::{
    ACCEPT, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_HEADERS, VARY,
};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Uri};
use serde_json::Value;
use tool_core::CancellationToken;

pub use authentication::{Authenticate, AuthenticationError, BearerTokens};
pub use response::HttpBody;
pub use service::HttpService;

pub(crate) use response::{Rejection, response};

/// Names of this machine.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Methods of the endpoint.
const METHODS: HeaderValue = HeaderValue::from_static("POST, GET, DELETE");

/// Response headers that clients need.
const EXPOSED: HeaderValue =
    HeaderValue::from_static("Mcp-Session-Id, WWW-Authenticate, Retry-After");

/// Seconds for which browsers need not ask again.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// Both types of responses.
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

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
    origins: Vec<String>,
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
    /// responses (CORS); `:*` stands for any port. Write it as browsers do: in lowercase, without the port of its scheme. If the server listens on loopback, origins of this machine are
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
    /// Checks the hosts and origins.
    fn checked(self) -> Result<Self, ServeError> {
        let invalid = |text: &str| ServeError::InvalidAddress(text.to_owned());
        for host in &self.hosts {
            host.parse::<Authority>().map_err(|_| invalid(host))?;
        }
        for origin in &self.origins {
            if !is_origin(origin.strip_suffix(":*").unwrap_or(origin)) {
                return Err(invalid(origin));
            }
        }
        Ok(self)
    }

    /// Returns whether web pages of an origin are accepted.
    fn allows_origin(&self, origin: &str) -> bool {
        let mut allowed = self.origins.iter();
        allowed.any(|allowed| match allowed.strip_suffix(":*") {
            Some(base) => origin.strip_prefix(base).is_some_and(is_port),
            None => allowed == origin,
        })
    }
}

/// Returns whether a string is an origin. With a path, no browser would ever send it.
fn is_origin(text: &str) -> bool {
    let uri = text.parse::<Uri>();
    uri.is_ok_and(|uri| uri.scheme().is_some() && !text.ends_with('/') && uri.path().len() < 2)
}

/// Returns whether the rest of an origin is empty or a port.
fn is_port(rest: &str) -> bool {
    let digits = rest.strip_prefix(':').unwrap_or(rest);
    rest.is_empty() || digits.len() < rest.len() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Responds to a browser that asks whether a page may send a request. Such a question has no credentials.
fn answer_page(requested: &HeaderMap, headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    // Tools may name further headers for their parameters, and tokens protect the endpoint, not names of headers.
    if let Some(names) = requested.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
    }
}

/// Lets the pages of an origin read a response.
fn allow_page(origin: HeaderValue, headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    headers.append(VARY, HeaderValue::from_static("Origin"));
}

/// Names the types that a wildcard stands for, because the endpoint requires them by name. A request without the header
/// accepts everything.
fn complete_accept(headers: &mut HeaderMap) {
    let mut values = headers.get_all(ACCEPT).iter();
    if values.all(|value| value.to_str().is_ok_and(|types| types.contains("*/*"))) {
        headers.insert(ACCEPT, BOTH);
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

tool_core::debug_fields!(HttpOptions);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_checked() {
        for (origin, expected) in [
            ("https://app.example.com", true),
            ("http://[::1]:80", true),
            ("http://dev.example.com:3000", true),
            ("https://any.example.com:*", true),
            ("example.com", false),
            ("https://example.com/path", false),
            ("https://example.com/", false),
            ("null", false),
        ] {
            let options = HttpOptions::default().allow_origin(origin).checked();

            assert_eq!(options.is_ok(), expected, "{origin}");
        }
        let options = HttpOptions::default().allow_host("a b");
        assert!(
            matches!(options.checked(), Err(ServeError::InvalidAddress(host)) if host == "a b")
        );
    }

    #[test]
    fn wildcards_accept_both_types() {
        for (given, is_complete) in [
            (&[][..], true),
            (&["*/*"], true),
            (&["text/html, */*;q=0.1"], true),
            (&["application/json"], false),
            (&["text/event-stream"], false),
            (&["text/html"], false),
        ] {
            let mut headers = HeaderMap::new();
            for value in given {
                headers.append(ACCEPT, HeaderValue::from_static(value));
            }

            complete_accept(&mut headers);

            assert_eq!(headers.get(ACCEPT) == Some(&BOTH), is_complete, "{given:?}");
        }
    }

    #[test]
    fn pages_of_allowed_origins_are_accepted() {
        let mut options = HttpOptions::default().allow_origin("https://app.example.com");
        options = options.allow_origin("http://dev.example.com:*");
        let options = options.checked().unwrap();
        for (origin, is_allowed) in [
            ("https://app.example.com", true),
            ("http://dev.example.com", true),
            ("http://dev.example.com:3000", true),
            ("https://app.example.com:8443", false),
            ("http://app.example.com", false),
            ("http://dev.example.com.evil.example:80", false),
            ("http://dev.example.com:3000.evil.example", false),
            ("http://dev.example.company", false),
            ("null", false),
            ("", false),
        ] {
            assert_eq!(options.allows_origin(origin), is_allowed, "{origin}");
        }
    }
}
