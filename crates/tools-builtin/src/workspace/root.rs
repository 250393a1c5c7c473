//! Directories granted by a workspace, and opening of existing entries beneath their handles.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use tool_core::{ErrorCode, ToolError};

use super::error::refuse_several_names;
use super::path::{RootNames, check_is_given, folded, join, shown, unescaped};
use super::protected_names::{is_secret, refused};
use super::{Directory, File, Workspace, WorkspaceError, beneath, platform};

/// Directory granted by a workspace. For the host only, because it contains host paths.
///
/// # Examples
/// ```
/// use tool_test::Scratch;
/// use tools_builtin::workspace::Workspace;
///
/// let scratch = Scratch::new().folder("project").folder("manual");
/// let workspace = Workspace::builder()
///     .root(scratch.path().join("project"))
///     .read_only_root(scratch.path().join("manual"))
///     .build()?;
/// let read_only: Vec<bool> = workspace.roots().map(|root| root.is_read_only()).collect();
/// assert_eq!(read_only, [false, true]);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub struct Root {
    /// Index in the workspace.
    pub(super) number: usize,
    pub(super) dir: Arc<Dir>,
    pub(super) names: RootNames,
    pub(super) read_only: bool,
    /// Prefix of displayed paths: `.` for the first root, which adds no prefix.
    pub(super) prefix: String,
}

impl Root {
    #[expect(
        clippy::disallowed_methods,
        reason = "the path of the host, not of a model"
    )]
    pub(super) fn open(
        path: &Path,
        read_only: bool,
        number: usize,
    ) -> Result<Self, WorkspaceError> {
        let fail = |error| WorkspaceError::of(path, error);
        // The only place that opens a root by path. Everything else is resolved beneath this handle.
        let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(fail)?;
        let names = RootNames {
            display: std::path::absolute(path).map_err(fail)?,
            real: std::fs::canonicalize(path).map_err(fail)?,
        };
        let prefix = if number == 0 {
            ".".to_owned()
        } else {
            names.display.to_string_lossy().into_owned()
        };
        Ok(Self {
            number,
            dir: Arc::new(dir),
            names,
            read_only,
            prefix,
        })
    }

    /// Returns the same directory, for another workspace.
    #[cfg(feature = "document-sets")]
    pub(super) fn share(&self) -> Self {
        Self {
            number: self.number,
            dir: Arc::clone(&self.dir),
            names: self.names.clone(),
            read_only: self.read_only,
            prefix: self.prefix.clone(),
        }
    }

    /// Returns the absolute path as given by the host.
    pub fn path(&self) -> &Path {
        &self.names.display
    }

    /// Returns the absolute path with symlinks resolved when the workspace was opened.
    pub fn real_path(&self) -> &Path {
        &self.names.real
    }

    /// Returns the open handle, to grant access to everything beneath it.
    #[cfg(all(feature = "shell", target_os = "linux"))]
    pub(crate) fn handle(&self) -> &Dir {
        &self.dir
    }

    /// Returns whether the directory is read-only.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Returns the displayed form of a path beneath the root, which is valid input.
    pub(super) fn shown(&self, relative: &str) -> String {
        match shown(relative) {
            path if path == "." => self.prefix.clone(),
            path => join(&self.prefix, &path),
        }
    }

    /// Opens a directory without computing suggestions.
    pub(super) fn open_directory_if_allowed(&self, relative: &str) -> Option<Directory> {
        let handle = beneath::open_directory(&self.dir, Path::new(relative)).ok()?;
        Some(Directory {
            handle: Arc::new(handle),
            path: self.shown(relative),
            refuses_hard_links: false,
        })
    }
}

tool_core::debug_fields!(Root, this => path: this.names.display, read_only: this.read_only);

/// Path of a model, split into its root and the rest.
#[derive(Debug)]
pub(super) struct LocatedPath<'w, 'p> {
    pub(super) root: &'w Root,
    pub(super) relative: Cow<'p, str>,
    /// The path on disk, if `relative` shows it escaped.
    raw: Option<PathBuf>,
}

impl<'w, 'p> LocatedPath<'w, 'p> {
    pub(super) fn new(root: &'w Root, relative: impl Into<Cow<'p, str>>) -> Self {
        Self {
            root,
            relative: relative.into(),
            raw: None,
        }
    }

    /// Finds the entry that is shown by this path because its name is not UTF-8.
    fn unescaped(self) -> Self {
        let raw = unescaped(&self.relative);
        // A file of this very name is meant first.
        let raw = raw.filter(|_| self.root.dir.symlink_metadata(self.path()).is_err());
        Self { raw, ..self }
    }

