//! Open directories.

use std::sync::Arc;
use std::{fmt, io};

use cap_std::fs::Dir;
use tool_core::ToolError;

use super::Entry;
use super::error::disk_error;
use super::listing::EntryNames;
use super::path::join;

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
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns at most `limit` entries, sorted by the bytes of their paths, and whether the list is
    /// complete.
    ///
    /// # Errors
    /// Returns an error for `parameter`, the parameter of the directory's path, if reading fails.
    pub fn entries(&self, parameter: &str, limit: usize) -> Result<(Vec<Entry>, bool), ToolError> {
        self.list(1, limit)
            .map_err(|error| disk_error(parameter, error))
    }

    /// Returns the length of the prefix of all paths below the directory.
    pub(super) fn prefix_len(&self) -> usize {
        join(&self.path, "").len()
    }

    pub(super) fn list(&self, depth: usize, limit: usize) -> io::Result<(Vec<Entry>, bool)> {
        // Not fresh: clones share the handle, and with it the position in the directory.
        let (names, complete) = EntryNames::read(&self.handle, false, limit)?;
        let entries = names.iter().map(|name| {
            let path = join(&self.path, name.text);
            Entry::new(&self.handle, path, name, depth, self.refuses_hard_links)
        });
        Ok((entries.collect(), complete))
    }
}

impl fmt::Debug for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Directory")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

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
