//! Output stores in a directory.

mod files;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::time::Instant;

use self::files::Directory;
use super::index::Index;
use super::{OutputHandle, OutputStore, StoreError, StoreLimits, StoredPage};
use crate::private_directory::blocking;

/// Output store in a directory, bounded by [`StoreLimits`]. Outputs survive the process.
///
/// Each output is a file named by its handle, readable only by its owner (mode 0600 on Unix). Files are written under
/// another name and renamed, so that a handle never refers to partial text; links are never followed. Outputs of earlier
/// processes are found and counted. The directory belongs to the store only and must not be accessible to tools or writable
/// by other users. On systems other than Unix, the permissions of the directory protect the files.
///
/// # Examples
/// ```
/// use tool_core::output_store::{DirectoryStore, OutputStore, StoreLimits};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::output_store::StoreError> {
/// let path = std::env::temp_dir().join(format!("outputs-{}", std::process::id()));
/// let store = DirectoryStore::open(&path, StoreLimits::default()).await?;
/// let handle = store.put("one\ntwo\n".into()).await?;
///
/// let again = DirectoryStore::open(&path, StoreLimits::default()).await?;
/// assert_eq!(again.read(&handle, 4, 100).await?.content, "two\n");
/// # std::fs::remove_dir_all(&path)?;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct DirectoryStore(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    directory: Directory,
    limits: StoreLimits,
    texts: Mutex<Index<()>>,
}

impl DirectoryStore {
    /// Opens a store in a directory, which is created if it is missing. Its parent must exist.
    ///
    /// # Errors
    /// Returns [`StoreError::Unsafe`] if the path is a link, not a directory, or writable by other users, and
    /// [`StoreError::Io`] if the directory cannot be created or listed.
    pub async fn open(path: impl Into<PathBuf>, limits: StoreLimits) -> Result<Self, StoreError> {
        let path: PathBuf = path.into();
        blocking(move || Self::open_now(&path, limits)).await
    }

    fn open_now(path: &Path, limits: StoreLimits) -> Result<Self, StoreError> {
        let directory = Directory::open(path)?;
        let mut index = Index::new(limits);
        let now = Instant::now();
        for (handle, bytes, age) in directory.list()? {
            let Some(since) = now.checked_sub(age).filter(|_| age <= limits.max_age) else {
                directory.remove(&handle);
                continue;
            };
            let gone = index.insert(handle, (), bytes, since);
            directory.remove_all(&gone);
        }
        let texts = Mutex::new(index);
        Ok(Self(Arc::new(Inner {
            directory,
            limits,
            texts,
        })))
    }
}

impl Inner {
    fn texts(&self) -> MutexGuard<'_, Index<()>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, text: &str) -> Result<OutputHandle, StoreError> {
        let handle = OutputHandle::random()?;
        self.directory.write(&handle, text.as_bytes())?;
        let mut texts = self.texts();
        let gone = texts.insert(handle.clone(), (), text.len() as u64, Instant::now());
        drop(texts);
        self.directory.remove_all(&gone);
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
        self.directory.read(handle, bytes, offset, limit)
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

#[cfg(test)]
#[cfg(unix)]
mod tests;
