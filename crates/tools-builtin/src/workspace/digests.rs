//! Digests and stamps of file contents.

use std::time::SystemTime;

use cap_std::fs::Metadata;
use sha2::{Digest as _, Sha256};
use tool_json::text::hexadecimal;

use super::platform;

/// Digests of a file before and after a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Digests {
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

impl Digests {
    /// Returns the digests of the known contents.
    pub(super) fn of(before: Option<&[u8]>, after: &[u8]) -> Self {
        Self {
            before: before.map(digest_of),
            after: Some(digest_of(after)),
        }
    }
}

/// State of a file that is known without reading its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStamp {
    identity: Option<(u64, u64)>,
    len: u64,
    modified: Option<SystemTime>,
}

impl FileStamp {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            identity: platform::identity(metadata),
            len: metadata.len(),
            modified: metadata
                .modified()
                .ok()
                .map(cap_std::time::SystemTime::into_std),
        }
    }
}

/// Returns the SHA-256 digest of a file's content in hexadecimal, as used in the audit log.
///
/// # Examples
/// ```
/// use tools_builtin::workspace::digest_of;
///
/// assert!(digest_of(b"hello").starts_with("2cf24dba"));
/// ```
#[must_use]
pub fn digest_of(content: &[u8]) -> String {
    hexadecimal(&Sha256::digest(content))
}
