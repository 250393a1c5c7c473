//! What tells one state of a file from another.

use std::fmt::Write as _;
use std::time::SystemTime;

use cap_std::fs::Metadata;
use sha2::{Digest as _, Sha256};

use super::platform;

/// What the disk says of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    identity: Option<(u64, u64)>,
    len: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
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

/// The SHA-256 of what a file holds, in hexadecimal: how changes of files are named in the audit log.
///
/// # Examples
/// ```
/// use tools_builtin::workspace::digest_of;
///
/// assert!(digest_of(b"hello").starts_with("2cf24dba"));
/// ```
#[must_use]
pub fn digest_of(content: &[u8]) -> String {
    finished(Sha256::new_with_prefix(content))
}

/// A digest in hexadecimal.
pub(super) fn finished(digest: Sha256) -> String {
    let mut text = String::with_capacity(64);
    for byte in digest.finalize() {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
