//! Changing the content of files.

use std::sync::Arc;

use tool_core::{CancellationToken, ErrorCode, ToolError};

use super::Workspace;
use super::destination::{Destination, Lock};
use super::file::FileStamp;
use super::write::{changed_concurrently, old_file};

impl Workspace {
    /// Opens a file for editing. Other writers of this workspace wait until the edit is dropped.
    ///
    /// # Errors
    /// Returns the errors of [`existing_file`](Self::existing_file), and an error if the file has
    /// more than `limit` bytes.
    pub fn edit(
        &self,
        parameter: &str,
        path: &str,
        limit: u64,
        cancellation: &CancellationToken,
    ) -> Result<Edit, ToolError> {
        // Open the file first, so that an invalid path has the same errors as for reading.
        let shown = self.existing_file(parameter, path)?.path().to_owned();
        let destination = self.resolved_destination(parameter, path, false)?;
        let lock = self.lock(parameter, &destination, cancellation)?;
        // Read under the lock: two edits that had read the same content would each lose the other one's change.
        let mut file = destination.open(parameter, &shown)?;
        self.check_names(parameter, file.metadata())?;
        let content = file.read(limit)?;
        Ok(Edit {
            workspace: self.clone(),
            destination,
            content: Arc::new(content),
            path: file.path().to_owned(),
            stamp: FileStamp::of(file.metadata()),
            is_read_only: file.metadata().permissions().readonly(),
            parameter: parameter.to_owned(),
            _lock: lock,
        })
    }
}

/// File opened for editing.
///
/// # Examples
/// ```
/// use tool_core::CancellationToken;
/// use tool_test::Scratch;
/// use tools_builtin::workspace::Workspace;
///
/// let scratch = Scratch::new().file("a.txt", "one");
/// let workspace = Workspace::open(scratch.path())?;
/// let cancellation = CancellationToken::new();
/// let edit = workspace.edit("path", "a.txt", 1024, &cancellation)?;
/// let longer = [edit.content(), b" two"].concat();
/// edit.replace(&longer, &cancellation)?;
/// assert_eq!(scratch.read("a.txt"), "one two");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Edit {
    pub(super) workspace: Workspace,
    pub(super) destination: Destination,
    pub(super) content: Arc<Vec<u8>>,
    pub(super) path: String,
    pub(super) stamp: FileStamp,
    pub(super) is_read_only: bool,
    pub(super) parameter: String,
    pub(super) _lock: Lock,
}

impl Edit {
    /// Returns the content of the file.
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// Returns the path relative to the workspace root.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Rejects a file without write permission. Replacing it needs none, because the directory decides.
    pub(crate) fn check_is_writable(&self) -> Result<(), ToolError> {
        if self.is_read_only {
            return Err(read_only(&self.parameter));
        }
        Ok(())
    }

    /// Replaces the content of the file.
    ///
    /// # Errors
    /// Returns [`ErrorCode::Conflict`] if another writer changed
    /// the file since it was opened. Returns an I/O error if writing fails.
    pub fn replace(
        self,
        content: &[u8],
        cancellation: &CancellationToken,
    ) -> Result<(), ToolError> {
        let (workspace, destination) = (&self.workspace, &self.destination);
        let old = old_file(&self.parameter, destination)?;
        // Fail before the new content is written. It's checked again right before the rename.
        if old.as_ref().map(FileStamp::of) != Some(self.stamp) {
            return Err(changed_concurrently(&self.parameter));
        }
        destination.write(&self.parameter, content, old.as_ref(), None, cancellation)?;
        let before = workspace.previous_state(Some(&self.content));
        workspace.record_write(&self.path, destination, before, content);
        Ok(())
    }
}

pub(super) fn read_only(parameter: &str) -> ToolError {
    ToolError::about(
        ErrorCode::PermissionDenied,
        parameter,
        "is a read-only file",
    )
    .suggest("Make it writable with a command if it should change.")
}
