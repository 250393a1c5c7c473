//! Sources of repository files: a local directory or a remote service.
//!
//! Read-only tools use a [`RepositorySource`] and do not depend on the kind of source.

mod local;

use std::fmt;

use async_trait::async_trait;
use tool_core::{ErrorCode, ToolContext, ToolError};

use crate::workspace::EntryKind;

pub use local::LocalRepository;

/// Repository that can be read.
///
/// Paths are relative to the repository root and separated by `/`; `.` is the root. Implementations
/// must not return content outside the repository. Errors must refer to the parameter `path`, or to
/// the query, so that a tool can return them unchanged. May be called concurrently.
///
/// # Cancellation
/// Dropping the future stops the work, as does the cancellation token of the call.
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
    /// Returns the entries of one directory, sorted by path: at most `limit`.
    ///
    /// # Errors
    /// Returns an error if the path does not exist, is outside the repository, or is not a
    /// directory.
    async fn list_folder(
        &self,
        cx: &ToolContext,
        path: &str,
        limit: usize,
    ) -> Result<RepositoryListing, ToolError>;

    /// Returns the files in a directory and its subdirectories, sorted by path: at most `limit`.
    /// Hidden and ignored files are omitted.
    ///
    /// # Errors
    /// Returns an error in the cases of [`list_folder`](Self::list_folder).
    async fn list_files(
        &self,
        cx: &ToolContext,
        path: &str,
        limit: usize,
    ) -> Result<RepositoryListing, ToolError>;

    /// Returns the first `limit` bytes of a file.
    ///
    /// # Errors
    /// Returns an error if the path does not exist, is outside the repository, or is not a file.
    async fn read_file(
        &self,
        cx: &ToolContext,
        path: &str,
        limit: u64,
    ) -> Result<RepositoryFile, ToolError>;

    /// Returns the lines that contain a string, ignoring case, sorted by path and line.
    ///
    /// # Errors
    /// Returns an error if the pattern is invalid.
    async fn search(
        &self,
        cx: &ToolContext,
        query: &RepositoryQuery,
    ) -> Result<Vec<RepositoryHit>, ToolError>;
}

/// Search in a repository.
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
    /// Text to search for, not a regular expression.
    pub text: String,
    /// Glob that the files must match.
    pub pattern: Option<String>,
    /// Maximum number of lines to return.
    pub limit: usize,
}

impl RepositoryQuery {
    /// Creates a search for `text` in all files, with a limit of 100 lines.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            pattern: None,
            limit: 100,
        }
    }

    /// Restricts the search to files that match the glob.
    #[must_use]
    pub fn with_pattern(self, pattern: impl Into<String>) -> Self {
        Self {
            pattern: Some(pattern.into()),
            ..self
        }
    }

    /// Sets the maximum number of lines. A local repository returns at most 1,000.
    #[must_use]
    pub fn with_limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }
}

/// Entry of a repository.
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
    /// Path relative to the repository root.
    pub path: String,
    /// Kind of the entry.
    pub kind: EntryKind,
    /// Size in bytes. 0 if unknown or not a file.
    pub size: u64,
}

impl RepositoryEntry {
    /// Returns the last component of the path.
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
    /// Entries, sorted by the bytes of their paths.
    pub entries: Vec<RepositoryEntry>,
    /// Whether there are further entries.
    pub truncated: bool,
}

/// File of a repository.
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
    /// Path relative to the repository root.
    pub path: String,
    /// Size of the complete file in bytes.
    pub size: u64,
    /// Content up to the requested limit.
    pub content: Vec<u8>,
}

impl RepositoryFile {
    /// Returns whether the content is only the beginning of the file.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        (self.content.len() as u64) < self.size
    }
}

/// Line that matches a search.
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
    /// Path of the file, relative to the repository root.
    pub path: String,
    /// Line number, counted from 1. 0 if unknown.
    pub line: usize,
    /// Content of the line, possibly shortened.
    pub text: String,
}

/// Error message if no repository is connected.
pub const NOT_CONNECTED: &str = "No active GitHub connection found";

/// Placeholder for a repository that is not connected. All calls fail with
/// [`ErrorCode::Unavailable`] and [`NOT_CONNECTED`].
///
/// # Examples
/// ```
/// use tool_core::{ErrorCode, ToolContext};
/// use tools_builtin::repository::{NotConnected, RepositorySource};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let error = NotConnected.read_file(&ToolContext::test(), "a.txt", 100).await.err().ok_or("it was read")?;
/// assert_eq!(error.code(), &ErrorCode::Unavailable);
/// assert_eq!(error.message(), "No active GitHub connection found");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NotConnected;

#[async_trait]
impl RepositorySource for NotConnected {
    async fn list_folder(
        &self,
        _cx: &ToolContext,
        _path: &str,
        _limit: usize,
    ) -> Result<RepositoryListing, ToolError> {
        Err(not_connected())
    }

    async fn list_files(
        &self,
        _cx: &ToolContext,
        _path: &str,
        _limit: usize,
    ) -> Result<RepositoryListing, ToolError> {
        Err(not_connected())
    }

    async fn read_file(
        &self,
        _cx: &ToolContext,
        _path: &str,
        _limit: u64,
    ) -> Result<RepositoryFile, ToolError> {
        Err(not_connected())
    }

    async fn search(
        &self,
        _cx: &ToolContext,
        _query: &RepositoryQuery,
    ) -> Result<Vec<RepositoryHit>, ToolError> {
        Err(not_connected())
    }
}

fn not_connected() -> ToolError {
    // The document prints this message without the final period that `ToolError` adds.
    let code = ErrorCode::Unavailable;
    ToolError::new(code.clone(), NOT_CONNECTED)
        .reworded(code, NOT_CONNECTED)
        .with_retryable(false)
}
