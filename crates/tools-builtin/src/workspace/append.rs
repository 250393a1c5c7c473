//! Adding to the end of files.

use std::io::{self, Write};

use cap_std::fs::OpenOptions;
use tool_core::{CancellationToken, ErrorCode, ToolError};

use super::error::disk_error;
use super::history::Before;
use super::place::Place;
use super::write::old_file;
use super::{Workspace, platform};

/// Larger files are added to in place and not replaced.
const MAX_REPLACED_BYTES: u64 = 10 * 1024 * 1024;

/// A file that was added to.
///
/// # Examples
/// ```
/// use tool_core::CancellationToken;
/// use tool_test::Scratch;
/// use tools_builtin::workspace::Workspace;
///
/// let scratch = Scratch::new().file("a.txt", "one\n");
/// let workspace = Workspace::open(scratch.path())?;
/// let appended = workspace.append("path", "a.txt", b"two\n", &CancellationToken::new())?;
/// assert_eq!((appended.path.as_str(), appended.size), ("a.txt", 8));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Appended {
    /// The path as it is shown.
    pub path: String,
    /// Size of the file afterwards in bytes.
    pub size: u64,
}

impl Workspace {
    /// Adds to the end of a file that is there.
    ///
    /// A file up to 10 MB is replaced as a whole, so that a failure at any point leaves what was there. A larger one is
    /// added to in place: what a failure left is taken off again, and the change cannot be undone.
    ///
    /// # Errors
    /// Those of [`edit`](Self::edit).
    pub fn append(
        &self,
        parameter: &str,
        path: &str,
        content: &[u8],
        cancellation: &CancellationToken,
    ) -> Result<Appended, ToolError> {
        match self.edit(parameter, path, MAX_REPLACED_BYTES, cancellation) {
            Ok(edit) => {
                let path = edit.path().to_owned();
                let whole = [edit.content(), content].concat();
                let size = whole.len() as u64;
                edit.replace(&whole, cancellation)?;
                Ok(Appended { path, size })
            }
            Err(error) if *error.code() == ErrorCode::FileTooLarge => {
                self.append_in_place(parameter, path, content, cancellation)
            }
            Err(error) => Err(error),
        }
    }

    fn append_in_place(
        &self,
        parameter: &str,
        path: &str,
        content: &[u8],
        cancellation: &CancellationToken,
    ) -> Result<Appended, ToolError> {
        let shown = self.locate(parameter, path)?.shown();
        let place = self.place_behind_links(parameter, path, false)?;
        let _lock = self.lock(parameter, &place, cancellation)?;
        old_file(parameter, &place)?;
        if cancellation.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let size = add(&place, content).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => several_names(parameter),
            _ => disk_error(parameter, error),
        })?;
        self.record(&shown, &place, Before::NotKept, None);
        Ok(Appended { path: shown, size })
    }
}

/// Adds to the file at a place; its size afterwards.
fn add(place: &Place, content: &[u8]) -> io::Result<u64> {
    let mut options = OpenOptions::new();
    options.append(true);
    platform::do_not_follow(&mut options);
    let mut file = place.folder.open_with(&place.name, &options)?;
    let metadata = file.metadata()?;
    // Its other names may be outside, and what is written in place changes there too.
    if !metadata.is_file() || platform::has_several_names(&metadata) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let before = metadata.len();
    let written = file.write_all(content).and_then(|()| file.sync_all());
    if let Err(error) = written {
        // Nothing is left to do when even this fails.
        let _ = file.set_len(before);
        return Err(error);
    }
    Ok(before + content.len() as u64)
}

fn several_names(parameter: &str) -> ToolError {
    let sentence = "is a large file with several names (hard links), which is not added to";
    ToolError::about(ErrorCode::NotAFile, parameter, sentence)
        .suggest("Write a new file in its place.")
}
