//! Checks of each request: host, origin and token.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Values that requests must have.
pub struct Guard {
    /// Names of this server, with its port.
    hosts: [String; 2],
    token: String,
}

impl Guard {
    /// Creates a guard for a server on this port.
    pub fn new(port: u16, token: String) -> Self {
        Self {
            hosts: ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}")),
            token,
        }
    }

    /// Returns whether the request is for this server and not from another page.
    ///
    /// A page whose name resolves to this computer sends its own name as the host.
    fn is_own(&self, headers: &HeaderMap) -> bool {
        let host = text(headers, HOST).unwrap_or_default();
        let origin = text(headers, ORIGIN);
        let is_same = origin.is_none_or(|origin| origin.strip_prefix("http://") == Some(host));
        self.hosts.iter().any(|own| own == host) && is_same
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let sent = text(headers, AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
        sent.is_some_and(|sent| are_equal(sent.as_bytes(), self.token.as_bytes()))
    }
}

/// Rejects requests with another host or origin.
pub async fn check_host(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    if guard.is_own(request.headers()) {
        next.run(request).await
    } else {
        let reason = "Open the address that the program printed.";
        (StatusCode::FORBIDDEN, reason).into_response()
    }
}

/// Rejects requests without the token.
pub async fn check_token(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    if guard.has_token(request.headers()) {
        next.run(request).await
    } else {
        let reason = "The token is missing. Open the address that the program printed.";
        (StatusCode::UNAUTHORIZED, reason).into_response()
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Compares in a time that does not depend on the position of the first difference.
fn are_equal(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differences == 0
}
