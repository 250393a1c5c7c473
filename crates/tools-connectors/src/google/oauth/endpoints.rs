//! Addresses of Google's services.

use crate::SetupError;
use crate::door::Base;

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
