//! The digests of a change, made while the disk writes it.

use std::thread;

use sha2::{Digest as _, Sha256};

use super::stamp::finished;

/// Bytes from which on digests are made on a thread of their own: below, the thread costs more than it saves.
const LARGE: usize = 256 * 1024;

/// The digests of what a file held before a change and holds after it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Digests {
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

impl Digests {
    /// The digests of both contents, where they are known. What both begin with is read once.
    fn of(before: Option<&[u8]>, after: &[&[u8]]) -> Self {
        let (first, others) = match after {
            [first, others @ ..] => (*first, others),
            [] => Default::default(),
        };
        let mut new = Sha256::new_with_prefix(first);
        let old = before.map(|before| match rest_behind(before, first) {
            Some(rest) => new.clone().chain_update(rest),
            None => Sha256::new_with_prefix(before),
        });
        for piece in others {
            new.update(piece);
        }
        Self {
            before: old.map(finished),
            after: Some(finished(new)),
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

/// What stands in a content behind its beginning; `None` where it begins otherwise.
fn rest_behind<'c>(content: &'c [u8], beginning: &[u8]) -> Option<&'c [u8]> {
    // Mostly the beginning is that of the content itself, and nothing has to be compared.
    if content.as_ptr() == beginning.as_ptr() && beginning.len() <= content.len() {
        return content.get(beginning.len()..);
    }
    content.strip_prefix(beginning)
}

#[cfg(test)]
mod tests {
    use super::super::stamp::digest_of;
    use super::*;

    #[test]
    fn digests_are_those_of_the_whole_contents_whatever_they_share() {
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
