//! Atomic writes: a reader sees the old content or the new content, but never a part. Read-only roots
//! and protected names are rejected before anything is written.

use std::io;
use std::path::Path;

use cap_std::fs::Metadata;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CancellationToken, ErrorCode, ToolError};

use super::destination::{Destination, Lock};
use super::error::disk_error;
use super::file::FileStamp;
use super::history::PreviousState;
use super::protected_names::{is_secret, refused};
use super::temporary_file::TemporaryFile;
use super::{Root, Workspace, platform};

/// Handling of an existing file.
///
/// # Examples
/// ```
/// use tools_builtin::workspace::WriteMode;
///
/// assert_eq!(serde_json::to_string(&WriteMode::CreateNew)?, "\"create_new\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WriteMode {
    /// Replace the file.
    #[default]
    Overwrite,
    /// Return an error.
    CreateNew,
}

/// Result of a write.
///
/// # Examples
/// ```
/// use tool_core::CancellationToken;
/// use tool_test::Scratch;
/// use tools_builtin::workspace::{Workspace, WriteMode};
///
/// let scratch = Scratch::new();
/// let workspace = Workspace::open(scratch.path())?;
/// let cancellation = CancellationToken::new();
/// let written = workspace.write("path", "new/a.txt", b"hello", WriteMode::CreateNew, true, &cancellation)?;
/// assert_eq!((written.path.as_str(), written.created), ("new/a.txt", true));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// The path relative to the workspace root.
    pub path: String,
    /// Whether the file did not exist before.
    pub created: bool,
}

impl Workspace {
    /// Writes a complete file. A failure leaves the old content.
    ///
    /// The mode of a replaced file is kept, and so is a symlink to it. With `create_directories`,
    /// missing parent directories are created, at most 100.
    ///
    /// # Errors
    /// Returns an error if the path is outside the workspace, is a directory or is not writable, or
    /// if the disk is full. Returns [`ErrorCode::AlreadyExists`] with [`WriteMode::CreateNew`] if
    /// the path exists, [`ErrorCode::Protected`] if the location is protected or read-only, and
    /// [`ErrorCode::Conflict`] if another writer changes the file at the same time.
    pub fn write(
        &self,
        parameter: &str,
        path: &str,
        content: &[u8],
        mode: WriteMode,
        create_directories: bool,
        cancellation: &CancellationToken,
    ) -> Result<Written, ToolError> {
        let destination = match mode {
            WriteMode::Overwrite => {
                self.resolved_destination(parameter, path, create_directories)?
            }
            // Not through a symlink: creating the target of a dangling one could put the file anywhere.
            WriteMode::CreateNew => self.destination(parameter, path, create_directories)?,
        };
        let shown = destination.shown(&self.locate(parameter, path)?);
        let created = self
            .write_whole(parameter, &shown, &destination, content, mode, cancellation)
            .inspect_err(|_| destination.remove_created_directories(self))?;
        Ok(Written {
            path: shown,
            created,
        })
    }

    fn write_whole(
        &self,
        parameter: &str,
        shown: &str,
        destination: &Destination,
        content: &[u8],
        mode: WriteMode,
        cancellation: &CancellationToken,
    ) -> Result<bool, ToolError> {
        // The lock covers the comparison and the rename, so two calls can't both see the old file.
        let _lock = self.lock(parameter, destination, cancellation)?;
        if mode == WriteMode::CreateNew
            && let Ok(there) = destination.metadata()
        {
            return Err(already_exists(parameter, Some(&there)));
        }
        let old = old_file(parameter, destination)?;
        if let Some(old) = &old {
            self.check_names(parameter, old)?;
        }
        let before = self.before(parameter, destination, old.as_ref())?;
        destination
            .write(parameter, content, old.as_ref(), None, cancellation)
            .map_err(|error| match (mode, error.code()) {
                // Overwriting was requested, so the file must have been created during the write.
                (WriteMode::Overwrite, ErrorCode::AlreadyExists) => changed_concurrently(parameter),
                _ => error,
            })?;
        self.record_write(shown, destination, before, content);
        Ok(old.is_none())
    }

    /// Returns the state to record for the file that a write replaces.
    fn before(
        &self,
        parameter: &str,
        destination: &Destination,
        old: Option<&Metadata>,
    ) -> Result<PreviousState, ToolError> {
        let (Some(limit), Some(old)) = (self.keeps(), old) else {
            return Ok(old.map_or(PreviousState::Nothing, |_| PreviousState::NotRetained));
        };
        if old.len() > limit {
            return Ok(PreviousState::NotRetained);
        }
        let mut file = match destination.open(parameter, "") {
            // A file that is writable but not readable can be replaced, but not restored.
            Err(error) if *error.code() == ErrorCode::PermissionDenied => {
                return Ok(PreviousState::NotRetained);
            }
            opened => opened?,
        };
        // Otherwise `undo` would restore content that this write didn't replace.
        if FileStamp::of(file.metadata()) != FileStamp::of(old) {
            return Err(changed_concurrently(parameter));
        }
        match file.read(limit) {
            Ok(content) => Ok(PreviousState::Content(content.into())),
            Err(error) if *error.code() != ErrorCode::FileTooLarge => Err(error),
            Err(_) => Ok(PreviousState::NotRetained),
        }
    }

