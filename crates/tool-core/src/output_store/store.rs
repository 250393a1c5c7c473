//! The trait of output stores.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use super::{OutputHandle, StoreError, StoredPage};

/// Metadata key of the handle of the full text. A tool that stores its output itself sets it, so that the output is not
/// stored twice.
pub(crate) const STORED_OUTPUT: &str = "stored_output";

/// Store for the full text of outputs, such as `MemoryStore` and `DirectoryStore` (feature `store`).
///
/// A store must bound its size and may remove old outputs, so handles are valid for a limited time. Methods must not block
/// the thread.
///
/// # Examples
/// ```
/// # #[cfg(feature = "store")]
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
/// # #[cfg(not(feature = "store"))] fn main() {}
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
