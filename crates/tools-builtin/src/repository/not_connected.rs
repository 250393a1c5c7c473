//! Missing repository.

use async_trait::async_trait;
use tool_core::{ErrorCode, ToolContext, ToolError};

use super::{RepositoryFile, RepositoryHit, RepositoryListing, RepositoryQuery, RepositorySource};

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