    /// Rejects the escaped form of a name for a change: journals, history and undo keep paths as text.
    pub(super) fn checked_to_change(self, parameter: &str) -> Result<Self, ToolError> {
        let located = self.unescaped();
        if located.raw.is_none() {
            return Ok(located);
        }
        let sentence = "names a file whose name is not UTF-8, which can only be read";
        Err(ToolError::invalid_arguments(parameter, sentence)
            .suggest("Rename it with a command first, such as `mv caf?.txt cafe.txt`."))
    }

    pub(super) fn path(&self) -> &Path {
        let shown = Path::new(self.relative.as_ref());
        self.raw.as_deref().unwrap_or(shown)
    }

    pub(super) fn shown(&self) -> String {
        self.root.shown(&self.relative)
    }

    /// Returns whether the path contains `..`.
    pub(super) fn has_parent_component(&self) -> bool {
        self.relative.split('/').any(|part| part == "..")
    }

    /// Folds `..` lexically.
    pub(super) fn folded(mut self) -> Self {
        if self.has_parent_component() {
            let slash = if self.relative.ends_with('/') {
                "/"
            } else {
                ""
            };
            self.relative = match folded(&self.relative) {
                path if path.is_empty() => Cow::Borrowed("."),
                path => Cow::Owned(format!("{path}{slash}")),
            };
        }
        self
    }

    /// Returns the displayed path of an open entry if its path contains `..`: the real path, if it
    /// refers to the same file. Lexical folding would be wrong after a symlink.
    pub(super) fn resolved(&self, opened: impl FnOnce() -> io::Result<Metadata>) -> Option<String> {
        if !self.has_parent_component() {
            return None;
        }
        let real = self.root.dir.canonicalize(self.path()).ok()?;
        let found = self.root.dir.metadata(&real).ok()?;
        // The path may have changed since the entry was opened. Showing another one would be worse than none.
        let is_same = platform::identity(&found)? == platform::identity(&opened().ok()?)?;
        is_same.then(|| Some(self.root.shown(real.to_str()?)))?
    }
}

impl Workspace {
    /// Opens an existing regular file.
    ///
    /// # Errors
    /// Returns an error if the path is outside the workspace, does not exist (with similar names)
    /// or is not a regular file.
    pub fn existing_file(&self, parameter: &str, path: &str) -> Result<File, ToolError> {
        check_is_given(parameter, path)?;
        self.open_file(parameter, &self.locate(parameter, path)?.unescaped())
    }

    pub(super) fn open_file(
        &self,
        parameter: &str,
        located: &LocatedPath<'_, '_>,
    ) -> Result<File, ToolError> {
        let handle = beneath::open_file(&located.root.dir, located.path())
            .map_err(|error| self.path_error(parameter, located, error))?;
        // Check the type of the opened handle: between a `stat` and an `open`, the path could become a device.
        let mut file = File::of(parameter, handle, located.shown())?;
        self.check_names(parameter, file.metadata())?;
        if is_secret(located.path()) || resolves_to_secret(located, file.metadata()) {
            return Err(refused(parameter));
        }
        if let Some(path) = located.resolved(|| Ok(file.metadata().clone())) {
            file.path = path;
        }
        Ok(file)
    }

    /// Opens an existing directory; `.` is the first root.
    ///
    /// # Errors
    /// Returns an error if the path is outside the workspace, does not exist (with similar names)
    /// or is not a directory.
    pub fn existing_dir(&self, parameter: &str, path: &str) -> Result<Directory, ToolError> {
        let located = self.locate(parameter, path)?.unescaped();
        let handle = beneath::open_directory(&located.root.dir, located.path()).map_err(
            |error| match error.kind() {
                io::ErrorKind::NotADirectory => not_a_directory(parameter, error),
                _ => self.path_error(parameter, &located, error),
            },
        )?;
        if is_secret(located.path()) || is_secret_directory(&located) {
            return Err(refused(parameter));
        }
        let resolved = located.resolved(|| handle.dir_metadata());
        Ok(Directory {
            handle: Arc::new(handle),
            path: resolved.unwrap_or_else(|| located.shown()),
            refuses_hard_links: self.shared.refuses_hard_links,
        })
    }

    /// Rejects a file with several hard links, if the host requires it.
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
}

/// Returns whether a private file is reached through a link to a directory of tokens. Token files are
/// always private, so other files need no further system call.
fn resolves_to_secret(located: &LocatedPath<'_, '_>, metadata: &Metadata) -> bool {
    platform::is_private(metadata) && is_secret_directory(located)
}

fn is_secret_directory(located: &LocatedPath<'_, '_>) -> bool {
    let real = located.root.dir.canonicalize(located.path());
    real.is_ok_and(|real| is_secret(&real))
}

fn not_a_directory(parameter: &str, error: io::Error) -> ToolError {
    ToolError::about(ErrorCode::NotADirectory, parameter, "is not a directory")
        .suggest("Use the path of a directory, such as its parent.")
        .caused_by(error)
}
