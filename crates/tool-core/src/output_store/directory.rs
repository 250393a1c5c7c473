//! Outputs kept as files of one folder.

mod files;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::task::spawn_blocking;
use tokio::time::Instant;

use self::files::Folder;
use super::shelf::Shelf;
use super::{OutputHandle, OutputStore, StoreError, StoreLimits, StoredPage};

/// Outputs kept as files of one folder, bounded by [`StoreLimits`]; they outlive the process.
///
/// Each text is a file that only its owner can read (mode 0600 on Unix), named by its handle. A file is written under
/// another name and renamed, so that a handle never names half a text; links are never followed. What an earlier
/// process left is found again and counted. The folder belongs to the store alone, and must not be reachable by the
/// tools, nor writable by others. On systems other than Unix the folder's own rights are what protects the files.
///
/// # Examples
/// ```
/// use tool_core::output_store::{DirectoryStore, OutputStore, StoreLimits};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::output_store::StoreError> {
/// let folder = std::env::temp_dir().join(format!("outputs-{}", std::process::id()));
/// let store = DirectoryStore::open(&folder, StoreLimits::default()).await?;
/// let handle = store.put("one\ntwo\n".into()).await?;
///
/// let again = DirectoryStore::open(&folder, StoreLimits::default()).await?;
/// assert_eq!(again.read(&handle, 4, 100).await?.content, "two\n");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct DirectoryStore(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    folder: Folder,
    limits: StoreLimits,
    texts: Mutex<Shelf<()>>,
}

impl DirectoryStore {
    /// Opens a store in a folder, which is created where it is missing; its parent must be there.
    ///
    /// # Errors
    /// [`StoreError::Unsafe`] when the folder is a link, no folder, or writable by others; [`StoreError::Io`] when it
    /// cannot be created or listed.
    pub async fn open(folder: impl Into<PathBuf>, limits: StoreLimits) -> Result<Self, StoreError> {
        let folder: PathBuf = folder.into();
        blocking(move || Self::open_now(&folder, limits)).await
    }

    fn open_now(folder: &Path, limits: StoreLimits) -> Result<Self, StoreError> {
        let folder = Folder::open(folder)?;
        let mut shelf = Shelf::new(limits);
        let now = Instant::now();
        for (handle, bytes, age) in folder.list()? {
            let Some(since) = now.checked_sub(age).filter(|_| age <= limits.max_age) else {
                folder.remove(&handle);
                continue;
            };
            let gone = shelf.put(handle, (), bytes, since);
            folder.remove_all(&gone);
        }
        let texts = Mutex::new(shelf);
        Ok(Self(Arc::new(Inner {
            folder,
            limits,
            texts,
        })))
    }
}

impl Inner {
    fn texts(&self) -> MutexGuard<'_, Shelf<()>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, text: &str) -> Result<OutputHandle, StoreError> {
        let handle = OutputHandle::random()?;
        self.folder.write(&handle, text.as_bytes())?;
        let mut texts = self.texts();
        let gone = texts.put(handle.clone(), (), text.len() as u64, Instant::now());
        drop(texts);
        self.folder.remove_all(&gone);
        Ok(handle)
    }

    fn read(
        &self,
        handle: &OutputHandle,
        offset: u64,
        limit: usize,
    ) -> Result<StoredPage, StoreError> {
        let texts = self.texts();
        let known = texts.get(handle).map(|((), bytes)| bytes);
        drop(texts);
        let bytes = known.ok_or(StoreError::Unknown)?;
        self.folder.read(handle, bytes, offset, limit)
    }
}

#[async_trait]
impl OutputStore for DirectoryStore {
    async fn put(&self, text: Arc<str>) -> Result<OutputHandle, StoreError> {
        self.0.limits.check(text.len() as u64)?;
        let inner = Arc::clone(&self.0);
        blocking(move || inner.put(&text)).await
    }

    async fn read(
        &self,
        handle: &OutputHandle,
        offset: u64,
        limit: usize,
    ) -> Result<StoredPage, StoreError> {
        let (inner, handle) = (Arc::clone(&self.0), handle.clone());
        blocking(move || inner.read(&handle, offset, limit)).await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(lost) => Err(StoreError::Io(std::io::Error::other(lost))),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
