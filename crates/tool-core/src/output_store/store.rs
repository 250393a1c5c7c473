//! The trait of output stores, their limits and errors.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::{OutputHandle, StoreError, StoredPage};

/// Metadata key of the handle of the full text. A tool that stores its output itself sets it, so that the output is not
/// stored twice.
pub(crate) const STORED_OUTPUT: &str = "stored_output";

/// Store for the full text of outputs, such as [`MemoryStore`](super::MemoryStore) and the databases of `tool-ledger`.
///
/// A store must bound its size and may remove old outputs, so handles are valid for a limited time. Methods must not block
/// the thread.
///
/// # Examples
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::output_store::StoreError> {
/// use tool_core::output_store::{MemoryStore, OutputStore};
///
/// let store = MemoryStore::default();
/// let handle = store.put("one\ntwo\n".into()).await?;
///
/// let page = store.read(&handle, 0, 5).await?;
/// assert_eq!((page.content.as_str(), page.total), ("one\n", 8));
/// assert_eq!(page.next_offset(), Some(4));
/// # Ok(()) }
/// ```
#[async_trait]
pub trait OutputStore: fmt::Debug + Send + Sync {
    /// Stores an output and returns its handle.
    ///
    /// # Errors
    /// Returns [`StoreError::TooLarge`] if the text exceeds the capacity of the store, and other errors if it cannot be
    /// written.
    async fn put(&self, text: Arc<str>) -> Result<OutputHandle, StoreError>;

    /// Returns at most `limit` bytes of the text from byte `offset`.
    ///
    /// Both ends are moved back to a character boundary, and the end to a line boundary if one is near. A page before the end
    /// has at least one character. Consecutive pages yield the full text.
    ///
    /// # Errors
    /// Returns [`StoreError::Unknown`] if the handle is unknown or expired, and [`StoreError::PastEnd`] if the offset is past
    /// the end.
    async fn read(
        &self,
        handle: &OutputHandle,
        offset: u64,
        limit: usize,
    ) -> Result<StoredPage, StoreError>;
}

/// Limits of a store. The oldest outputs are removed first.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::output_store::StoreLimits;
///
/// let limits = StoreLimits::default().with_bytes(8 * 1024 * 1024).with_age(Duration::from_secs(600));
/// assert_eq!(limits.max_entries, 256);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreLimits {
    /// Maximum number of outputs, at least 1. The default is 256.
    pub max_entries: usize,
    /// Maximum bytes of all outputs. The default is 64 MB.
    pub max_bytes: u64,
    /// Maximum age of an output. The default is one hour.
    pub max_age: Duration,
}

impl Default for StoreLimits {
    fn default() -> Self {
        Self {
            max_entries: 256,
            max_bytes: 64 * 1024 * 1024,
            max_age: Duration::from_hours(1),
        }
    }
}

impl StoreLimits {
    /// Sets the maximum number of outputs.
    #[must_use]
    pub fn with_entries(mut self, entries: usize) -> Self {
        self.max_entries = entries.max(1);
        self
    }

    /// Sets the maximum bytes of all outputs.
    #[must_use]
    pub fn with_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets the maximum age of an output.
    #[must_use]
    pub fn with_age(mut self, age: Duration) -> Self {
        self.max_age = age;
        self
    }
}
