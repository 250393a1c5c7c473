//! Temporary directories.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Temporary directory for a test, removed on drop.
///
/// # Examples
/// ```
/// use tool_test::Scratch;
///
/// let scratch = Scratch::new().file("src/a.txt", "one\n").folder("empty");
/// assert_eq!(scratch.read("src/a.txt"), "one\n");
/// assert!(scratch.path().join("empty").is_dir());
/// ```
#[derive(Debug)]
#[must_use]
pub struct Scratch(TempDir);

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

#[expect(
    clippy::expect_used,
    reason = "a test cannot continue without its directory"
)]
impl Scratch {
    /// Creates an empty directory.
    ///
    /// # Panics
    /// Panics if the directory cannot be created.
    #[track_caller]
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("cannot create a scratch directory"))
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file and creates its parent directories.
    ///
    /// # Panics
    /// Panics if the file cannot be written.
    #[track_caller]
    pub fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.place(path);
        fs::write(path, content).expect("cannot write a scratch file");
        self
    }

    /// Creates a directory and its parents.
    ///
    /// # Panics
    /// Panics if the directory cannot be created.
    #[track_caller]
    pub fn folder(self, path: &str) -> Self {
        fs::create_dir_all(self.path().join(path)).expect("cannot create a scratch directory");
        self
    }

    /// Creates a symbolic link at `path` that contains `target` verbatim.
    ///
    /// # Panics
    /// Panics if the link cannot be created.
    #[cfg(unix)]
    #[track_caller]
    pub fn link(self, path: &str, target: impl AsRef<Path>) -> Self {
        let path = self.place(path);
        std::os::unix::fs::symlink(target, path).expect("cannot create a scratch link");
        self
    }

    /// Reads a file as UTF-8.
    ///
    /// # Panics
    /// Panics if the file cannot be read or is not valid UTF-8.
    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).expect("cannot read a scratch file")
    }

    /// Reads the bytes of a file.
    ///
    /// # Panics
    /// Panics if the file cannot be read.
    #[track_caller]
    pub fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.path().join(path)).expect("cannot read a scratch file")
    }

    /// Returns `true` if `path` exists. Does not follow links.
    pub fn has(&self, path: &str) -> bool {
        self.path().join(path).symlink_metadata().is_ok()
    }

    #[track_caller]
    fn place(&self, path: &str) -> PathBuf {
        let path = self.path().join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).expect("cannot create a scratch directory");
        }
        path
    }
}
