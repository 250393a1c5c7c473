//! Authentication of clients.

use async_trait::async_trait;
use http::request::Parts;

use crate::server::ClientIdentity;

/// Authentication of requests, by bearer tokens, JSON Web Tokens, client certificates or other means.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use tool_mcp::server::{Authenticate, AuthenticationError, ClientIdentity};
///
/// /// Accepts the user that a trusted proxy has authenticated.
/// struct Proxy;
///
/// #[async_trait]
/// impl Authenticate for Proxy {
///     async fn authenticate(&self, request: &http::request::Parts) -> Result<ClientIdentity, AuthenticationError> {
///         let user = request.headers.get("x-user").and_then(|user| user.to_str().ok());
///         user.map(ClientIdentity::new).ok_or(AuthenticationError::Missing)
///     }
/// }
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not authenticate clients",
    note = "implement `Authenticate` for `{Self}`; it has one method, `authenticate`"
)]
pub trait Authenticate: Send + Sync {
    /// Returns the identity of the client that sent a request. May be called concurrently. Called for every request,
    /// before its body is read.
    ///
    /// # Errors
    /// Returns [`AuthenticationError`] if the client must not use the server.
    async fn authenticate(&self, request: &Parts) -> Result<ClientIdentity, AuthenticationError>;
}

/// Reason for a rejected request.
///
/// # Examples
/// ```
/// use tool_mcp::server::AuthenticationError;
///
/// assert_eq!(AuthenticationError::Missing.to_string(), "the request has no credentials");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthenticationError {
    /// The request has no credentials. Its status is 401.
    #[error("the request has no credentials")]
    Missing,
    /// The credentials are unknown, expired, or for another server. The status is 401.
    #[error("the credentials are invalid")]
    Invalid,
    /// The credentials do not include a scope. The status is 403.
    #[error("the scope `{scope}` is required")]
    InsufficientScope {
        /// Required scopes, separated by spaces.
        scope: String,
    },
    /// The credentials could not be checked. The status is 503.
    #[error("the credentials cannot be checked")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}
