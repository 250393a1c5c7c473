//! What can be asked of a repository.

use std::fmt;

use async_trait::async_trait;
use tool_core::{ToolContext, ToolError};

use crate::workspace::EntryKind;

/// A repository that can be read.
///
/// Paths are relative to its root, with `/` between their parts; `.` is the root itself. Nothing outside the repository
/// is given, whatever a path says. Errors are about the parameter `path`, or about what `query` says of itself, so that a
/// tool can hand them on. Calls may overlap.
///
/// # Cancellation
/// Dropping the future stops the work, as does the token of the call.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use tool_core::ToolContext;
/// use tool_test::Scratch;
/// use tools_builtin::Workspace;
/// use tools_builtin::repository::{LocalRepository, RepositorySource};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new().file("src/main.rs", "fn main() {}\n");
/// let source: Arc<dyn RepositorySource> = Arc::new(LocalRepository::new(Workspace::open(scratch.path())?));
/// let listing = source.list_folder(&ToolContext::test(), ".", 10).await?;
/// let paths: Vec<&str> = listing.entries.iter().map(|entry| entry.path.as_str()).collect();
/// assert_eq!(paths, ["src"]);
/// # Ok(()) }
/// ```
#[async_trait]
pub trait RepositorySource: fmt::Debug + Send + Sync {
    /// What is in one folder, sorted by path: at most `limit` entries.
    ///
    /// # Errors
    /// A path that is not there, leads out, or is no folder.
    async fn list_folder(
        &self,
        cx: &ToolContext,
        path: &str,
        limit: usize,
    ) -> Result<RepositoryListing, ToolError>;

    /// The files in a folder and below it, sorted by path: at most `limit` of them. Hidden and ignored ones are left
    /// out.
    ///
    /// # Errors
    /// Those of [`list_folder`](Self::list_folder).
    async fn list_files(
        &self,
        cx: &ToolContext,
        path: &str,
        limit: usize,
    ) -> Result<RepositoryListing, ToolError>;

    /// A file, of which at most the first `limit` bytes are given.
    ///
    /// # Errors
    /// A path that is not there, leads out, or is no file.
    async fn read_file(
        &self,
        cx: &ToolContext,
        path: &str,
        limit: u64,
    ) -> Result<RepositoryFile, ToolError>;

    /// The lines in which a text stands, whatever the case of its letters, sorted by path and line.
    ///
    /// # Errors
    /// A pattern that cannot be read.
    async fn search(
        &self,
        cx: &ToolContext,
        query: &RepositoryQuery,
    ) -> Result<Vec<RepositoryHit>, ToolError>;
}

/// What to look for in a repository.
///
/// # Examples
/// ```
/// use tools_builtin::repository::RepositoryQuery;
///
/// let query = RepositoryQuery::new("auth").with_pattern("*.ts").with_limit(20);
/// assert_eq!((query.text.as_str(), query.limit), ("auth", 20));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepositoryQuery {
    /// The text; it is no regular expression.
    pub text: String,
    /// A glob that the files must match.
    pub pattern: Option<String>,
    /// How many lines to give at most.
    pub limit: usize,
}

impl RepositoryQuery {
    /// Looks for `text` in all files, and gives 100 lines at most.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            pattern: None,
            limit: 100,
        }
    }

    /// Looks only into files that the glob covers.
    #[must_use]
    pub fn with_pattern(self, pattern: impl Into<String>) -> Self {
        Self {
            pattern: Some(pattern.into()),
            ..self
        }
    }

    /// Gives this many lines at most; a local repository never more than 1,000.
    #[must_use]
    pub fn with_limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }
}

/// One entry of a repository.
///
/// # Examples
/// ```
/// use tools_builtin::repository::RepositoryEntry;
/// use tools_builtin::workspace::EntryKind;
///
/// let entry = RepositoryEntry { path: "src/main.rs".to_owned(), kind: EntryKind::File, size: 12 };
/// assert_eq!(entry.name(), "main.rs");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryEntry {
    /// The path relative to the root of the repository.
    pub path: String,
    /// What it is.
    pub kind: EntryKind,
    /// Size in bytes; 0 for what is no file, or where it is not known.
    pub size: u64,
}

impl RepositoryEntry {
    /// The last part of the path.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// Entries of a repository.
///
/// # Examples
/// ```
/// use tools_builtin::repository::RepositoryListing;
///
/// assert!(RepositoryListing::default().entries.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepositoryListing {
    /// The entries, sorted by the bytes of their paths.
    pub entries: Vec<RepositoryEntry>,
    /// Whether there are more.
    pub truncated: bool,
}

/// A file of a repository.
///
/// # Examples
/// ```
/// use tools_builtin::repository::RepositoryFile;
///
/// let file = RepositoryFile { path: "a.txt".to_owned(), size: 5, content: b"hel".to_vec() };
/// assert!(file.is_truncated());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryFile {
    /// The path relative to the root of the repository.
    pub path: String,
    /// Size of the whole file in bytes.
    pub size: u64,
    /// What it holds, up to the limit asked for.
    pub content: Vec<u8>,
}

impl RepositoryFile {
    /// Whether the content is only the beginning of the file.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        (self.content.len() as u64) < self.size
    }
}

/// A line in which a text stands.
///
/// # Examples
/// ```
/// use tools_builtin::repository::RepositoryHit;
///
/// let hit = RepositoryHit { path: "a.txt".to_owned(), line: 3, text: "hello".to_owned() };
/// assert_eq!(format!("{}:{}", hit.path, hit.line), "a.txt:3");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryHit {
    /// The path of the file, relative to the root of the repository.
    pub path: String,
    /// Number of the line, counting from 1; 0 where the source does not tell.
    pub line: usize,
    /// The line; a part of it where it is long.
    pub text: String,
}
