//! Identity of a client.

/// Identity of a client: the local user over standard input and output, the subject that
/// [`Authenticate`](super::Authenticate) returns over HTTP.
///
/// Tools read it with [`ToolContext::extension`](tool_core::ToolContext::extension), and audit records contain
/// it as the parent id `mcp:{subject}`.
///
/// # Examples
/// ```
/// use tool_mcp::server::ClientIdentity;
///
/// let identity = ClientIdentity::new("ci").with_scopes(["read"]);
/// assert!(identity.has_scope("read"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ClientIdentity {
    /// Unique name of the client or its user.
    pub subject: String,
    /// Granted scopes.
    pub scopes: Vec<String>,
}

impl ClientIdentity {
    /// Creates an identity without scopes.
    #[must_use]
    pub fn new(subject: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            scopes: Vec::new(),
        }
    }

    /// Sets the granted scopes.
    #[must_use]
    pub fn with_scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Returns the identity of clients over standard input and output: `local`.
    #[must_use]
    pub fn local() -> Self {
        Self::new("local")
    }

    /// Returns the identity of clients over HTTP without authentication: `anonymous`.
    #[must_use]
    pub fn anonymous() -> Self {
        Self::new("anonymous")
    }

    /// Returns `true` if a scope was granted.
    #[must_use]
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes.iter().any(|granted| granted == scope)
    }
}
