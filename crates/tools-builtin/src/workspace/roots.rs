//! The folders that a workspace grants.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::{fmt, io};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use tool_core::ToolError;

use super::path::{RootNames, check_text, is_foreign, join, shown};
use super::place::Place;
use super::{Directory, Workspace, WorkspaceError, beneath, platform};

/// One folder that a workspace grants. It is for the host: it names the host's folders.
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
    /// The how manieth of its workspace.
    pub(super) number: usize,
    pub(super) dir: Arc<Dir>,
    pub(super) names: RootNames,
    pub(super) read_only: bool,
    /// What stands before the paths in it: `.` for the first root, which is before none.
    pub(super) prefix: String,
}

impl Root {
    #[expect(
        clippy::disallowed_methods,
        reason = "the host's own path, not a model's: here the handles come from"
    )]
    pub(super) fn open(
        path: &Path,
        read_only: bool,
        number: usize,
    ) -> Result<Self, WorkspaceError> {
        let fail = |error| WorkspaceError::of(path, error);
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

    /// The absolute path as the host wrote it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.names.display
    }

    /// The absolute path with links resolved, as it was when the workspace was opened.
    #[must_use]
    pub fn real_path(&self) -> &Path {
        &self.names.real
    }

    /// The open handle, to grant what is beneath it.
    #[cfg(feature = "sandbox")]
    pub(crate) fn handle(&self) -> &Dir {
        &self.dir
    }

    /// Whether nothing may be changed in it.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// A path beneath the root as it is shown, and can be given back.
    pub(super) fn shown(&self, relative: &str) -> String {
        match shown(relative) {
            path if path == "." => self.prefix.clone(),
            path => join(&self.prefix, &path),
        }
    }

    /// Opens a folder without looking for what may have been meant.
    pub(super) fn folder_quietly(&self, relative: &str) -> Option<Directory> {
        let handle = beneath::open_folder(&self.dir, Path::new(relative)).ok()?;
        Some(Directory {
            handle: Arc::new(handle),
            path: self.shown(relative),
            refuses_hard_links: false,
        })
    }
}

impl fmt::Debug for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Root")
            .field("path", &self.names.display)
            .field("read_only", &self.read_only)
            .finish_non_exhaustive()
    }
}

/// A path of a model: the root it is beneath, and the rest.
#[derive(Debug)]
pub(super) struct Located<'w, 'p> {
    pub(super) root: &'w Root,
    pub(super) relative: Cow<'p, str>,
}

impl Located<'_, '_> {
    pub(super) fn path(&self) -> &Path {
        Path::new(self.relative.as_ref())
    }

    pub(super) fn shown(&self) -> String {
        self.root.shown(&self.relative)
    }

    /// Whether the path goes up somewhere.
    pub(super) fn climbs(&self) -> bool {
        self.relative.split('/').any(|part| part == "..")
    }

    /// The path of what was opened at one that goes up somewhere, as it is shown: where it really is, when that leads to
    /// the same file. Nothing is folded by its letters: behind a link, `..` is not what was written before it.
    pub(super) fn resolved(&self, opened: impl FnOnce() -> io::Result<Metadata>) -> Option<String> {
        if !self.climbs() {
            return None;
        }
        let real = self.root.dir.canonicalize(self.path()).ok()?;
        let found = self.root.dir.metadata(&real).ok()?;
        let is_same = platform::identity(&found)? == platform::identity(&opened().ok()?)?;
        is_same.then(|| Some(self.root.shown(real.to_str()?)))?
    }

    /// The path of a place there as it is shown: where it really is, if the path goes up somewhere.
    pub(super) fn shown_at(&self, place: &Place) -> String {
        match place.real.to_str() {
            Some(real) if self.climbs() => self.root.shown(real),
            _ => self.shown(),
        }
    }
}

impl Workspace {
    /// The granted folders; paths that are not absolute are in the first one.
    pub fn roots(&self) -> impl Iterator<Item = &Root> {
        std::iter::once(self.first_root()).chain(self.other_roots())
    }

    /// The names that nothing may change, at any depth and with everything below them.
    pub fn protected_names(&self) -> impl Iterator<Item = &str> {
        self.protected().names().iter().map(String::as_str)
    }

    /// Which root a path is beneath. An absolute one belongs to the root with the longest name that it begins with.
    pub(super) fn locate<'p>(
        &self,
        parameter: &str,
        path: &'p str,
    ) -> Result<Located<'_, 'p>, ToolError> {
        check_text(parameter, path)?;
        let outside = || ToolError::path_outside_workspace(parameter);
        let absolute = Path::new(path).is_absolute();
        if !absolute && (is_foreign(path) || path.starts_with('/')) || path.starts_with("//") {
            return Err(outside());
        }
        if !absolute {
            let root = self.first_root();
            let relative = Cow::Borrowed(path);
            return Ok(Located { root, relative });
        }
        self.roots()
            .filter_map(|root| Some((root, root.names.relative(path)?)))
            .min_by_key(|(_, relative)| length_of(relative))
            .map(|(root, relative)| Located { root, relative })
            .ok_or_else(outside)
    }

    /// The root that says what may be done with a file, by where it really is: the innermost one.
    pub(super) fn innermost(&self, real: &Path) -> Option<&Root> {
        let around = self
            .roots()
            .filter(|root| real.starts_with(&root.names.real));
        around.max_by_key(|root| (root.names.real.components().count(), root.read_only))
    }

    /// The root of a path as it is shown, and the rest.
    pub(super) fn beneath<'p>(&self, shown: &'p str) -> (&Root, &'p str) {
        let rest_of = |root: &Root| match shown.strip_prefix(&root.prefix)? {
            "" => Some("."),
            rest if root.prefix.ends_with('/') => Some(rest),
            rest => rest.strip_prefix('/'),
        };
        self.other_roots()
            .iter()
            .filter_map(|root| Some((root, rest_of(root)?)))
            .min_by_key(|(_, rest)| length_of(rest))
            .unwrap_or((self.first_root(), shown))
    }
}

/// How much of a path stands behind the root.
fn length_of(relative: &str) -> usize {
    if relative == "." { 0 } else { relative.len() }
}
