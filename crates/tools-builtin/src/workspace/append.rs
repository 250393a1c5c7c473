//! Writing behind the end of a file.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};

use tool_core::{CancellationToken, ErrorCode, ToolError};

use super::digests::Digests;
use super::error::disk_error;
use super::history::Before;
use super::locks::Lock;
use super::place::Place;
use super::{Edit, File, Workspace, platform};

/// Files up to this size are written anew as a whole, so that a failure leaves what was there.
const WHOLE_BYTES: u64 = 1024 * 1024;
/// How much of a larger file is read, to tell what kind of text it is.
const BEGINNING_BYTES: u64 = 64 * 1024;
const ENDING_BYTES: u64 = 4;

/// A file that something is to be written behind. Nobody else changes it through this workspace as long as this lives.
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
pub struct Append(Target);

#[derive(Debug)]
enum Target {
    /// Small enough to be written anew.
    Whole(Edit),
    /// Written behind, whoever else writes to it.
    Large(Large),
}

struct Large {
    workspace: Workspace,
    place: Place,
    file: cap_std::fs::File,
    beginning: Vec<u8>,
    ending: Vec<u8>,
    len: u64,
    path: String,
    parameter: String,
    _lock: Lock,
}

impl Workspace {
    /// Opens a file that is there, to write behind its end. One of at most 1 MB is written anew as a whole, so that
    /// a failure leaves what was there; a larger one is written to where it stands, which
    /// cannot be undone.
    ///
    /// # Errors
    /// Those of [`existing_file`](Self::existing_file), and a file that may not be written.
    pub fn append(
        &self,
        parameter: &str,
        path: &str,
        cancellation: &CancellationToken,
    ) -> Result<Append, ToolError> {
        let target = match self.edit(parameter, path, WHOLE_BYTES, cancellation) {
            Ok(edit) => Target::Whole(edit),
            Err(error) if *error.code() == ErrorCode::FileTooLarge => {
                Target::Large(self.large(parameter, path, cancellation)?)
            }
            Err(error) => return Err(error),
        };
        Ok(Append(target))
    }

    fn large(
        &self,
        parameter: &str,
        path: &str,
        cancellation: &CancellationToken,
    ) -> Result<Large, ToolError> {
        let fail = |error| disk_error(parameter, error);
        let place = self.place_behind_links(parameter, path, false)?;
        let shown = self.locate(parameter, path)?.shown_at(&place);
        let lock = self.lock(parameter, &place, cancellation)?;
        let handle = platform::open_to_append(&place.folder, &place.name).map_err(fail)?;
        // What is there may have changed since the path was resolved.
        let opened = File::of(parameter, handle, shown)?;
        if platform::has_several_names(opened.metadata()) {
            return Err(several_names(parameter));
        }
        let (path, len) = (opened.path().to_owned(), opened.len());
        let mut file = opened.into_handle();
        let beginning = part(&mut file, 0, BEGINNING_BYTES).map_err(fail)?;
        let ending =
            part(&mut file, len.saturating_sub(ENDING_BYTES), ENDING_BYTES).map_err(fail)?;
        Ok(Large {
            workspace: self.clone(),
            place,
            file,
            beginning,
            ending,
            len,
            path,
            parameter: parameter.to_owned(),
            _lock: lock,
        })
    }
}

impl Append {
    /// The path relative to the workspace root.
    #[must_use]
    pub fn path(&self) -> &str {
        match &self.0 {
            Target::Whole(edit) => edit.path(),
            Target::Large(large) => &large.path,
        }
    }

    /// The size of the file in bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.0 {
            Target::Whole(edit) => edit.content().len() as u64,
            Target::Large(large) => large.len,
        }
    }

    /// Whether the file is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the file begins with: all of it up to 1 MB, and otherwise the first 64 KB.
    #[must_use]
    pub fn beginning(&self) -> &[u8] {
        match &self.0 {
            Target::Whole(edit) => edit.content(),
            Target::Large(large) => &large.beginning,
        }
    }

    /// What the file ends with, at least four bytes where it has them.
    #[must_use]
    pub fn ending(&self) -> &[u8] {
        match &self.0 {
            Target::Whole(edit) => edit.content(),
            Target::Large(large) => &large.ending,
        }
    }

    /// Writes `content` behind the end and gives the size that the file has then.
    ///
    /// # Errors
    /// [`ErrorCode::Conflict`] when somebody else changed a small file since it was opened, and the errors of the
    /// disk: what a full disk left of the content is taken away again.
    pub fn write(self, content: &[u8], cancellation: &CancellationToken) -> Result<u64, ToolError> {
        match self.0 {
            Target::Whole(edit) => {
                let whole = [edit.content(), content].concat();
                edit.replace(&whole, cancellation)?;
                Ok(whole.len() as u64)
            }
            Target::Large(large) => large.write(content, cancellation),
        }
    }
}

impl Large {
    fn write(mut self, content: &[u8], cancellation: &CancellationToken) -> Result<u64, ToolError> {
        if cancellation.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let written = self.file.write_all(content).and_then(|()| {
            self.file.sync_all()?;
            self.file.metadata()
        });
        let metadata = written.map_err(|error| {
            // Nothing is left to do when even this fails.
            let _ = self.file.set_len(self.len);
            disk_error(&self.parameter, error)
        })?;
        self.workspace
            .record(&self.path, &self.place, Before::NotKept, Digests::default());
        Ok(metadata.len())
    }
}

impl fmt::Debug for Large {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Large")
            .field("path", &self.path)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

/// Its other names may be outside, and what is written to where it stands changes there too.
fn several_names(parameter: &str) -> ToolError {
    let sentence = "is a large file with several names (hard links), which is not written behind";
    ToolError::about(ErrorCode::NotAFile, parameter, sentence)
        .suggest("Write a new file in its place.")
}

fn part(file: &mut cap_std::fs::File, start: u64, len: u64) -> io::Result<Vec<u8>> {
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
    fn small_and_large_files_grow_at_their_end() {
        for size in [0, 1, LARGE] {
            let old = "x".repeat(size);
            let scratch = Scratch::new().file("a.txt", &old);

            assert_eq!(append(&scratch, "two\n").unwrap(), size as u64 + 4);
            assert!(scratch.read("a.txt") == format!("{old}two\n"), "{size}");
        }
    }

    #[test]
    fn beginning_and_ending_of_a_large_file_are_told() {
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
    fn after_a_cancel_nothing_changes() {
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
    fn a_link_is_followed_and_stays() {
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
    fn writers_wait_for_each_other() {
        let scratch = Scratch::new().file("a.txt", "x".repeat(LARGE));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| append(&scratch, "line\n").unwrap());
            }
        });

        assert!(scratch.read("a.txt").ends_with("xline\nline\nline\nline\n"));
    }
}
