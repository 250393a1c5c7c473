//! Sources of a repository: a directory with its files, for example one that was fetched from a service.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use tool_core::{ErrorCode, Redactor, ToolContext, ToolError};

use crate::workspace::Workspace;

/// Repository that can be read.
///
/// May be called concurrently, and is called for every call of a tool, so it should keep what it has fetched.
///
/// # Cancellation
/// Dropping the future stops the work, as does the cancellation token of the call.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use tool_core::{ToolContext, ToolError};
/// use tools_builtin::Workspace;
/// use tools_builtin::repository::{OpenRepository, RepositorySource};
///
/// #[derive(Debug)]
/// struct Checkout(Workspace);
///
/// #[async_trait]
/// impl RepositorySource for Checkout {
///     async fn open(&self, _cx: &ToolContext) -> Result<OpenRepository, ToolError> {
///         Ok(OpenRepository::new(self.0.clone()))
///     }
/// }
/// ```
#[async_trait]
pub trait RepositorySource: fmt::Debug + Send + Sync {
    /// Returns the directory with the files.
    ///
    /// # Errors
    /// Returns the error for the model if there is none, such as [`not_connected`].
    async fn open(&self, cx: &ToolContext) -> Result<OpenRepository, ToolError>;
}

/// Directory with the files of a repository.
///
/// # Examples
/// ```
/// use tool_test::Scratch;
/// use tools_builtin::Workspace;
/// use tools_builtin::repository::OpenRepository;
///
/// let scratch = Scratch::new().file("README.md", "");
/// let repository = OpenRepository::new(Workspace::open(scratch.path())?);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OpenRepository {
    /// The directory.
    pub workspace: Workspace,
    /// Secrets to remove from the content of files that a model reads.
    pub redactor: Redactor,
    kept: Option<Arc<dyn Any + Send + Sync>>,
}

impl OpenRepository {
    /// Creates a repository from the directory of a workspace.
    pub fn new(workspace: Workspace) -> Self {
        Self {
            workspace,
            redactor: Redactor::new(),
            kept: None,
        }
    }

    /// Keeps a value until the call is over, for example a temporary directory.
    #[must_use]
    pub fn keeping(mut self, value: Arc<impl Send + Sync + 'static>) -> Self {
        self.kept = Some(value);
        self
    }
}

/// Returns the error of a repository without a connection.
///
/// # Examples
/// ```
/// use tools_builtin::repository::not_connected;
///
/// assert_eq!(not_connected().message(), "No active GitHub connection found");
/// ```
pub fn not_connected() -> ToolError {
    let message = "No active GitHub connection found";
    // The document prints this message without the final period that `ToolError` adds.
    let code = ErrorCode::Unavailable;
    ToolError::new(code.clone(), message)
        .reworded(code, message)
        .with_text(format!(r#"{{ "error": "{message}" }}"#))
        .with_retryable(false)
}

/// Source without a connection, whose calls return the error of the source document.
///
/// # Examples
/// See [`Kit::with_repository`](crate::Kit::with_repository).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NotConnected;

#[async_trait]
impl RepositorySource for NotConnected {
    async fn open(&self, _cx: &ToolContext) -> Result<OpenRepository, ToolError> {
        Err(not_connected())
    }
}
