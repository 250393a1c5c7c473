//! Connections to repositories.

use std::error::Error;
use std::fmt;

use async_trait::async_trait;
use tool_core::Secret;

/// Repository on GitHub, and the token that reads it.
///
/// # Examples
/// ```
/// use tool_core::Secret;
/// use tools_connectors::github::GitHubConnection;
///
/// let connection = GitHubConnection::new("toolwright", "toolwright")
///     .with_token(Secret::new("ghp_123456".to_owned()))
///     .with_reference("main");
/// assert!(!format!("{connection:?}").contains("ghp_123456"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GitHubConnection {
    /// Owner of the repository.
    pub owner: String,
    /// Name of the repository.
    pub repository: String,
    /// Branch, tag or commit. The default is the default branch.
    pub reference: Option<String>,
    /// Access token. Public repositories can be read without one.
    pub token: Option<Secret<String>>,
    /// Base URL of the API. Enterprise Server has `https://HOST/api/v3`.
    pub base_url: String,
}

impl GitHubConnection {
    /// Creates a connection to a repository on github.com without a token.
    #[must_use]
    pub fn new(owner: impl Into<String>, repository: impl Into<String>) -> Self {
        Self {
            owner: owner.into(),
            repository: repository.into(),
            reference: None,
            token: None,
            base_url: "https://api.github.com".to_owned(),
        }
    }

    /// Sets the access token.
    #[must_use]
    pub fn with_token(mut self, token: Secret<String>) -> Self {
        self.token = Some(token);
        self
    }

    /// Sets the branch, tag or commit.
    #[must_use]
    pub fn with_reference(mut self, reference: impl Into<String>) -> Self {
        self.reference = Some(reference.into());
        self
    }

    /// Sets the base URL of the API: `https`, or `http` with a loopback address.
    #[must_use]
    pub fn with_base_url(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = base_url.into();
        self
    }
}

/// Connections of the products of an application.
///
/// # Examples
/// ```
/// use std::error::Error;
/// use async_trait::async_trait;
/// use tools_connectors::github::{GitHubConnection, GitHubConnections};
///
/// #[derive(Debug)]
/// struct OneProduct;
///
/// #[async_trait]
/// impl GitHubConnections for OneProduct {
///     async fn connection(&self, product_id: &str) -> Result<Option<GitHubConnection>, Box<dyn Error + Send + Sync>> {
///         Ok((product_id == "product-7").then(|| GitHubConnection::new("octo", "hello")))
///     }
/// }
/// ```
#[async_trait]
pub trait GitHubConnections: fmt::Debug + Send + Sync {
    /// Returns the active connection of a product, or `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if the connection cannot be looked up. The model receives the same error as
    /// without a connection, and the log contains the cause.
    async fn connection(
        &self,
        product_id: &str,
    ) -> Result<Option<GitHubConnection>, Box<dyn Error + Send + Sync>>;
}

#[async_trait]
impl GitHubConnections for GitHubConnection {
    async fn connection(
        &self,
        _product_id: &str,
    ) -> Result<Option<GitHubConnection>, Box<dyn Error + Send + Sync>> {
        Ok(Some(self.clone()))
    }
}
