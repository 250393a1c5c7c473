//! Repository on GitHub.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use tool_core::{Redactor, ToolContext, ToolError};
use tools_builtin::repository::{
    RepositoryFile, RepositoryHit, RepositoryListing, RepositoryQuery, RepositorySource,
};

use super::path::components;
use super::repository::{Head, Repository};
use super::snapshot::{Snapshot, error, not_connected};
use super::tree::Tree;
use super::{GitHubConnection, GitHubConnections, search};

/// Time for which the connection of a product is kept.
const CONNECTION_KEPT: Duration = Duration::from_mins(1);
const LFS: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";

/// Repository on GitHub that the repository tools read.
///
/// Files are read at the commit of the reference, which is checked again after one minute. Entries
/// and files of up to 1 MB are kept in memory, at most 96 MB per source.
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
#[derive(Clone)]
pub struct GitHubSource {
    lookup: Lookup,
    opened: Arc<Mutex<Option<Opened>>>,
    redactor: Option<Redactor>,
}

/// Repository and the time when its connection was looked up.
type Opened = (Instant, Arc<Repository>);

#[derive(Clone)]
enum Lookup {
    Fixed(GitHubConnection),
    Product(Arc<dyn GitHubConnections>, String),
}

impl GitHubSource {
    /// Creates a source with a fixed connection.
    #[must_use]
    pub fn new(connection: GitHubConnection) -> Self {
        Self::of(Lookup::Fixed(connection))
    }

    /// Creates a source that looks up the connection of a product at each call, and keeps it for one
    /// minute.
    #[must_use]
    pub fn of_product(
        connections: Arc<dyn GitHubConnections>,
        product_id: impl Into<String>,
    ) -> Self {
        Self::of(Lookup::Product(connections, product_id.into()))
    }

    fn of(lookup: Lookup) -> Self {
        Self {
            lookup,
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

    /// Opens a repository with short delays.
    #[cfg(test)]
    pub(crate) fn quick(connection: GitHubConnection) -> Self {
        let repository = Repository::open(connection.clone()).unwrap();
        let repository = repository.with_pace(crate::door::testing::quick());
        let source = Self::new(connection);
        *source.opened.lock().unwrap() = Some((Instant::now(), Arc::new(repository)));
        source
    }

    /// Returns the opened repository.
    #[cfg(test)]
    pub(super) fn opened_for_tests(&self) -> Arc<Repository> {
        Arc::clone(&self.opened.lock().unwrap().as_ref().unwrap().1)
    }

    /// Returns the repository of the current connection. Another connection has its own caches.
    async fn repository(&self) -> Result<Arc<Repository>, ToolError> {
        let known = self
            .opened
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let is_fixed = matches!(self.lookup, Lookup::Fixed(_));
        if let Some((looked_up, repository)) = &known
            && (is_fixed || looked_up.elapsed() < CONNECTION_KEPT)
        {
            return Ok(Arc::clone(repository));
        }
        let connection = match &self.lookup {
            Lookup::Fixed(connection) => connection.clone(),
            Lookup::Product(connections, product) => connections
                .connection(product)
                .await
                .map_err(|error| not_connected().caused_by(error))?
                .ok_or_else(not_connected)?,
        };
        let repository = match known {
            Some((_, repository)) if repository.connection == connection => repository,
            _ => {
                let repository = Repository::open(connection);
                let repository = repository.map_err(|error| not_connected().caused_by(error))?;
                if let Some(redactor) = &self.redactor {
                    repository.teach(redactor.clone());
                }
                Arc::new(repository)
            }
        };
        let kept = (Instant::now(), Arc::clone(&repository));
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
        Ok(repository)
    }

    async fn head(&self, cx: &ToolContext) -> Result<(Arc<Repository>, Head), ToolError> {
        let repository = self.repository().await?;
        let head = repository.head(cx).await.map_err(error)?;
        Ok((repository, head))
    }

    async fn open(&self, cx: &ToolContext) -> Result<Snapshot, ToolError> {
        let (repository, head) = self.head(cx).await?;
        let tree = match &head.tree {
            Some(id) => repository.tree(id, cx).await.map_err(error)?,
            None => Some(Tree::default()),
        };
        Ok(Snapshot {
            repository,
            head,
            tree,
        })
    }
}

impl fmt::Debug for GitHubSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.lookup {
            Lookup::Fixed(connection) => f.debug_tuple("GitHubSource").field(connection).finish(),
            Lookup::Product(_, product) => f.debug_tuple("GitHubSource").field(product).finish(),
        }
    }
}

#[async_trait]
impl RepositorySource for GitHubSource {
    async fn list_folder(
        &self,
        cx: &ToolContext,
        path: &str,
        limit: usize,
    ) -> Result<RepositoryListing, ToolError> {
        let snapshot = self.open(cx).await?;
        let place = snapshot.directory(path, cx).await?;
        let mut listing = snapshot.folder(&place, cx).await?;
        listing.truncated |= listing.entries.len() > limit;
        listing.entries.truncate(limit);
        Ok(listing)
    }

    async fn list_files(
        &self,
        cx: &ToolContext,
        path: &str,
        limit: usize,
    ) -> Result<RepositoryListing, ToolError> {
        let snapshot = self.open(cx).await?;
        let place = snapshot.directory(path, cx).await?;
        snapshot.files(&place, limit, cx).await
    }

    async fn read_file(
        &self,
        cx: &ToolContext,
        path: &str,
        limit: u64,
    ) -> Result<RepositoryFile, ToolError> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let names = components(path)?;
        let (repository, head) = self.head(cx).await?;
        let small = repository.small_file(&head, &names, cx).await;
        let (path, size, content) = match small.map_err(error)? {
            Some(content) => (names.join("/"), 0, content),
            None => self.open(cx).await?.file(path, limit, cx).await?,
        };
        if content.starts_with(LFS) {
            cx.warn("The file is stored with Git LFS; its pointer is shown, not its content.");
        }
        Ok(RepositoryFile {
            path,
            size: size.max(content.len() as u64),
            content: content.get(..limit).unwrap_or(&content).to_vec(),
        })
    }

    async fn search(
        &self,
        cx: &ToolContext,
        query: &RepositoryQuery,
    ) -> Result<Vec<RepositoryHit>, ToolError> {
        let search = search::Search::parse(query)?;
        let snapshot = self.open(cx).await?;
        search.run(&snapshot, cx).await
    }
}