    pub(super) fn lock(
        &self,
        parameter: &str,
        destination: &Destination,
        cancellation: &CancellationToken,
    ) -> Result<Lock, ToolError> {
        let key = destination
            .key()
            .map_err(|error| disk_error(parameter, error))?;
        self.acquire(key, cancellation)
    }
}

/// Returns an error if the file at a place has changed.
pub(super) fn unchanged(
    parameter: &str,
    destination: &Destination,
    old: FileStamp,
) -> Result<(), ToolError> {
    match destination.metadata() {
        Ok(now) if FileStamp::of(&now) == old => Ok(()),
        _ => Err(changed_concurrently(parameter)),
    }
}

impl Destination {
    /// Writes a file next to the place, and renames it when it is complete. It replaces `old`, which must not have changed
    /// by then. Without `old`, there must be no file, and the new one has this mode or the usual one.
    pub(super) fn write(
        &self,
        parameter: &str,
        content: &[u8],
        old: Option<&Metadata>,
        mode: Option<u32>,
        cancellation: &CancellationToken,
    ) -> Result<(), ToolError> {
        let fail = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => already_exists(parameter, None),
            _ => disk_error(parameter, error),
        };
        let mut temporary = TemporaryFile::next_to(self, old).map_err(fail)?;
        temporary.fill(content, old, mode).map_err(fail)?;
        let expected = old.map(FileStamp::of);
        if let Some(expected) = expected {
            unchanged(parameter, self, expected)?;
        }
        // Check this last: a thread cannot be dropped, and nothing may change after cancellation.
        if cancellation.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let Some(expected) = expected else {
            return temporary.create().map_err(fail);
        };
        if temporary.replace(expected).map_err(fail)? {
            Ok(())
        } else {
            Err(changed_concurrently(parameter))
        }
    }
}

/// Returns the metadata of an existing file, if it may be replaced.
pub(super) fn old_file(
    parameter: &str,
    destination: &Destination,
) -> Result<Option<Metadata>, ToolError> {
    match destination.metadata() {
        Ok(metadata) => {
            platform::check_writable(&destination.directory, &destination.name, &metadata)
                .map_err(|error| disk_error(parameter, error))?;
            Ok(Some(metadata))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(disk_error(parameter, error)),
    }
}

pub(super) fn changed_concurrently(parameter: &str) -> ToolError {
    let sentence = "was changed concurrently, so nothing was written";
    ToolError::about(ErrorCode::Conflict, parameter, sentence)
        .suggest("Read the file again and repeat the change.")
}

pub(super) fn already_exists(parameter: &str, there: Option<&Metadata>) -> ToolError {
    if there.is_some_and(Metadata::is_dir) {
        return ToolError::about(ErrorCode::NotAFile, parameter, "is an existing directory")
            .suggest("Use the path of a file, such as one inside it.");
    }
    let exists = |sentence| ToolError::about(ErrorCode::AlreadyExists, parameter, sentence);
    if there.is_some_and(Metadata::is_symlink) {
        return exists("is a symlink, which a new file would replace")
            .suggest("Use another path, or the target of the symlink.");
    }
    exists("already exists").suggest("Use another path, or edit the existing file.")
}

impl Workspace {
    /// Rejects a change at `real` beneath `root` that is read-only or protected. `new_directories` is
    /// the number of directories to create.
    pub(super) fn check_change(
        &self,
        parameter: &str,
        root: &Root,
        real: &Path,
        new_directories: usize,
    ) -> Result<(), ToolError> {
        // Not the root of the path as written: through another root, the same file must not become writable.
        let ruling = self.innermost(&root.names.real.join(real));
        if ruling.unwrap_or(root).is_read_only() {
            return Err(self.read_only(parameter));
        }
        if is_secret(real) {
            return Err(refused(parameter));
        }
        let root_name = root.names.real.file_name();
        // New parents count too: `.git/hooks` must not appear as a side effect of creating a file in it.
        let mut changed = real.ancestors().take(new_directories + 1);
        if changed.any(|changed| self.protected().covers(root_name, changed)) {
            let sentence = "is protected, so nothing was changed";
            return Err(ToolError::about(ErrorCode::Protected, parameter, sentence)
                .suggest("Do not change it; tell the user which change is needed."));
        }
        if self.changes_bare_repository(root, real, new_directories) {
            let sentence =
                "is part of a directory that Git treats as a repository, so nothing was changed";
            return Err(ToolError::about(ErrorCode::Protected, parameter, sentence)
                .suggest("Use another directory or name."));
        }
        Ok(())
    }

    fn read_only(&self, parameter: &str) -> ToolError {
        let sentence = "is in a read-only directory, so nothing was changed";
        let error = ToolError::about(ErrorCode::Protected, parameter, sentence);
        match self.roots().find(|root| !root.is_read_only()) {
            Some(root) if root.number == 0 => {
                error.suggest("Use a path relative to the workspace root.")
            }
            Some(root) => error.suggest(format!("Use a path inside `{}`.", root.prefix)),
            None => error.suggest("The workspace is read-only; tell the user what to change."),
        }
    }
}
