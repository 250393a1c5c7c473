//! Stores for the full text of truncated outputs.
//!
//! Set an [`OutputStore`] on the registry's builder. Text that exceeds its limit is stored, and the model receives a handle
//! for the tool `read_stored_output` ([`read_stored_output`], feature `typed`).

mod memory;
mod page;
#[cfg(feature = "typed")]
mod read_tool;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

pub use memory::MemoryStore;
pub use page::StoredPage;
#[cfg(feature = "typed")]
pub use read_tool::read_stored_output;

/// Metadata key of the handle of the full text. A tool that stores its output itself sets it, so that the output is not
/// stored twice.
pub(crate) const STORED_OUTPUT: &str = "stored_output";

/// Store for the full text of outputs, such as [`MemoryStore`](MemoryStore) and the databases of `tool-ledger`.
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
/// use tool_core::output_store::{MemoryStore, StoreLimits};
///
/// let mut limits = StoreLimits::default();
/// limits.max_age = Duration::from_secs(600);
/// let store = MemoryStore::new(limits);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreLimits {
    /// Maximum number of outputs. The default is 256.
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

/// Prefix of every handle.
const PREFIX: &str = "out_";
/// Number of hexadecimal digits: 128 bits.
const DIGITS: usize = 32;

/// Handle of a stored output: `out_` and 128 random bits in hexadecimal.
///
/// The bits come from random numbers of the operating system, so handles cannot be guessed and are unique across
/// stores.
///
/// # Examples
/// ```
/// use tool_core::output_store::OutputHandle;
///
/// let handle = OutputHandle::parse("out_00112233445566778899aabbccddeeff").ok_or("not a handle")?;
/// assert_eq!(handle.as_str(), "out_00112233445566778899aabbccddeeff");
/// assert_eq!(OutputHandle::parse("out_../../etc/passwd"), None);
/// # Ok::<_, &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OutputHandle(String);

impl OutputHandle {
    /// Parses a handle; `None` if the text is not a handle.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (digits.len() == DIGITS && digits.bytes().all(is_digit)).then(|| Self(text.to_owned()))
    }

    /// Creates a handle from 128 bits, which must be unpredictable.
    pub fn from_random(bits: u128) -> Self {
        Self(format!("{PREFIX}{bits:032x}"))
    }

    /// Creates a random handle.
    fn random() -> Self {
        // The hash keys of the standard library are random numbers of the operating system.
        let keys = RandomState::new();
        let [first, second] = [0_u8, 1].map(|half| u128::from(keys.hash_one(half)));
        Self::from_random((first << 64) | second)
    }

    /// Returns the handle as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OutputHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<OutputHandle> for String {
    fn from(handle: OutputHandle) -> Self {
        handle.0
    }
}

impl TryFrom<String> for OutputHandle {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("a handle is `out_` and 32 hexadecimal digits")
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_invalid_handles() {
        for text in [
            "",
            "out_",
            "out_00112233445566778899aabbccddeef",
            "out_00112233445566778899aabbccddeeff0",
            "out_00112233445566778899AABBCCDDEEFF",
            "out_0011223344556677/899aabbccddeeff",
            "00112233445566778899aabbccddeeff",
        ] {
            assert_eq!(OutputHandle::parse(text), None, "{text}");
        }
    }

    #[test]
    fn random_handles_differ_and_parse() {
        let (first, second) = (OutputHandle::random(), OutputHandle::random());

        assert_ne!(first, second);
        assert_eq!(OutputHandle::parse(first.as_str()), Some(first));
    }
}
