//! Appending to files.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use tool_core::{CancellationToken, ErrorCode, ToolError};

use super::error::disk_error;
use super::file::{Digests, FileStamp};
use super::history::PreviousState;
use super::{Edit, File, Workspace, platform};

/// Maximum size in bytes of a file that is rewritten in full, so that a failure leaves the old
/// content.
const WHOLE_BYTES: u64 = 1024 * 1024;
/// Number of bytes of a larger file that are read to detect its encoding.
const BEGINNING_BYTES: u64 = 64 * 1024;
const ENDING_BYTES: u64 = 4;

/// File opened for appending. Other writers of this workspace wait until it is dropped.
///
/// # Examples
/// ```
/// use tool_core::CancellationToken;
/// use tool_test::Scratch;
/// use tools_builtin::workspace::Workspace;
///
/// let scratch = Scratch::new().file("a.txt", "one\n");
/// let workspace = Workspace::open(scratch.path())?;
/// let cancellation = CancellationToken::new();
/// let append = workspace.append("path", "a.txt", &cancellation)?;
/// assert_eq!((append.path(), append.len(), append.ending()), ("a.txt", 4, &b"one\n"[..]));
/// append.write(b"two\n", &cancellation)?;
/// assert_eq!(scratch.read("a.txt"), "one\ntwo\n");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Append {
    /// The file; of a large one only the beginning.
    edit: Edit,
    large: Option<InPlaceAppend>,
}

/// Rest of a large file, which is appended to in place, regardless of other writers.
#[derive(Debug)]
struct InPlaceAppend {
    file: cap_std::fs::File,
    ending: Vec<u8>,
    len: u64,
}

impl Workspace {
    /// Opens an existing file for appending. A file of at most 1 MB is rewritten in full, so that a
    /// failure leaves the old content. A larger file is written in place, which cannot be undone.
    ///
    /// # Errors
    /// Returns the errors of [`existing_file`](Self::existing_file), and an error if the file is
    /// not writable.
    pub fn append(
        &self,
        parameter: &str,
        path: &str,
        cancellation: &CancellationToken,
    ) -> Result<Append, ToolError> {
        // Try the safe way first. `edit` checks the size under the lock, so the file can't grow in between.
        match self.edit(parameter, path, WHOLE_BYTES, cancellation) {
            Err(error) if *error.code() == ErrorCode::FileTooLarge => {
                self.append_in_place(parameter, path, cancellation)
            }
            outcome => outcome.map(|edit| Append { edit, large: None }),
        }
    }

    fn append_in_place(
        &self,
        parameter: &str,
        path: &str,
        cancellation: &CancellationToken,
    ) -> Result<Append, ToolError> {
        let fail = |error| disk_error(parameter, error);
        let destination = self.resolved_destination(parameter, path, false)?;
        let shown = destination.shown(&self.locate(parameter, path)?);
        let lock = self.lock(parameter, &destination, cancellation)?;
        let handle =
            platform::open_to_append(&destination.directory, &destination.name).map_err(fail)?;
        // The file may have changed since the path was resolved.
        let mut file = File::of(parameter, handle, shown)?;
        if platform::has_several_names(file.metadata()) {
            // Other links may be outside the workspace, and writing in place changes them, too.
            let sentence = "is a large file with several hard links, which cannot be appended to";
            return Err(ToolError::about(ErrorCode::NotAFile, parameter, sentence)
                .suggest("Write a new file instead."));
        }
        let len = file.len();
        let beginning = part(&mut file, 0, BEGINNING_BYTES).map_err(fail)?;
        let ending =
            part(&mut file, len.saturating_sub(ENDING_BYTES), ENDING_BYTES).map_err(fail)?;
        let edit = Edit {
            workspace: self.clone(),
            destination,
            content: Arc::new(beginning),
            path: file.path().to_owned(),
            stamp: FileStamp::of(file.metadata()),
            is_read_only: file.metadata().permissions().readonly(),
            parameter: parameter.to_owned(),
            _lock: lock,
        };
        let file = file.into_handle();
        let large = Some(InPlaceAppend { file, ending, len });
        Ok(Append { edit, large })
    }
}

impl Append {
    /// Returns the path relative to the workspace root.
    #[must_use]
    pub fn path(&self) -> &str {
        self.edit.path()
    }

