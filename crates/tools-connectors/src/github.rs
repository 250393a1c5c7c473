//! Repository on GitHub as a source of the repository tools.

mod repository;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use tool_core::{Redactor, Secret, ToolContext, ToolError};
use tools_builtin::repository::{OpenRepository, RepositorySource, not_connected};

use self::repository::{Repository, error};

/// Time for which the connection of a product is kept.
const CONNECTION_KEPT: Duration = Duration::from_mins(1);

/// Repository on GitHub that the repository tools read.
///
/// Files are read at the commit of the reference, which is checked again after one minute. The archive
/// of the commit is unpacked into a temporary directory and then read like a local repository, so
/// files that Git excludes from archives (`export-ignore`) are missing. A repository whose archive is
/// larger than 100 MB, or 400 MB unpacked, cannot be read.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use tool_test::Scratch;
/// use tools_builtin::{Kit, Workspace};
/// use tools_connectors::github::{GitHubConnection, GitHubSource};
///
/// let scratch = Scratch::new();
/// let source = GitHubSource::new(GitHubConnection::new("octo", "hello"));
/// let kit = Kit::new(Workspace::open(scratch.path())?).with_repository(Arc::new(source));
/// assert!(kit.repository().is_some());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct GitHubSource {
    connections: Arc<dyn GitHubConnections>,
    product_id: String,
    opened: Arc<Mutex<Option<Opened>>>,
    redactor: Option<Redactor>,
}

/// Repository and the time when its connection was looked up.
type Opened = (Instant, Arc<Repository>);

impl GitHubSource {
    /// Creates a source with a fixed connection.
    pub fn new(connection: GitHubConnection) -> Self {
        Self::of_product(Arc::new(connection), "")
    }

    /// Creates a source that looks up the connection of a product at each call, and keeps it for one
    /// minute.
    pub fn of_product(
        connections: Arc<dyn GitHubConnections>,
        product_id: impl Into<String>,
    ) -> Self {
        Self {
            connections,
            product_id: product_id.into(),
            opened: Arc::default(),
            redactor: None,
        }
    }

    /// Passes the tokens to `redactor`, which removes them from the results and the audit log of a
    /// registry.
    #[must_use]
    pub fn with_redactor(mut self, redactor: Redactor) -> Self {
        self.opened = Arc::default();
        self.redactor = Some(redactor);
        self
    }

    /// Returns the repository of the current connection. Another connection has its own files.
    async fn repository(&self) -> Result<Arc<Repository>, ToolError> {
        let opened = || self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let known = opened().clone();
        if let Some((looked_up, repository)) = &known
            && looked_up.elapsed() < CONNECTION_KEPT
        {
            return Ok(Arc::clone(repository));
        }
        let connection = self.connections.connection(&self.product_id).await;
        let connection = connection.map_err(|error| not_connected().caused_by(error))?;
        let connection = connection.ok_or_else(not_connected)?;
        // The same connection keeps its unpacked files.
        let repository = match known {
            Some((_, repository)) if repository.connection == connection => repository,
            _ => {
                let repository = Repository::open(connection, self.redactor.clone());
                Arc::new(repository.map_err(|error| not_connected().caused_by(error))?)
            }
        };
        *opened() = Some((Instant::now(), Arc::clone(&repository)));
        Ok(repository)
    }
}

#[async_trait]
impl RepositorySource for GitHubSource {
    async fn open(&self, cx: &ToolContext) -> Result<OpenRepository, ToolError> {
        let repository = self.repository().await?;
        let files = repository.files(cx).await.map_err(error)?;
        let mut opened = OpenRepository::new(files.workspace.clone()).keeping(files);
        // The door does not see the content of archives.
        opened.redactor = repository.redactor();
        Ok(opened)
    }
}

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
#[must_use]
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
    pub fn with_token(mut self, token: Secret<String>) -> Self {
        self.token = Some(token);
        self
    }

    /// Sets the branch, tag or commit.
    pub fn with_reference(mut self, reference: impl Into<String>) -> Self {
        self.reference = Some(reference.into());
        self
    }

    /// Sets the base URL of the API: `https`, or `http` with a loopback address.
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
