//! Workspaces of several folders.

use std::path::PathBuf;
use std::sync::Arc;

use super::history::History;
use super::protected::Protected;
use super::root::Shared;
use super::{Root, Workspace, WorkspaceError};

/// Makes a [`Workspace`] of one folder or several.
///
/// Paths that are not absolute are in the first root. What is in the others is reached by its absolute path, which is
/// also how tools show it; so a model is told where they are. Where one root is inside another, the inner one says
/// whether its files may be changed, however their path is written.
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
}

impl WorkspaceBuilder {
    /// Grants a folder, to read and to change.
    pub fn root(self, path: impl Into<PathBuf>) -> Self {
        self.with_root(path.into(), false)
    }

    /// Grants a folder, to read alone.
    pub fn read_only_root(self, path: impl Into<PathBuf>) -> Self {
        self.with_root(path.into(), true)
    }

    /// How many changes can be taken back, and how many bytes of memory may be taken for what they replaced. Without
    /// this, the last 100 changes and 64 MB; the oldest ones make room for new ones. With 0 changes nothing is kept.
    pub fn keep_changes(self, count: usize, bytes: usize) -> Self {
        Self {
            kept_changes: Some((count, bytes)),
            ..self
        }
    }

    /// Protects a name, or a glob of names such as `secrets/*.pem`, at any depth and with everything below it: it can
    /// be read, and every change is refused with [`ErrorCode::Protected`](tool_core::ErrorCode::Protected), whether or
    /// not it is there, through links, and in other cases of letters.
    ///
    /// What git runs or looks for what it runs in is protected without this: below `.git` the names `hooks`, `config`,
    /// `config.worktree`, `commondir`, `gitdir`, `modules` and `worktrees`, and a file or new folder called `.git`; and
    /// so is `.toolwright`, for the policies of hosts. Tools of this crate that write files keep to it; what programs do
    /// is for a sandbox to say.
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

    /// Leaves unprotected what is protected without [`protect`](Self::protect).
    pub fn without_standard_protection(self) -> Self {
        Self {
            standard_unprotected: true,
            ..self
        }
    }

    /// Refuses to open files that have several names. Such a file may be one from outside the roots, which no path can
    /// tell. Package managers make many of them.
    pub fn refuse_hard_links(self) -> Self {
        Self {
            refuses_hard_links: true,
            ..self
        }
    }

    fn with_root(mut self, path: PathBuf, read_only: bool) -> Self {
        self.roots.push((path, read_only));
        self
    }

    /// Opens the folders.
    ///
    /// # Errors
    /// [`WorkspaceError`] when one of them cannot be opened, there is none, or a name to protect is none.
    pub fn build(self) -> Result<Workspace, WorkspaceError> {
        let opened: Result<Vec<Root>, WorkspaceError> = self
            .roots
            .iter()
            .enumerate()
            .map(|(index, (path, read_only))| Root::open(path, *read_only, index))
            .collect();
        let mut roots = opened?.into_iter();
        let first = roots.next().ok_or(WorkspaceError::NoRoot)?;
        let history = match self.kept_changes {
            Some((count, bytes)) => History::new(count, bytes),
            None => History::default(),
        };
        Ok(Workspace::of(Shared {
            first,
            others: roots.collect(),
            locks: Arc::default(),
            history,
            protected: Protected::of(!self.standard_unprotected, &self.protected)?,
            refuses_hard_links: self.refuses_hard_links,
        }))
    }
}
