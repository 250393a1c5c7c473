//! Credentials of the application.

use tool_core::Secret;

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
    #[must_use]
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
