//! Stores for the full text of truncated outputs.
//!
//! Set an [`OutputStore`] on the registry's builder. Text that exceeds its limit is stored, and the model receives a handle
//! for the tool `read_stored_output` (`ReadStoredOutput`, feature `typed`).

mod error;
mod handle;
mod memory;
mod page;
#[cfg(feature = "typed")]
mod read_tool;
mod store;

pub use error::StoreError;
pub use handle::OutputHandle;
pub use memory::MemoryStore;
pub use page::{PageWindow, StoredPage};
#[cfg(feature = "typed")]
pub use read_tool::{ReadStoredOutput, ReadStoredOutputInput, ReadStoredOutputOutput};
pub(crate) use store::STORED_OUTPUT;
pub use store::{OutputStore, StoreLimits};
