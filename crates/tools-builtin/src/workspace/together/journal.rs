//! What a change of several files replaces, on disk until the change is complete.

use std::io::{self, ErrorKind, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use cap_std::fs::{Dir, OpenOptions};
use serde::{Deserialize, Serialize};
use tool_core::{CancellationToken, ErrorCode};

use super::super::destination::Destination;
use super::super::{File, Workspace, digest_of, platform};

/// Maximum size in bytes of a journal. A larger one is not ours.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// State of one file before the change.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Saved {
    /// The number of the root.
    pub(super) root: usize,
    /// Path beneath the root.
    pub(super) real: PathBuf,
    pub(super) shown: String,
    /// Content; `None` if the file did not exist.
    #[serde(with = "base64_content")]
    pub(super) before: Option<Arc<Vec<u8>>>,
    pub(super) mode: Option<u32>,
    /// Digest of the new content; `None` if the file is removed.
    pub(super) after: Option<String>,
}

mod base64_content {
    //! Contents as text, several times shorter than as a list of numbers.

    use std::sync::Arc;

    use base64::prelude::{BASE64_STANDARD, Engine as _};
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de::Error as _};

    type Content = Option<Arc<Vec<u8>>>;

    pub(super) fn serialize<S: Serializer>(content: &Content, to: S) -> Result<S::Ok, S::Error> {
        let text = content
            .as_ref()
            .map(|content| BASE64_STANDARD.encode(&**content));
        text.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Content, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        let content = text.map(|text| BASE64_STANDARD.decode(text)).transpose();
        Ok(content.map_err(D::Error::custom)?.map(Arc::new))
    }
}

/// Files to restore if the change fails.
pub(super) struct Journal {
    pub(super) files: Vec<Saved>,
    pub(super) place: Option<(Dir, String)>,
}

impl Journal {
    /// Writes a journal, if the workspace has a place for it.
    pub(super) fn write(workspace: &Workspace, files: Vec<Saved>) -> io::Result<Self> {
        let place = workspace.journal_place();
        if let Some((directory, name)) = &place {
            write(directory, name, &files)?;
        }
        Ok(Self { files, place })
    }

    /// Restores the files, and then removes the journal.
    ///
    /// # Errors
    /// Returns the files that could not be restored, or that others have changed since.
    pub(super) fn take_back(self, workspace: &Workspace) -> Result<(), Vec<String>> {
        let files = self.files.iter().rev();
        let left: Vec<String> = files
            .filter(|file| file.put_back(workspace).is_err())
            .map(|file| file.shown.clone())
            .collect();
        // What is restored is the same for the next start.
        let _ = self.remove();
        if left.is_empty() { Ok(()) } else { Err(left) }
    }

    /// Removes the journal, or empties it, after which the change is complete.
    ///
    /// # Errors
    /// Fails if neither is possible: the next start would take the change back.
    pub(super) fn remove(&self) -> io::Result<()> {
        let Some((directory, name)) = &self.place else {
            return Ok(());
        };
        let removed = match directory.remove_file(name) {
            Err(error) if error.kind() != ErrorKind::NotFound => empty(directory, name),
            _ => Ok(()),
        };
        platform::sync_directory(directory);
        removed
    }
}

pub(super) fn empty(directory: &Dir, name: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).truncate(true);
    directory.open_with(name, &options)?.sync_all()
}

/// Writes a file that is complete or not there.
fn write(directory: &Dir, name: &str, files: &[Saved]) -> io::Result<()> {
    let new = format!("{name}.new");
    let _ = directory.remove_file(&new);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    platform::set_mode(&mut options, 0o600);
    let mut file = directory.open_with(&new, &options)?;
    file.write_all(&serde_json::to_vec(files)?)?;
    file.sync_all()?;
    directory.rename(&new, directory, name)?;
    platform::sync_directory(directory);
    Ok(())
}

/// Takes back a change that a process could not complete. Call it only with the lock of the journal.
pub(in crate::workspace) fn recover(workspace: &Workspace, directory: &Dir, name: &str) {
    let files = match read(directory, name) {
        Ok(files) => files,
        Err(error) if error.kind() == ErrorKind::NotFound => return,
        Err(error) => {
            tracing::warn!(%error, "the journal of an interrupted change cannot be read");
            return;
        }
    };
    let journal = Journal {
        files,
        place: directory
            .try_clone()
            .ok()
            .map(|directory| (directory, name.to_owned())),
    };
    if let Err(left) = journal.take_back(workspace) {
        tracing::warn!(
            files = left.len(),
            "files of an interrupted change have changed since, so they were not restored"
        );
    }
}

fn read(directory: &Dir, name: &str) -> io::Result<Vec<Saved>> {
    let file = directory.open(name)?;
    let mut file = File::of("path", file, name.to_owned()).map_err(io::Error::other)?;
    let bytes = file.read(MAX_BYTES).map_err(io::Error::other)?;
    if bytes.is_empty() {
        // The change was complete.
        return Ok(Vec::new());
    }
    Ok(serde_json::from_slice(&bytes)?)
}

impl Saved {
    /// Restores a file, unless it has neither its old nor its new content.
    fn put_back(&self, workspace: &Workspace) -> io::Result<()> {
        let destination = match workspace.real_destination(self.root, &self.real) {
            // Nothing was created in a directory that is not there.
            Err(error) if error.kind() == ErrorKind::NotFound && self.before.is_none() => {
                return Ok(());
            }
            opened => opened?,
        };
        let now = content_at(&destination)?;
        let digest = now.as_deref().map(digest_of);
        if digest == self.before.as_deref().map(|before| digest_of(before)) {
            return Ok(());
        }
        if digest != self.after {
            return Err(ErrorKind::ResourceBusy.into());
        }
        let old = destination.metadata().ok();
        let Some(content) = &self.before else {
            destination.directory.remove_file(&destination.name)?;
            platform::sync_directory(&destination.directory);
            return Ok(());
        };
        // Not cancelled: half of the change would stay.
        let none = CancellationToken::new();
        destination
            .write("path", content, old.as_ref(), self.mode, &none)
            .map_err(io::Error::other)
    }
}

/// Returns the content of a file; `None` if it does not exist.
fn content_at(destination: &Destination) -> io::Result<Option<Vec<u8>>> {
    let mut file = match destination.open("path", "") {
        Err(error) if *error.code() == ErrorCode::FileNotFound => return Ok(None),
        opened => opened.map_err(io::Error::other)?,
    };
    file.read(MAX_BYTES).map(Some).map_err(io::Error::other)
}
