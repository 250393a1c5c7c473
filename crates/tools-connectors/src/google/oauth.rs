//! Sign-in to Google with OAuth 2.

mod flow;
mod loopback;
mod sign_in;
mod store;
#[cfg(test)]
mod tests;
mod tokens;

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tool_core::Secret;

use crate::SetupError;
use crate::door::Base;

pub(crate) use flow::OAuthFlow;
pub(crate) use tokens::AccountTokens;

pub use sign_in::{SignIn, SignInPrompt};
pub use store::{TokenFolder, TokenKey, TokenLock, TokenStore, TokenStoreError};

/// OAuth client of the application, of the type "Desktop app".
///
/// # Examples
/// ```
/// use tool_core::Secret;
/// use tools_connectors::google::GoogleClient;
///
/// let client = GoogleClient::new("123.apps.googleusercontent.com").with_secret(Secret::new("GOCSPX-123".to_owned()));
/// assert!(!format!("{client:?}").contains("GOCSPX"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GoogleClient {
    /// Client ID.
    pub id: String,
    /// Client secret.
    pub secret: Option<Secret<String>>,
}

impl GoogleClient {
    /// Creates a client without a secret.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into().trim().to_owned(),
            secret: None,
        }
    }

    /// Sets the client secret.
    #[must_use]
    pub fn with_secret(mut self, secret: Secret<String>) -> Self {
        self.secret = Some(Secret::new(secret.into_exposed().trim().to_owned()));
        self
    }
}

/// Base URLs of Google's services.
///
/// # Examples
/// ```
/// use tools_connectors::google::GoogleEndpoints;
///
/// assert!(GoogleEndpoints::at("http://127.0.0.1:4002").is_ok());
/// assert!(GoogleEndpoints::at("http://example.com").is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoogleEndpoints {
    pub(crate) authorization: Base,
    pub(crate) token: Base,
    pub(crate) revocation: Base,
    pub(crate) gmail: Base,
    pub(crate) calendar: Base,
}

impl GoogleEndpoints {
    /// Returns the endpoints of Google.
    ///
    /// # Errors
    /// Never returns an error in practice; the URLs are constants.
    pub(crate) fn google() -> Result<Self, SetupError> {
        Ok(Self {
            authorization: Base::parse("https://accounts.google.com/o/oauth2/v2/auth")?,
            token: Base::parse("https://oauth2.googleapis.com/token")?,
            revocation: Base::parse("https://oauth2.googleapis.com/revoke")?,
            gmail: Base::parse("https://gmail.googleapis.com/gmail/v1/users/me")?,
            calendar: Base::parse("https://www.googleapis.com/calendar/v3")?,
        })
    }

    /// Sets one server for all services, such as a mock: `https`, or `http` with a loopback address.
    ///
    /// # Errors
    /// Returns [`SetupError::InvalidEndpoint`] for other URLs.
    pub fn at(base: &str) -> Result<Self, SetupError> {
        let base = base.trim_end_matches('/');
        let at = |path: &str| Base::parse(&format!("{base}{path}"));
        Ok(Self {
            authorization: at("/o/oauth2/v2/auth")?,
            token: at("/oauth2/token")?,
            revocation: at("/oauth2/revoke")?,
            gmail: at("/gmail/v1/users/me")?,
            calendar: at("/calendar/v3")?,
        })
    }
}

/// Settings of a sign-in.
#[derive(Debug, Clone)]
pub(crate) struct SignInSettings {
    pub(crate) way: SignIn,
    pub(crate) service: &'static str,
    pub(crate) scopes: Vec<&'static str>,
    pub(crate) port: u16,
    /// Time for the user.
    pub(crate) patience: Duration,
}

/// Time before the expiry at which a token is refreshed.
const MARGIN: SignedDuration = SignedDuration::from_secs(60);
/// Lifetime of a token without a stated one.
const DEFAULT_LIFETIME: u64 = 3600;

/// Tokens and their scopes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grant {
    pub(super) access_token: Secret<String>,
    pub(super) refresh_token: Option<Secret<String>>,
    pub(super) expires_at: Timestamp,
    pub(super) scopes: Vec<String>,
}

impl Grant {
    /// Returns the expiry of a token with a lifetime in seconds, which is clamped to a day.
    pub(super) fn expiry(lifetime: Option<u64>) -> Timestamp {
        let seconds = lifetime.unwrap_or(DEFAULT_LIFETIME).clamp(60, 86_400);
        let lifetime = SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(60));
        let now = Timestamp::now();
        now.checked_add(lifetime).unwrap_or(now)
    }

    /// Returns whether at least 60 seconds are left.
    pub(super) fn is_fresh(&self) -> bool {
        self.expires_at.duration_since(Timestamp::now()) >= MARGIN
    }

    /// Returns whether the user is known not to have granted a scope. Users may untick single scopes.
    pub(super) fn lacks(&self, scope: &str) -> bool {
        !self.scopes.is_empty() && !self.scopes.iter().any(|granted| granted == scope)
    }
}
