//! Where whole outputs are kept.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use super::{OutputHandle, StoreError, StoredPage};

/// The key of a result's metadata that holds the handle of its whole text.
///
/// A tool that keeps its output itself notes the handle under this key, and it is not kept twice.
///
/// # Examples
/// ```
/// assert_eq!(tool_core::STORED_OUTPUT, "stored_output");
/// ```
pub const STORED_OUTPUT: &str = "stored_output";

/// Where whole outputs are kept.
///
/// `MemoryStore` and `DirectoryStore` (feature `store`) are two; a host may have its own. A store bounds what it keeps
/// and may forget what is old: a handle is a promise for the near future only. A method that would block the thread
/// does its work elsewhere.
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
    /// Keeps a text and gives its handle.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] when the text is more than the store may hold in all; others when it cannot be written.
    async fn put(&self, text: Arc<str>) -> Result<OutputHandle, StoreError>;

    /// Gives at most `limit` bytes of the text, beginning at byte `offset`.
    ///
    /// Both are moved back to the border of a character, and the end to that of a line where one is near; a page never
    /// has less than one character before the end. Pages that begin where the one before ended give the whole text.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] for a handle that is not, or no longer, known; [`StoreError::PastEnd`] for an offset
    /// behind the end.
    async fn read(
        &self,
        handle: &OutputHandle,
        offset: u64,
        limit: usize,
    ) -> Result<StoredPage, StoreError>;
}
