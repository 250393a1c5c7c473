//! Stores for the full text of truncated outputs.
//!
//! Set an [`OutputStore`] on the registry's builder. Text that exceeds its limit is stored, and the model receives a handle
//! for the tool `read_stored_output` (`ReadStoredOutput`, feature `typed`).

#[cfg(feature = "store")]
mod directory;
mod error;
mod handle;
#[cfg(feature = "store")]
mod index;
#[cfg(feature = "store")]
mod memory;
mod page;
#[cfg(feature = "typed")]
mod read_tool;
mod store;

#[cfg(feature = "store")]
pub use directory::DirectoryStore;
pub use error::StoreError;
pub use handle::OutputHandle;
#[cfg(feature = "store")]
pub use index::StoreLimits;
#[cfg(feature = "store")]
pub use memory::MemoryStore;
pub use page::{PageWindow, StoredPage};
#[cfg(feature = "typed")]
pub use read_tool::{ReadStoredOutput, ReadStoredOutputInput, ReadStoredOutputOutput};
pub use store::OutputStore;
pub(crate) use store::STORED_OUTPUT;
