//! The workspace itself.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::{fmt, io};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use tool_core::{CancellationToken, ErrorCode, ToolError};

use super::error::{disk_error, is_escape};
use super::locks::Locks;
use super::path::{RootNames, folded, shown};
use super::walk::{Walk, WalkOptions};
use super::{
    Directory, Entry, EntryKind, File, WorkingDirectory, WorkspaceError, platform, suggestion,
};

/// A capability to one folder and what is in it. Cloning is cheap; clones are one workspace.
///
/// The first argument of its methods is the name of the parameter that gave the path, so that errors can name it.
/// All of them block.
///
/// # Examples
/// ```
/// use tool_core::ErrorCode;
/// use tool_test::Scratch;
/// use tools_builtin::workspace::Workspace;
///
/// let scratch = Scratch::new().file("a.txt", "hello");
/// let workspace = Workspace::open(scratch.path())?;
/// assert_eq!(workspace.existing_file("path", "a.txt")?.read(1024)?, b"hello");
///
/// let error = workspace.existing_file("path", "../secret").err().ok_or("it was opened")?;
/// assert_eq!(error.code(), &ErrorCode::PathOutsideWorkspace);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Workspace(Arc<Root>);

pub(super) struct Root {
    pub(super) dir: Arc<Dir>,
    pub(super) names: RootNames,
    locks: Arc<Locks>,
}

