//! Errors of ledgers.

use super::CallKey;

/// Error of a ledger.
///
/// # Examples
/// ```
/// use tool_core::ledger::LedgerError;
///
/// let error = LedgerError::NewerSchema { found: 3, supported: 2 };
/// assert_eq!(error.to_string(), "the ledger has schema version 3, and this version supports 2; update the program");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The database is missing, read-only, full or not reachable. It is not known whether the operation was stored.
    #[error("the ledger is unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Another claim or a recovery replaced the lease, or the call is settled already.
    #[error("another run or a recovery took over the call, or it is settled already")]
    LeaseLost,
    /// A newer version of the library created the database.
    #[error(
        "the ledger has schema version {found}, and this version supports {supported}; update the program"
    )]
    NewerSchema {
        /// Version of the database.
        found: u32,
        /// Latest version that this library supports.
        supported: u32,
    },
    /// The scope or the key is too long.
    #[error("a scope or key of {bytes} bytes exceeds the limit of {max} bytes", max = CallKey::MAX_BYTES)]
    KeyTooLong {
        /// Bytes of the longer part.
        bytes: usize,
    },
    /// The scope or the key contains a null character.
    #[error("a scope or key contains a null character")]
    InvalidKey,
    /// An intent or outcome exceeds the limit of the store.
    #[error("an entry of {bytes} bytes exceeds the limit of {limit} bytes")]
    TooLarge {
        /// Bytes of the entry.
        bytes: usize,
        /// Maximum bytes.
        limit: usize,
    },
    /// A stored entry cannot be read.
    #[error("the entry `{key}` is damaged")]
    Damaged {
        /// Key of the entry.
        key: CallKey,
    },
}

impl LedgerError {
    /// Creates an error of an unavailable database.
    #[must_use]
    pub fn unavailable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unavailable(source.into())
    }
}
