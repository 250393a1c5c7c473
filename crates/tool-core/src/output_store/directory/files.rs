//! The files of a store.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::page::Window;
use crate::output_store::{OutputHandle, StoreError, StoredPage};

/// Maximum number of files read when a store is opened.
const MAX_LISTED: usize = 100_000;
/// Suffix of a file that is being written.
const UNFINISHED: &str = ".part";

/// The directory of a store.
#[derive(Debug)]
pub(super) struct Directory(PathBuf);

impl Directory {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        match create_directory(path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error.into()),
            _ => {}
        }
        let metadata = fs::symlink_metadata(path)?;
        if !metadata.is_dir() || others_can_write(&metadata) {
            return Err(StoreError::Unsafe);
        }
        Ok(Self(fs::canonicalize(path)?))
    }

    /// Returns the stored outputs, oldest first, with size and age. Unfinished files are removed.
    pub(super) fn list(&self) -> Result<Vec<(OutputHandle, u64, Duration)>, StoreError> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.0)?.take(MAX_LISTED) {
            let entry = entry?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let unfinished = name.strip_suffix(UNFINISHED);
            if unfinished.is_some_and(|name| OutputHandle::parse(name).is_some()) {
                // Another process may have removed it.
                let _ = fs::remove_file(entry.path());
                continue;
            }
            let metadata = entry.metadata()?;
            if let Some(handle) = OutputHandle::parse(name).filter(|_| metadata.is_file()) {
                let age = metadata.modified()?.elapsed().unwrap_or_default();
                found.push((handle, metadata.len(), age));
            }
        }
        found.sort_by_key(|(_, _, age)| std::cmp::Reverse(*age));
        Ok(found)
    }

    /// Writes a file under another name and renames it. A failure leaves no file.
    pub(super) fn write(&self, handle: &OutputHandle, bytes: &[u8]) -> Result<(), StoreError> {
        let unfinished = self.0.join(format!("{handle}{UNFINISHED}"));
        let written = create_file(&unfinished)
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| fs::rename(&unfinished, self.path(handle)));
        written.map_err(|error| {
            // Return the first error.
            let _ = fs::remove_file(&unfinished);
            error.into()
        })
    }

    pub(super) fn read(
        &self,
        handle: &OutputHandle,
        total: u64,
        offset: u64,
        limit: usize,
    ) -> Result<StoredPage, StoreError> {
        let mut file = self.open_file(handle)?;
        if file.metadata()?.len() != total {
            return Err(StoreError::Damaged);
        }
        let window = Window::new(offset, limit, total)?;
        let mut read = Vec::new();
        file.seek(SeekFrom::Start(window.start()))?;
        file.take(window.bytes() as u64).read_to_end(&mut read)?;
        window.page(&read)
    }

    /// Opens a regular file, not a link.
    fn open_file(&self, handle: &OutputHandle) -> Result<File, StoreError> {
        let path = self.path(handle);
        let missing = |error: io::Error| match error.kind() {
            ErrorKind::NotFound => StoreError::Unknown,
            _ => StoreError::Io(error),
        };
        // Check before opening: opening a pipe waits for a writer.
        if !fs::symlink_metadata(&path).map_err(missing)?.is_file() {
            return Err(StoreError::Damaged);
        }
        let file = File::open(&path).map_err(missing)?;
        // Check again: a link may have replaced the file.
        let (opened, named) = (file.metadata()?, fs::symlink_metadata(&path)?);
        if !named.is_file() || !is_same(&opened, &named) {
            return Err(StoreError::Damaged);
        }
        Ok(file)
    }

    /// Removes several outputs.
    pub(super) fn remove_all(&self, handles: &[OutputHandle]) {
        for handle in handles {
            self.remove(handle);
        }
    }

    /// Removes an output, if it exists.
    pub(super) fn remove(&self, handle: &OutputHandle) {
        match fs::remove_file(self.path(handle)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                tracing::warn!(%error, "a stored output could not be removed");
            }
            _ => {}
        }
    }

    fn path(&self, handle: &OutputHandle) -> PathBuf {
        self.0.join(handle.as_str())
    }
}

#[cfg(unix)]
fn create_directory(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;

    fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
fn create_directory(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

/// Creates a new file. Does not follow a link.
fn create_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        options.mode(0o600);
    }
    options.open(path)
}

#[cfg(unix)]
fn others_can_write(directory: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    directory.mode() & 0o022 != 0
}

#[cfg(not(unix))]
fn others_can_write(_directory: &fs::Metadata) -> bool {
    false
}

/// Returns `true` if both are one file without further hard links.
#[cfg(unix)]
fn is_same(opened: &fs::Metadata, named: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    opened.dev() == named.dev() && opened.ino() == named.ino() && opened.nlink() == 1
}

#[cfg(not(unix))]
fn is_same(opened: &fs::Metadata, named: &fs::Metadata) -> bool {
    opened.len() == named.len()
}
