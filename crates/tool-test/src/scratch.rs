//! A folder for one test.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder for one test; it is removed when the value is dropped.
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
pub struct Scratch(TempDir);

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

#[expect(
    clippy::expect_used,
    reason = "a test without its folder is to stop at once"
)]
impl Scratch {
    /// Creates an empty folder.
    ///
    /// # Panics
    /// When the folder cannot be made; the same holds for every method.
    #[must_use]
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a scratch folder can be made"))
    }

    /// Where the folder is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file, and the folders above it.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.place(path);
        fs::write(path, content).expect("a scratch file can be written");
        self
    }

    /// Makes a folder, and those above it.
    ///
    /// # Panics
    /// When it cannot be made.
    #[must_use]
    pub fn folder(self, path: &str) -> Self {
        fs::create_dir_all(self.path().join(path)).expect("a scratch folder can be made");
        self
    }

    /// Makes a symbolic link at `path` to `target`, as written.
    ///
    /// # Panics
    /// When it cannot be made.
    #[cfg(unix)]
    #[must_use]
    pub fn link(self, path: &str, target: impl AsRef<Path>) -> Self {
        let path = self.place(path);
        std::os::unix::fs::symlink(target, path).expect("a scratch link can be made");
        self
    }

    /// The text of a file.
    ///
    /// # Panics
    /// When there is no such file, or it is not text.
    #[must_use]
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).expect("a scratch file can be read")
    }

    /// The bytes of a file.
    ///
    /// # Panics
    /// When there is no such file.
    #[must_use]
    pub fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.path().join(path)).expect("a scratch file can be read")
    }

    /// Whether there is anything at `path`.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        self.path().join(path).symlink_metadata().is_ok()
    }

    fn place(&self, path: &str) -> PathBuf {
        let path = self.path().join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).expect("a scratch folder can be made");
        }
        path
    }
}
