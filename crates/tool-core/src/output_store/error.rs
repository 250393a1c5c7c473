//! Why a store cannot keep or give a text.

use std::io;

/// Why a store cannot keep or give a text.
///
/// # Examples
/// ```
/// use tool_core::output_store::StoreError;
///
/// let error = StoreError::PastEnd { total: 12 };
/// assert_eq!(error.to_string(), "the output has 12 bytes");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store does not know the handle, or no longer.
    #[error("no output is stored under this handle")]
    Unknown,
    /// The place to read from lies behind the end.
    #[error("the output has {total} bytes")]
    PastEnd {
        /// Bytes in the whole text.
        total: u64,
    },
    /// The text is larger than the store may hold in all.
    #[error("an output of {bytes} bytes is more than the store holds")]
    TooLarge {
        /// Bytes in the text.
        bytes: u64,
    },
    /// What is stored is not the text that was put there.
    #[error("the stored output is damaged")]
    Damaged,
    /// The folder, or what stands in it, may be written by others.
    #[error("the folder of a store must be a folder that only its owner can write")]
    Unsafe,
    /// The system has no random numbers to give.
    #[error("no random numbers for a handle")]
    NoRandomness,
    /// Reading or writing failed.
    #[error("the store cannot be read or written")]
    Io(#[from] io::Error),
}