impl Workspace {
    /// Opens the folder at `path`.
    ///
    /// # Errors
    /// [`WorkspaceError`] when it cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, WorkspaceError> {
        let path = path.as_ref();
        let fail = |error| WorkspaceError::of(path, error);
        let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(fail)?;
        let names = RootNames {
            display: std::path::absolute(path).map_err(fail)?,
            real: std::fs::canonicalize(path).map_err(fail)?,
        };
        let dir = Arc::new(dir);
        Ok(Self(Arc::new(Root {
            dir,
            names,
            locks: Arc::default(),
        })))
    }

    /// The last part of the root's path: what a model may know of where the workspace is.
    #[must_use]
    pub fn display_name(&self) -> String {
        let names = &self.0.names;
        names
            .display
            .file_name()
            .or_else(|| names.real.file_name())
            .map_or_else(
                || "workspace".to_owned(),
                |name| name.to_string_lossy().into_owned(),
            )
    }

    /// Opens a regular file that is there.
    ///
    /// # Errors
    /// A path that leads out, that is not there (with the nearest name), or that is no regular file.
    pub fn existing_file(&self, parameter: &str, path: &str) -> Result<File, ToolError> {
        let relative = self.relative(parameter, path)?;
        let handle = platform::open_beneath(&self.0.dir, Path::new(relative.as_ref()))
            .map_err(|error| self.path_error(parameter, &relative, error))?;
        File::of(parameter, handle, shown(&relative))
    }

    /// Opens a folder that is there; `.` is the root.
    ///
    /// # Errors
    /// A path that leads out, that is not there (with the nearest name), or that is no folder.
    pub fn existing_dir(&self, parameter: &str, path: &str) -> Result<Directory, ToolError> {
        let relative = self.relative(parameter, path)?;
        let handle =
            self.0
                .dir
                .open_dir(relative.as_ref())
                .map_err(|error| match error.kind() {
                    io::ErrorKind::NotADirectory => not_a_folder(parameter, error),
                    _ => self.path_error(parameter, &relative, error),
                })?;
        Ok(Directory {
            handle: Arc::new(handle),
            path: shown(&relative),
        })
    }

    /// Goes through a folder and what is below it, in the order of the paths' bytes.
    ///
    /// # Errors
    /// Those of [`existing_dir`](Self::existing_dir), for the folder itself. Folders below that cannot be read are
    /// passed over and counted.
    pub fn walk(
        &self,
        parameter: &str,
        path: &str,
        options: &WalkOptions,
        cancellation: &CancellationToken,
    ) -> Result<Walk, ToolError> {
        let folder = self.existing_dir(parameter, path)?;
        Walk::new(
            self,
            parameter,
            &folder,
            options.clone(),
            cancellation.clone(),
        )
    }

    /// What the link `entry` leads to and its size in bytes; `None` when that is outside, or nothing.
    #[must_use]
    pub fn target_of(&self, entry: &Entry) -> Option<(EntryKind, u64)> {
        let metadata = self.0.dir.metadata(entry.path()).ok()?;
        Some((EntryKind::of(metadata.file_type()), metadata.len()))
    }

    /// A folder to run a program in; `.` is the root.
    ///
    /// # Errors
    /// Those of [`existing_dir`](Self::existing_dir).
    pub fn working_directory(
        &self,
        parameter: &str,
        path: &str,
    ) -> Result<WorkingDirectory, ToolError> {
        let folder = self.existing_dir(parameter, path)?;
        let plain = self.0.names.real.join(folder.path());
        let handle = folder
            .handle
            .try_clone()
            .map_err(|error| disk_error(parameter, error))?;
        Ok(WorkingDirectory::new(handle, folder.path, plain))
    }

    /// One text for all ways to write a path, to let calls about the same file wait for each other. It is compared
    /// and never opened.
    #[must_use]
    pub fn key_of(&self, path: &str) -> String {
        let relative = self.relative("path", path);
        folded(relative.as_deref().unwrap_or(path))
    }

    /// Opens a folder without looking for what may have been meant.
    pub(super) fn existing_folder_quietly(&self, path: &str) -> Option<Directory> {
        let handle = self.0.dir.open_dir(path).ok()?;
        Some(Directory {
            handle: Arc::new(handle),
            path: shown(path),
        })
    }

    /// The handles of all roots.
    #[cfg(feature = "sandbox")]
    pub(crate) fn roots(&self) -> impl Iterator<Item = &Arc<Dir>> {
        std::iter::once(&self.0.dir)
    }

    /// The handles of the roots that may be written.
    #[cfg(feature = "sandbox")]
    pub(crate) fn writable_roots(&self) -> impl Iterator<Item = &Arc<Dir>> {
        std::iter::once(&self.0.dir)
    }

    pub(super) fn dir(&self) -> &Arc<Dir> {
        &self.0.dir
    }

    pub(super) fn locks(&self) -> &Arc<Locks> {
        &self.0.locks
    }

    pub(super) fn relative<'p>(
        &self,
        parameter: &str,
        path: &'p str,
    ) -> Result<Cow<'p, str>, ToolError> {
        self.0.names.relative(parameter, path)
    }

    /// The error of the disk for `relative`, with what to do instead where that can be found out.
    pub(super) fn path_error(
        &self,
        parameter: &str,
        relative: &str,
        error: io::Error,
    ) -> ToolError {
        // A path that runs out behind a folder that is not there is still one that was meant to lead out.
        if error.kind() == io::ErrorKind::NotFound
            && folded(relative).split('/').next() == Some("..")
        {
            return ToolError::path_outside_workspace(parameter).caused_by(error);
        }
        let suggestion = if is_escape(&error) {
            suggestion::for_absolute_link(&self.0.dir, &self.0.names, relative)
        } else if error.kind() == io::ErrorKind::NotFound {
            suggestion::for_missing(self, relative)
        } else {
            None
        };
        let error = disk_error(parameter, error);
        match suggestion {
            Some(suggestion) => error.suggest(suggestion),
            None => error,
        }
    }
}

fn not_a_folder(parameter: &str, error: io::Error) -> ToolError {
    ToolError::about(ErrorCode::NotADirectory, parameter, "is not a folder")
        .suggest("Give the path of a folder, such as the one that holds it.")
        .caused_by(error)
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Workspace")
            .field(&self.display_name())
            .finish()
    }
}
