//! Files opened for reading, and digests of their contents.

use std::io::{self, Read, Seek, SeekFrom};
use std::time::SystemTime;

use cap_std::fs::Metadata;
use sha2::{Digest as _, Sha256};
use tool_core::{ErrorCode, ToolError};
use tool_json::text::hexadecimal;

use super::error::{check_is_file, disk_error};
use super::path::on_one_line;
use super::platform;

/// Regular file opened for reading. It refers to the same file even after a rename.
///
/// # Examples
/// ```
/// use tool_test::Scratch;
/// use tools_builtin::workspace::Workspace;
///
/// let scratch = Scratch::new().file("src/a.txt", "one\n");
/// let workspace = Workspace::open(scratch.path())?;
/// let mut file = workspace.existing_file("path", "./src/a.txt")?;
/// assert_eq!((file.path(), file.len()), ("src/a.txt", 4));
/// assert_eq!(file.read(1024)?, b"one\n");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub struct File {
    handle: cap_std::fs::File,
    metadata: Metadata,
    pub(super) path: String,
}

impl File {
    /// Wraps an open handle. Returns an error if it is not a regular file.
    pub(super) fn of(
        parameter: &str,
        handle: cap_std::fs::File,
        path: String,
    ) -> Result<Self, ToolError> {
        let metadata = handle
            .metadata()
            .map_err(|error| disk_error(parameter, error))?;
        check_is_file(parameter, &metadata, "Use the path of a regular file.")?;
        Ok(Self {
            handle,
            metadata,
            path,
        })
    }

    /// Returns the path relative to the workspace root, with `/` as the separator.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the size in bytes when the file was opened.
    pub fn len(&self) -> u64 {
        self.metadata.len()
    }

    /// Returns whether the file was empty when it was opened.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads the rest of the file, at most `limit` bytes.
    ///
    /// # Errors
    /// Returns [`ErrorCode::FileTooLarge`] if the file is larger, before reading it, or if it grows
    /// beyond `limit` in the meantime. Returns [`ErrorCode::Failed`] if reading fails.
    pub fn read(&mut self, limit: u64) -> Result<Vec<u8>, ToolError> {
        if self.len() > limit {
            return Err(self.too_large(limit));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(self.len()).unwrap_or_default());
        let mut source = (&mut self.handle).take(limit.saturating_add(1));
        source.read_to_end(&mut bytes).map_err(|error| {
            ToolError::failed(format!("`{}` cannot be read", on_one_line(&self.path)))
                .suggest("Try again, or choose another file.")
                .caused_by(error)
        })?;
        if bytes.len() as u64 > limit {
            return Err(self.too_large(limit));
        }
        Ok(bytes)
    }

    /// Returns whether others wrote the file after it was opened, as far as its size and time show. A file that replaces
    /// it does not count, because the handle keeps the old one.
    pub(crate) fn has_changed(&self) -> bool {
        let opened = FileStamp::of(&self.metadata);
        let now = self.handle.metadata();
        now.map_or(true, |now| FileStamp::of(&now) != opened)
    }

    /// Returns another handle, for the input of a process.
    #[cfg(feature = "pdf")]
    pub(crate) fn to_std(&self) -> io::Result<std::fs::File> {
        Ok(self.handle.try_clone()?.into_std())
    }

    pub(super) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    fn too_large(&self, limit: u64) -> ToolError {
        let (path, size) = (on_one_line(&self.path), self.len());
        let sentence = format!("`{path}` has {size} bytes; at most {limit} are allowed");
        let suggestion =
            "Choose a smaller file, or change this one with a command if a tool can run commands.";
        ToolError::new(ErrorCode::FileTooLarge, sentence).suggest(suggestion)
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.handle.read(buffer)
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.handle.seek(to)
    }
}

tool_core::debug_fields!(File, this => path: this.path, len: this.len());

/// Digests of a file before and after a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Digests {
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

impl Digests {
    /// Returns the digests of the known contents.
    pub(super) fn of(before: Option<&[u8]>, after: Option<&[u8]>) -> Self {
        Self {
            before: before.map(digest_of),
            after: after.map(digest_of),
        }
    }
}

/// State of a file that is known without reading its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStamp {
    identity: Option<(u64, u64)>,
    len: u64,
    modified: Option<SystemTime>,
}

impl FileStamp {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            identity: platform::identity(metadata),
            len: metadata.len(),
            modified: metadata
                .modified()
                .ok()
                .map(cap_std::time::SystemTime::into_std),
        }
    }
}

/// Returns the SHA-256 digest of a file's content in hexadecimal, as used in the audit log.
///
/// # Examples
/// ```
/// use tools_builtin::workspace::digest_of;
///
/// assert!(digest_of(b"hello").starts_with("2cf24dba"));
/// ```
pub fn digest_of(content: &[u8]) -> String {
    hexadecimal(&Sha256::digest(content))
}

#[cfg(test)]
mod tests {
    use tool_test::Scratch;

    use super::*;
    use crate::workspace::Workspace;

    #[test]
    fn rejects_large_file_before_reading() {
        let scratch = Scratch::new().file("a.txt", "12345");
        let workspace = Workspace::open(scratch.path()).unwrap();
        let mut file = workspace.existing_file("path", "a.txt").unwrap();

        let error = file.read(4).unwrap_err();

        assert_eq!(error.code(), &ErrorCode::FileTooLarge);
        assert_eq!(file.read(5).unwrap(), b"12345");
    }

    #[test]
    fn handle_survives_replacement() {
        let scratch = Scratch::new().file("a.txt", "old");
        let workspace = Workspace::open(scratch.path()).unwrap();
        let mut file = workspace.existing_file("path", "a.txt").unwrap();
        std::fs::remove_file(scratch.path().join("a.txt")).unwrap();
        let _scratch = scratch.file("a.txt", "new");

        assert_eq!(file.read(10).unwrap(), b"old");
        assert!(!file.has_changed());
    }

    #[test]
    fn change_during_a_read_is_known() {
        for change in ["one\nTWO\n", "one\n", "one\ntwo\nthree\n"] {
            let scratch = Scratch::new().file("a.txt", "one\ntwo\n");
            let workspace = Workspace::open(scratch.path()).unwrap();
            let mut file = workspace.existing_file("path", "a.txt").unwrap();
            let mut first = [0; 4];
            Read::read(&mut file, &mut first).unwrap();
            assert!(!file.has_changed());

            let _scratch = scratch.file("a.txt", change);
            file.read(100).unwrap();

            assert!(file.has_changed(), "{change:?}");
        }
    }
}
