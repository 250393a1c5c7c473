//! Builder of workspaces.

use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(target_os = "linux")]
use super::checkpoint::{Checkpoints, StatePlace};
use super::history::History;
use super::protected_names::ProtectedNames;
use super::{Root, Shared, Workspace, WorkspaceError, hooks_path};

/// Builder of a [`Workspace`] with one or several roots.
///
/// Relative paths are resolved in the first root. Entries of the other roots are addressed and
/// shown by absolute path, so the prompt should state their location. If one root is inside
/// another, the inner root decides whether its files may be changed, regardless of the spelling of
/// the path.
///
/// # Examples
/// ```
/// use tool_core::{CancellationToken, ErrorCode};
/// use tool_test::Scratch;
/// use tools_builtin::workspace::{Workspace, WriteMode};
///
/// let scratch = Scratch::new().folder("project").file("manual/intro.md", "hello");
/// let manual = scratch.path().join("manual");
/// let workspace =
///     Workspace::builder().root(scratch.path().join("project")).read_only_root(&manual).build()?;
///
/// let path = manual.join("intro.md").display().to_string();
/// assert_eq!(workspace.existing_file("path", &path)?.path(), path);
///
/// let none = CancellationToken::new();
/// let error = workspace.write("path", &path, b"", WriteMode::Overwrite, true, &none).err();
/// assert_eq!(error.as_ref().map(|error| error.code()), Some(&ErrorCode::Protected));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct WorkspaceBuilder {
    roots: Vec<(PathBuf, bool)>,
    kept_changes: Option<(usize, usize)>,
    protected: Vec<String>,
    standard_unprotected: bool,
    refuses_hard_links: bool,
    #[cfg(target_os = "linux")]
    state: StatePlace,
}

impl WorkspaceBuilder {
    /// Adds a root for reading and writing.
    pub fn root(mut self, path: impl Into<PathBuf>) -> Self {
        self.roots.push((path.into(), false));
        self
    }

    /// Adds a read-only root.
    pub fn read_only_root(mut self, path: impl Into<PathBuf>) -> Self {
        self.roots.push((path.into(), true));
        self
    }

    /// Sets how many changes can be undone, and how many bytes of memory the contents they replaced
    /// may use. The default is 100 changes and 64 MB. New changes evict the oldest ones; with 0
    /// changes, nothing is kept and [`undo`](Workspace::undo) always fails.
    pub fn keep_changes(mut self, count: usize, bytes: usize) -> Self {
        self.kept_changes = Some((count, bytes));
        self
    }

    /// Protects a name, or a glob of names such as `secrets/*.pem`, at any depth, including
    /// everything below it. Protected entries can be read. Every change fails with
    /// [`ErrorCode::Protected`](tool_core::ErrorCode::Protected), whether or not the entry exists,
    /// even through a symlink or in another letter case.
    ///
    /// By default, programs that Git runs and files that name them are protected, because Git runs
    /// them as the user, outside any sandbox: `hooks`,
    /// `config`, `config.worktree`, `commondir`, `gitdir`, `modules` and `worktrees` below `.git`,
    /// and a file or new directory named `.git`. The same applies to directories that look like a bare
    /// repository, and entries that would complete one (`HEAD`, `objects`, `refs`). `.toolwright` is protected for the policies of
    /// hosts. Tools of this crate that write files enforce the protection; programs are restricted
    /// only by a sandbox.
    ///
    /// # Examples
    /// ```
    /// use tool_core::{CancellationToken, ErrorCode};
    /// use tool_test::Scratch;
    /// use tools_builtin::workspace::{Workspace, WriteMode};
    ///
    /// let scratch = Scratch::new();
    /// let workspace = Workspace::builder().root(scratch.path()).protect("policy.json").build()?;
    /// let none = CancellationToken::new();
    /// for path in ["policy.json", "sub/Policy.JSON", ".git/hooks/pre-commit"] {
    ///     let error = workspace.write("path", path, b"", WriteMode::Overwrite, true, &none).err();
    ///     assert_eq!(error.as_ref().map(|error| error.code()), Some(&ErrorCode::Protected));
    /// }
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn protect(mut self, name: impl Into<String>) -> Self {
        self.protected.push(name.into());
        self
    }

    /// Disables the default protection described in [`protect`](Self::protect). A model can then make
    /// your next `git` command run a program of its choice.
    pub fn without_standard_protection(mut self) -> Self {
        self.standard_unprotected = true;
        self
    }

    /// Rejects files with several hard links. One of the links may be outside the roots, and no path
    /// shows that. Allowed by default, because package managers create many hard links.
    pub fn refuse_hard_links(mut self) -> Self {
        self.refuses_hard_links = true;
        self
    }

    /// Sets the directory for the copies that [`checkpoint`](Workspace::checkpoint) makes, for the locks with which several
    /// processes edit one file, for the journal of changes of several files, and for what restores protected files if this
    /// process ends during a command. It must be outside the roots, and is created with access for the user only. The default is
    /// `toolwright/checkpoints` in `XDG_STATE_HOME` or `~/.local/state`.
    #[cfg(target_os = "linux")]
    pub fn checkpoints_in(mut self, directory: impl Into<PathBuf>) -> Self {
        self.state = StatePlace::At(directory.into());
        self
    }

    /// Disables checkpoints: nothing is copied, and commands cannot be undone. There are no locks between processes either,
    /// no journal of changes of several files, and nothing restores protected files if this process ends during a command,
    /// because all of it is in the same directory.
    #[cfg(target_os = "linux")]
    pub fn without_checkpoints(mut self) -> Self {
        self.state = StatePlace::Nowhere;
        self
    }

    /// Opens the roots.
    ///
    /// # Errors
    /// Returns [`WorkspaceError`] if there is no root, a root cannot be opened or a protected name
    /// is invalid.
    pub fn build(self) -> Result<Workspace, WorkspaceError> {
        let opened: Result<Vec<Root>, WorkspaceError> = self
            .roots
            .iter()
            .enumerate()
            .map(|(index, (path, read_only))| Root::open(path, *read_only, index))
            .collect();
        let mut roots = opened?.into_iter();
        // Stored apart, so that code which needs the first root has no case without one.
        let first = roots.next().ok_or(WorkspaceError::NoRoot)?;
        let history = match self.kept_changes {
            Some((count, bytes)) => History::new(count, bytes),
            None => History::default(),
        };
        let others: Vec<Root> = roots.collect();
        let protected = ProtectedNames::of(!self.standard_unprotected, &self.protected)?
            .with_hooks(hooks_path::configured(others.iter().chain([&first])));
        let workspace = Workspace::of(Shared {
            first,
            others,
            locks: Arc::default(),
            history,
            protected: Arc::new(protected),
            refuses_hard_links: self.refuses_hard_links,
            #[cfg(target_os = "linux")]
            checkpoints: Checkpoints::at(self.state),
        });
        workspace.recover_at_start();
        Ok(workspace)
    }
}

impl Workspace {
    /// Opens the directory at `path` for reading and writing. [`builder`](Self::builder) supports
    /// several roots.
    ///
    /// # Errors
    /// Returns [`WorkspaceError`] if the directory cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, WorkspaceError> {
        Self::builder().root(path.as_ref()).build()
    }

    /// Returns a builder of a workspace with several roots, which may be read-only.
    pub fn builder() -> WorkspaceBuilder {
        WorkspaceBuilder::default()
    }
}
