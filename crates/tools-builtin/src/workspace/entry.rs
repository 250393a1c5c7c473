//! Open directories and their entries.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use cap_std::fs::Dir;
use tool_core::ToolError;

use super::error::{disk_error, refuse_several_names};
use super::listing::{EntryKind, Name, read_names};
use super::path::join;
use super::{File, platform};

/// Entry of a directory. Keeps the handle of the directory open.
///
/// # Examples
/// ```
/// use tool_core::CancellationToken;
/// use tool_test::Scratch;
/// use tools_builtin::workspace::{EntryKind, WalkOptions, Workspace};
///
/// let scratch = Scratch::new().file("src/a.txt", "one\n");
/// let workspace = Workspace::open(scratch.path())?;
/// let mut walk = workspace.walk("path", ".", &WalkOptions::files(), &CancellationToken::new())?;
/// let entry = walk.next().ok_or("nothing there")?;
/// assert_eq!((entry.path(), entry.name(), entry.kind()), ("src/a.txt", "a.txt", EntryKind::File));
/// assert_eq!(entry.open("path")?.read(1024)?, b"one\n");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Entry {
    pub(super) directory: Arc<Dir>,
    pub(super) path: String,
    pub(super) kind: EntryKind,
    pub(super) depth: usize,
    pub(super) refuses_hard_links: bool,
    name_at: usize,
    /// Name as stored on disk, if it is not UTF-8 and therefore differs in `path`.
    raw_name: Option<OsString>,
}

impl Entry {
    /// Creates an entry of `directory`. `path` must end with `name`.
    pub(super) fn new(
        directory: &Arc<Dir>,
        path: String,
        name: &Name,
        depth: usize,
        refuses_hard_links: bool,
    ) -> Self {
        Self {
            directory: Arc::clone(directory),
            kind: name.kind,
            depth,
            refuses_hard_links,
            name_at: path.len().saturating_sub(name.text.len()),
            path,
            raw_name: name.raw.clone(),
        }
    }

    /// Returns the path relative to the workspace root, with `/` as the separator.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the last component of the path.
    pub fn name(&self) -> &str {
        self.path.get(self.name_at..).unwrap_or_default()
    }

    /// Returns the kind of the entry. Symlinks are not followed.
    pub fn kind(&self) -> EntryKind {
        self.kind
    }

    /// Returns the number of levels below the walked or listed directory; 1 for its own entries.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the size in bytes, read now; 0 if it cannot be read.
    pub fn size(&self) -> u64 {
        platform::size_of(&self.directory, self.raw_name()).unwrap_or_default()
    }

    pub(crate) fn into_path(self) -> String {
        self.path
    }

    /// Opens the entry, which must be a regular file. Symlinks are not followed.
    ///
    /// # Errors
    /// Returns [`ErrorCode::NotAFile`](tool_core::ErrorCode::NotAFile) if the entry is not a
    /// regular file. Returns [`ErrorCode::Protected`](tool_core::ErrorCode::Protected) if it has
    /// several hard links and the workspace rejects them. Returns an I/O error if opening fails.
    pub fn open(&self, parameter: &str) -> Result<File, ToolError> {
        let handle = platform::open_entry(&self.directory, self.raw_name())
            .map_err(|error| disk_error(parameter, error))?;
        let file = File::of(parameter, handle, self.path.clone())?;
        if self.refuses_hard_links {
            refuse_several_names(parameter, file.metadata())?;
        }
        Ok(file)
    }

    pub(super) fn raw_name(&self) -> &Path {
        let name = self.raw_name.as_deref();
        Path::new(name.unwrap_or(self.name().as_ref()))
    }
}

tool_core::debug_fields!(Entry, this => path: this.path, kind: this.kind);

/// Open directory. It refers to the same directory even after a rename.
///
/// # Examples
/// ```
/// use tool_test::Scratch;
/// use tools_builtin::workspace::Workspace;
///
/// let scratch = Scratch::new().file("src/b.txt", "").file("src/a.txt", "");
/// let folder = Workspace::open(scratch.path())?.existing_dir("path", "src")?;
/// let (entries, complete) = folder.entries("path", 100)?;
/// let paths: Vec<&str> = entries.iter().map(|entry| entry.path()).collect();
/// assert_eq!((paths, complete), (vec!["src/a.txt", "src/b.txt"], true));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Directory {
    pub(super) handle: Arc<Dir>,
    pub(super) path: String,
    /// Whether to reject files with several hard links.
    pub(super) refuses_hard_links: bool,
}

impl Directory {
    /// Returns the path relative to the workspace root, with `/` as the separator; the root is `.`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns at most `limit` entries, sorted by the bytes of their paths, and whether the list is
    /// complete.
    ///
    /// # Errors
    /// Returns an error for `parameter`, the parameter of the directory's path, if reading fails.
    pub fn entries(&self, parameter: &str, limit: usize) -> Result<(Vec<Entry>, bool), ToolError> {
        // Not fresh: clones share the handle, and with it the position in the directory.
        let (names, complete) =
            read_names(&self.handle, false, limit).map_err(|error| disk_error(parameter, error))?;
        let entries = names.iter().map(|name| {
            let path = join(&self.path, &name.text);
            Entry::new(&self.handle, path, name, 1, self.refuses_hard_links)
        });
        Ok((entries.collect(), complete))
    }

    /// Returns the length of the prefix of all paths below the directory.
    pub(super) fn prefix_len(&self) -> usize {
        join(&self.path, "").len()
    }
}

tool_core::debug_fields!(Directory, this => path: this.path);

#[cfg(test)]
mod tests {
    use tool_test::Scratch;

    use crate::workspace::Workspace;

    #[test]
    fn sorts_directories_like_files() {
        let scratch = Scratch::new()
            .file("a/x", "")
            .file("a-b", "")
            .file("a.txt", "")
            .file("B", "")
            .file("ä", "");
        let root = Workspace::open(scratch.path())
            .unwrap()
            .existing_dir("path", ".")
            .unwrap();

        let (entries, complete) = root.entries("path", 10).unwrap();

        let names: Vec<_> = entries.iter().map(super::Entry::name).collect();
        assert_eq!(names, ["B", "a-b", "a.txt", "a", "ä"]);
        assert!(complete);
    }

    #[test]
    fn reports_incomplete_listing() {
        let scratch = Scratch::new().file("a", "").file("b", "").file("c", "");
        let root = Workspace::open(scratch.path())
            .unwrap()
            .existing_dir("path", ".")
            .unwrap();

        let (entries, complete) = root.entries("path", 2).unwrap();

        assert_eq!((entries.len(), complete), (2, false));
    }
}
