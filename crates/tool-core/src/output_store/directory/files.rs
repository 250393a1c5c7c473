//! The files of a store.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::page::PageWindow;
use crate::output_store::{OutputHandle, StoreError, StoredPage};
use crate::private_directory;

/// Maximum number of files read when a store is opened.
const MAX_LISTED: usize = 100_000;
/// Suffix of a file that is being written.
const UNFINISHED: &str = ".part";

/// The directory of a store.
#[derive(Debug)]
pub(super) struct Directory(PathBuf);

impl Directory {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let path = private_directory::open(path)?.ok_or(StoreError::Unsafe)?;
        Ok(Self(path))
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
        let written = private_directory::create_file(&unfinished)
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
        let window = PageWindow::new(offset, limit, total)?;
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
        let file = private_directory::open_file(&path).map_err(missing)?;
        file.ok_or(StoreError::Damaged)
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
