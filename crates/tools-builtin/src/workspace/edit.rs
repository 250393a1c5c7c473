//! Changing what a file holds.

use std::sync::Arc;

use tool_core::{CancellationToken, ToolError};

use super::error::disk_error;
use super::history::Before;
use super::locks::Lock;
use super::place::Place;
use super::stamp::{Stamp, digest_of};
use super::write::{changed_meanwhile, old_file, unchanged, write_at};
use super::{File, Workspace, platform};
use crate::buffer::Buffer;

impl Workspace {
    /// Opens a file to change it. Nobody else changes it through this workspace as long as the edit lives.
    ///
    /// # Errors
    /// Those of [`existing_file`](Self::existing_file), and a file with more than `limit` bytes.
    pub fn edit(
        &self,
        parameter: &str,
        path: &str,
        limit: u64,
        cancellation: &CancellationToken,
    ) -> Result<Edit, ToolError> {
        // Opened first, so that a path that does not work has the same errors as for reading.
        let shown = self.existing_file(parameter, path)?.path().to_owned();
        let place = self.place_behind_links(parameter, path, false)?;
        let lock = self.lock(parameter, &place, cancellation)?;
        let handle = platform::open_entry(&place.folder, &place.name)
            .map_err(|error| disk_error(parameter, error))?;
        let mut file = File::of(parameter, handle, shown)?;
        self.check_names(parameter, file.metadata())?;
        let content = file.read_whole(limit)?;
        Ok(Edit {
            workspace: self.clone(),
            place,
            content: Arc::new(content),
            path: file.path().to_owned(),
            stamp: Stamp::of(file.metadata()),
            parameter: parameter.to_owned(),
            _lock: lock,
        })
    }

    /// Writes a whole file if it still holds what [`digest_of`] gave `expected` for.
    ///
    /// # Errors
    /// Those of [`edit`](Self::edit), and [`ErrorCode::Conflict`](tool_core::ErrorCode::Conflict) when the file holds something else.
    pub fn write_if_unchanged(
        &self,
        parameter: &str,
        path: &str,
        content: &[u8],
        expected: &str,
        cancellation: &CancellationToken,
    ) -> Result<(), ToolError> {
        let edit = self.edit(parameter, path, u64::MAX, cancellation)?;
        if digest_of(edit.content()) != expected {
            return Err(changed_meanwhile(parameter));
        }
        edit.replace(content, cancellation)
    }
}

/// A file that is being changed.
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
    workspace: Workspace,
    place: Place,
    content: Arc<Buffer>,
    path: String,
    stamp: Stamp,
    parameter: String,
    _lock: Lock,
}

impl Edit {
    /// What the file holds.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// The same for those who keep it longer than the edit.
    pub(crate) fn shared_content(&self) -> Arc<Buffer> {
        Arc::clone(&self.content)
    }

    /// The path relative to the workspace root.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Replaces what the file holds.
    ///
    /// # Errors
    /// [`ErrorCode::Conflict`](tool_core::ErrorCode::Conflict) when somebody else changed the file since it was opened, and the errors of the disk.
    pub fn replace(
        self,
        content: &[u8],
        cancellation: &CancellationToken,
    ) -> Result<(), ToolError> {
        self.replace_by_pieces(&[content], cancellation)
    }

    /// The same with a content whose pieces need not stand together in memory.
    pub(crate) fn replace_by_pieces(
        self,
        content: &[&[u8]],
        cancellation: &CancellationToken,
    ) -> Result<(), ToolError> {
        let old = old_file(&self.parameter, &self.place)?;
        let unchanged = || unchanged(&self.parameter, &self.place, Some(self.stamp));
        unchanged()?;
        let fits = self
            .workspace
            .keeps()
            .is_some_and(|limit| self.content.len() as u64 <= limit);
        let write = || {
            write_at(
                &self.parameter,
                &self.place,
                content,
                old.as_ref(),
                cancellation,
                unchanged,
            )
        };
        let known = fits.then_some(&**self.content);
        let (written, digests) = self.workspace.digests_meanwhile(known, content, write);
        written?;
        let before = if fits {
            Before::Content(self.content)
        } else {
            Before::NotKept
        };
        self.workspace
            .record(&self.path, &self.place, before, digests);
        Ok(())
    }
}
