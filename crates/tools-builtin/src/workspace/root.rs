//! The workspace itself.

use std::path::Path;
use std::sync::Arc;
use std::{fmt, io};

use cap_std::fs::Metadata;
use tool_core::{CancellationToken, ErrorCode, ToolError};

use super::error::{disk_error, is_escape, refuse_several_names};
use super::history::History;
use super::locks::Locks;
use super::path::{check_is_given, folded, join};
use super::protected::Protected;
use super::recorder::Recorder;
use super::roots::Located;
use super::walk::{Walk, WalkOptions};
use super::{
    Directory, Entry, EntryKind, File, Root, WorkingDirectory, WorkspaceBuilder, WorkspaceError,
    beneath, suggestion,
};

/// A capability to one folder or several, and what is in them. Cloning is cheap; clones are one workspace.
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
pub struct Workspace {
    shared: Arc<Shared>,
    recorder: Option<Arc<Recorder>>,
}

/// What all clones of a workspace have in common.
pub(super) struct Shared {
    pub(super) first: Root,
    pub(super) others: Vec<Root>,
    pub(super) locks: Arc<Locks>,
    pub(super) history: History,
    pub(super) protected: Protected,
    pub(super) refuses_hard_links: bool,
}

impl Workspace {
    /// Opens the folder at `path`, to read and to change. [`builder`](Self::builder) takes several.
    ///
    /// # Errors
    /// [`WorkspaceError`] when it cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, WorkspaceError> {
        Self::builder().root(path.as_ref()).build()
    }

    /// Grants several folders, also such that may only be read.
    pub fn builder() -> WorkspaceBuilder {
        WorkspaceBuilder::default()
    }

    pub(super) fn of(shared: Shared) -> Self {
        Self {
            shared: Arc::new(shared),
            recorder: None,
        }
    }

    pub(super) fn with_recorder(&self, recorder: Arc<Recorder>) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            recorder: Some(recorder),
        }
    }

    /// The last part of the first root's path: what a model may know of where the workspace is.
    #[must_use]
    pub fn display_name(&self) -> String {
        let names = &self.first_root().names;
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
        check_is_given(parameter, path)?;
        self.open_file(parameter, &self.locate(parameter, path)?)
    }

    pub(super) fn open_file(
        &self,
        parameter: &str,
        located: &Located<'_, '_>,
    ) -> Result<File, ToolError> {
        let handle = beneath::open_file(&located.root.dir, located.path())
            .map_err(|error| self.path_error(parameter, located, error))?;
        let file = File::of(parameter, handle, located.shown())?;
        self.check_names(parameter, file.metadata())?;
        match located.resolved(|| Ok(file.metadata().clone())) {
            Some(path) => Ok(file.shown_as(path)),
            None => Ok(file),
        }
    }

    /// Opens a folder that is there; `.` is the first root.
    ///
    /// # Errors
    /// A path that leads out, that is not there (with the nearest name), or that is no folder.
    pub fn existing_dir(&self, parameter: &str, path: &str) -> Result<Directory, ToolError> {
        let located = self.locate(parameter, path)?;
        let handle =
            beneath::open_folder(&located.root.dir, located.path()).map_err(|error| match error
                .kind()
            {
                io::ErrorKind::NotADirectory => not_a_folder(parameter, error),
                _ => self.path_error(parameter, &located, error),
            })?;
        let resolved = located.resolved(|| handle.dir_metadata());
        Ok(Directory {
            handle: Arc::new(handle),
            path: resolved.unwrap_or_else(|| located.shown()),
            refuses_hard_links: self.shared.refuses_hard_links,
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
        let (root, relative) = self.beneath(entry.path());
        let metadata = root.dir.metadata(relative).ok()?;
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
        if path == "." {
            // It is open already, and stays what it was opened as.
            let root = self.first_root();
            let plain = root.names.real.clone();
            return Ok(WorkingDirectory::new(
                Arc::clone(&root.dir),
                path.to_owned(),
                plain,
            ));
        }
        let folder = self.existing_dir(parameter, path)?;
        let (root, relative) = self.beneath(folder.path());
        let plain = root.names.real.join(relative);
        Ok(WorkingDirectory::new(folder.handle, folder.path, plain))
    }

    /// One text for all ways to write a path, to let calls about the same file wait for each other. It is compared
    /// and never opened.
    #[must_use]
    pub fn key_of(&self, path: &str) -> String {
        self.locate("path", path).map_or_else(
            |_| folded(path),
            |located| join(&located.root.prefix, &folded(&located.relative)),
        )
    }

    pub(super) fn first_root(&self) -> &Root {
        &self.shared.first
    }

    pub(super) fn other_roots(&self) -> &[Root] {
        &self.shared.others
    }

    pub(super) fn locks(&self) -> &Arc<Locks> {
        &self.shared.locks
    }

    pub(super) fn history(&self) -> &History {
        &self.shared.history
    }

    /// Whether `path`, relative to a root and without links, may not be changed.
    #[cfg(feature = "sandbox")]
    pub(crate) fn protects(&self, path: &Path) -> bool {
        self.protected().covers(None, path)
    }

    pub(super) fn protected(&self) -> &Protected {
        &self.shared.protected
    }

    /// Refuses a file that has other names, where the host wants that.
    pub(super) fn check_names(
        &self,
        parameter: &str,
        metadata: &Metadata,
    ) -> Result<(), ToolError> {
        if self.shared.refuses_hard_links {
            refuse_several_names(parameter, metadata)?;
        }
        Ok(())
    }

    pub(super) fn recorder(&self) -> Option<&Recorder> {
        self.recorder.as_deref()
    }

    /// The error of the disk for a path, with what to do instead where that can be found out.
    pub(super) fn path_error(
        &self,
        parameter: &str,
        located: &Located<'_, '_>,
        error: io::Error,
    ) -> ToolError {
        // A path that runs out behind a folder that is not there is still one that was meant to lead out.
        if error.kind() == io::ErrorKind::NotFound
            && folded(&located.relative).split('/').next() == Some("..")
        {
            return ToolError::path_outside_workspace(parameter).caused_by(error);
        }
        let suggestion = if is_escape(&error) {
            suggestion::for_absolute_link(located.root, &located.relative)
        } else if error.kind() == io::ErrorKind::NotFound {
            suggestion::for_missing(self, located)
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
