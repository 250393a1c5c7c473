//! Errors of output stores.

use std::io;

/// Error of an output store.
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
    /// The handle is unknown or expired.
    #[error("no output is stored under this handle")]
    Unknown,
    /// The offset is past the end.
    #[error("the output has {total} bytes")]
    PastEnd {
        /// Bytes of the full text.
        total: u64,
    },
    /// The text exceeds the capacity of the store.
    #[error("an output of {bytes} bytes exceeds the capacity of the store")]
    TooLarge {
        /// Bytes of the text.
        bytes: u64,
    },
    /// The stored text was changed.
    #[error("the stored output is damaged")]
    Damaged,
    /// The system returned no random numbers.
    #[error("the system returned no random numbers")]
    NoRandomness,
    /// Reading or writing failed.
    #[error("the store cannot be read or written")]
    Io(#[from] io::Error),
}
