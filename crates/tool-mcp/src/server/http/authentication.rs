//! Authentication of clients.

use async_trait::async_trait;
use http::header::AUTHORIZATION;
use http::request::Parts;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tool_core::Secret;

use crate::server::ClientIdentity;

/// How clients are recognized: by JSON Web Tokens, client certificates or other means. For fixed tokens, use
/// [`BearerTokens`].
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
    /// Returns the identity of the client that sent a request. It is called for every request, before the body is read,
    /// and calls may overlap.
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

/// Clients recognized by fixed bearer tokens. Use long random ones. We keep only their digests and compare them in
/// constant time, so that neither memory nor time tells a token.
///
/// # Examples
/// ```
/// use tool_core::Secret;
/// use tool_mcp::server::BearerTokens;
///
/// let tokens = BearerTokens::default().with_token("ci", &Secret::new("correct horse battery staple".to_owned()));
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct BearerTokens(Vec<(ClientIdentity, [u8; 32])>);

impl BearerTokens {
    /// Adds a token of a client with this name.
    pub fn with_token(self, client: impl Into<String>, token: &Secret<String>) -> Self {
        self.with_identity(ClientIdentity::new(client), token)
    }

    /// Adds a token of a client with scopes.
    pub fn with_identity(mut self, identity: ClientIdentity, token: &Secret<String>) -> Self {
        self.0.push((identity, digest(token.expose())));
        self
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[async_trait]
impl Authenticate for BearerTokens {
    async fn authenticate(&self, request: &Parts) -> Result<ClientIdentity, AuthenticationError> {
        let mut values = request.headers.get_all(AUTHORIZATION).iter();
        let value = values.next().ok_or(AuthenticationError::Missing)?;
        if values.next().is_some() {
            return Err(AuthenticationError::Invalid);
        }
        let value = value.to_str().map_err(|_| AuthenticationError::Invalid)?;
        let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
        if !scheme.eq_ignore_ascii_case("bearer") || token.is_empty() {
            return Err(AuthenticationError::Invalid);
        }
        let given = digest(token.trim());
        let mut found = None;
        // Compare with all tokens, so that the time does not tell which one was right.
        for (identity, expected) in &self.0 {
            if bool::from(expected.ct_eq(&given)) {
                found = Some(identity);
            }
        }
        found.cloned().ok_or(AuthenticationError::Invalid)
    }
}

tool_core::debug_fields!(BearerTokens);

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    async fn subject(headers: &[&str]) -> Option<String> {
        let tokens = BearerTokens::default()
            .with_token("ci", &Secret::new("first-token".to_owned()))
            .with_token("app", &Secret::new("second-token".to_owned()));
        let mut request = Request::new(());
        for value in headers {
            let value = value.parse().unwrap();
            request.headers_mut().append(AUTHORIZATION, value);
        }
        let identity = tokens.authenticate(&request.into_parts().0).await;
        identity.ok().map(|identity| identity.subject)
    }

    #[tokio::test]
    async fn accepts_only_known_tokens() {
        for (headers, expected) in [
            (&["Bearer first-token"][..], Some("ci")),
            (&["bearer second-token"], Some("app")),
            (&["BEARER  second-token "], Some("app")),
            (&[], None),
            (&["Bearer"], None),
            (&["Bearer "], None),
            (&["Bearer first-toke"], None),
            (&["Bearer first-tokenx"], None),
            (&["Basic first-token"], None),
            (&["first-token"], None),
            (&["Bearer first-token", "Bearer first-token"], None),
        ] {
            assert_eq!(subject(headers).await.as_deref(), expected, "{headers:?}");
        }
    }

    #[test]
    fn debug_hides_tokens() {
        let tokens =
            BearerTokens::default().with_token("ci", &Secret::new("first-token".to_owned()));

        assert_eq!(format!("{tokens:?}"), "BearerTokens { .. }");
    }
}
