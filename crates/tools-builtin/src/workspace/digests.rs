//! Digests and stamps of file contents.

use std::thread;
use std::time::SystemTime;

use cap_std::fs::Metadata;
use sha2::{Digest as _, Sha256};
use tool_json::text::hexadecimal;

use super::platform;

/// Minimum number of bytes for which a separate thread pays off.
const LARGE: usize = 256 * 1024;

/// Digests of a file before and after a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Digests {
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

impl Digests {
    /// Returns the digests of the known contents. A common prefix is hashed once.
    fn of(before: Option<&[u8]>, after: &[&[u8]]) -> Self {
        let (first, others) = match after {
            [first, others @ ..] => (*first, others),
            [] => Default::default(),
        };
        // An edit mostly keeps the beginning of a file, so hash that part once and continue from a copy of the state.
        let mut new = Sha256::new_with_prefix(first);
        let old = before.map(|before| match rest_after(before, first) {
            Some(rest) => new.clone().chain_update(rest),
            None => Sha256::new_with_prefix(before),
        });
        for piece in others {
            new.update(piece);
        }
        Self {
            before: old.map(to_hex),
            after: Some(to_hex(new)),
        }
    }

    /// Runs `write`, which mostly waits for the disk, and computes the digests concurrently.
    pub(super) fn compute_during<R>(
        before: Option<&[u8]>,
        after: &[&[u8]],
        write: impl FnOnce() -> R,
    ) -> (R, Self) {
        let pieces = before.iter().chain(after);
        let bytes: usize = pieces.map(|piece| piece.len()).sum();
        if bytes < LARGE {
            return (write(), Self::of(before, after));
        }
        thread::scope(|scope| {
            let digests = || Self::of(before, after);
            let handle = thread::Builder::new().spawn_scoped(scope, digests);
            let written = write();
            // Compute them here if the thread did not start or panicked.
            let created = handle.ok().and_then(|thread| thread.join().ok());
            (written, created.unwrap_or_else(digests))
        })
    }
}

/// Returns the rest of `content` after `beginning`; `None` if it starts differently.
fn rest_after<'c>(content: &'c [u8], beginning: &[u8]) -> Option<&'c [u8]> {
    // `beginning` is usually part of `content`, so compare pointers first.
    if content.as_ptr() == beginning.as_ptr() && beginning.len() <= content.len() {
        return content.get(beginning.len()..);
    }
    content.strip_prefix(beginning)
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
    to_hex(Sha256::new_with_prefix(content))
}

fn to_hex(digest: Sha256) -> String {
    hexadecimal(&digest.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_cover_complete_contents() {
        for (before, after) in [
            (&b"one two three"[..], &[&b"one "[..], b"2", b" three"][..]),
            (b"one", &[b"one", b" two"]),
            (b"one", &[b"one two"]),
            (b"one", &[b"two", b"one"]),
            (b"", &[]),
            (b"one", &[]),
            (b"one", &[b""]),
        ] {
            let digests = Digests::of(Some(before), after);

            let expected = [before.to_vec(), after.concat()].map(|content| digest_of(&content));
            assert_eq!([digests.before, digests.after], expected.map(Some));
        }
    }

    #[test]
    fn digests_are_equal_with_and_without_thread() {
        for length in [0, 10, LARGE - 1, LARGE, 3 * LARGE] {
            let (before, after) = (vec![1; length], vec![2; length / 2]);

            let (start, end) = after.split_at(length / 3);
            let (answer, digests) = Digests::compute_during(Some(&before), &[start, end], || 42);
            let ((), created) = Digests::compute_during(None, &[&after], || ());

            let [old, new] = [before, after].map(|content| Some(digest_of(&content)));
            assert_eq!(answer, 42);
            assert_eq!((digests.before, digests.after), (old, new.clone()));
            assert_eq!((created.before, created.after), (None, new));
        }
    }
}