    /// Returns the size of the file in bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        let whole = self.edit.content().len() as u64;
        self.large.as_ref().map_or(whole, |large| large.len)
    }

    /// Returns whether the file is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the start of the file: all of it up to 1 MB, otherwise the first 64 KB.
    #[must_use]
    pub fn beginning(&self) -> &[u8] {
        self.edit.content()
    }

    /// Returns the end of the file, at least four bytes if it has as many.
    #[must_use]
    pub fn ending(&self) -> &[u8] {
        let whole = self.edit.content();
        self.large.as_ref().map_or(whole, |large| &large.ending)
    }

    /// Appends `content` and returns the new size of the file in bytes.
    ///
    /// # Errors
    /// Returns [`ErrorCode::Conflict`] if another writer changed a small file since it was opened.
    /// Returns an I/O error if writing fails, for example on a full disk; a partial append is then
    /// removed.
    pub fn write(self, content: &[u8], cancellation: &CancellationToken) -> Result<u64, ToolError> {
        let Some(mut large) = self.large else {
            let whole = [self.edit.content(), content].concat();
            self.edit.replace(&whole, cancellation)?;
            return Ok(whole.len() as u64);
        };
        if cancellation.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let edit = self.edit;
        let written = large.file.write_all(content).and_then(|()| {
            large.file.sync_all()?;
            large.file.metadata()
        });
        let metadata = written.map_err(|error| {
            // Ignore errors: nothing else can be done.
            let _ = large.file.set_len(large.len);
            disk_error(&edit.parameter, error)
        })?;
        let (before, digests) = (PreviousState::NotRetained, Digests::default());
        edit.workspace
            .record(&edit.path, &edit.destination, before, digests);
        Ok(metadata.len())
    }
}

fn part(file: &mut File, start: u64, len: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(len).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use tool_test::Scratch;

    use super::*;

    const LARGE: usize = 2 * 1024 * 1024;

    fn append(scratch: &Scratch, content: &str) -> Result<u64, ToolError> {
        let none = CancellationToken::new();
        let workspace = Workspace::open(scratch.path()).unwrap();
        workspace
            .append("path", "a.txt", &none)?
            .write(content.as_bytes(), &none)
    }

    #[test]
    fn appends_to_small_and_large_files() {
        for size in [0, 1, LARGE] {
            let old = "x".repeat(size);
            let scratch = Scratch::new().file("a.txt", &old);

            assert_eq!(append(&scratch, "two\n").unwrap(), size as u64 + 4);
            assert!(scratch.read("a.txt") == format!("{old}two\n"), "{size}");
        }
    }

    #[test]
    fn returns_start_and_end_of_large_file() {
        let scratch = Scratch::new().file("a.txt", format!("{}\r\n", "x".repeat(LARGE)));
        let workspace = Workspace::open(scratch.path()).unwrap();

        let append = workspace
            .append("path", "a.txt", &CancellationToken::new())
            .unwrap();

        assert_eq!(append.beginning().len(), 64 * 1024);
        assert_eq!(append.ending(), b"xx\r\n");
        assert_eq!((append.len(), append.is_empty()), (LARGE as u64 + 2, false));
    }

    #[test]
    fn cancelled_append_changes_nothing() {
        for size in [1, LARGE] {
            let scratch = Scratch::new().file("a.txt", "x".repeat(size));
            let workspace = Workspace::open(scratch.path()).unwrap();
            let cancellation = CancellationToken::new();
            let append = workspace.append("path", "a.txt", &cancellation).unwrap();
            cancellation.cancel();

            let error = append.write(b"two", &cancellation).unwrap_err();

            assert_eq!(error.code(), &ErrorCode::Cancelled);
            assert_eq!(scratch.bytes("a.txt").len(), size);
        }
    }

    #[cfg(unix)]
    #[test]
    fn follows_symlink() {
        for size in [1, LARGE] {
            let scratch = Scratch::new()
                .file("sub/b.txt", "x".repeat(size))
                .link("a.txt", "sub/b.txt");

            append(&scratch, "y").unwrap();

            assert_eq!(scratch.bytes("sub/b.txt").len(), size + 1);
            assert!(scratch.path().join("a.txt").is_symlink());
        }
    }

    #[test]
    fn serializes_writers() {
        let scratch = Scratch::new().file("a.txt", "x".repeat(LARGE));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| append(&scratch, "line\n").unwrap());
            }
        });

        assert!(scratch.read("a.txt").ends_with("xline\nline\nline\nline\n"));
    }
}
