//! The digests of a change, made while the disk writes it.

use std::thread;

use super::stamp::{digest_of, digest_of_pieces};

/// Bytes from which on digests are made on a thread of their own: below, the thread costs more than it saves.
const LARGE: usize = 256 * 1024;

/// The digests of what a file held before a change and holds after it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Digests {
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

impl Digests {
    /// The digests of both contents, where they are known.
    fn of(before: Option<&[u8]>, after: &[&[u8]]) -> Self {
        Self {
            before: before.map(digest_of),
            after: Some(digest_of_pieces(after)),
        }
    }

    /// Does `write`, which mostly waits for the disk, and makes the digests meanwhile.
    pub(super) fn meanwhile<R>(
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
            let beside = thread::Builder::new().spawn_scoped(scope, digests);
            let written = write();
            // Without a thread, or after one that ended early, they are made here.
            let made = beside.ok().and_then(|thread| thread.join().ok());
            (written, made.unwrap_or_else(digests))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_the_same_beside_and_behind_the_work() {
        for length in [0, 10, LARGE - 1, LARGE, 3 * LARGE] {
            let (before, after) = (vec![1; length], vec![2; length / 2]);

            let (start, end) = after.split_at(length / 3);
            let (answer, digests) = Digests::meanwhile(Some(&before), &[start, end], || 42);
            let ((), created) = Digests::meanwhile(None, &[&after], || ());

            let [old, new] = [before, after].map(|content| Some(digest_of(&content)));
            assert_eq!(answer, 42);
            assert_eq!((digests.before, digests.after), (old, new.clone()));
            assert_eq!((created.before, created.after), (None, new));
        }
    }
}
