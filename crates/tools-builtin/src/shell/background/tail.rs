//! The last part of an output that goes on, for whoever reads it bit by bit.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How much of an output is kept.
pub(super) const MAX_BYTES: usize = 64 * 1024;

/// Keeps the last bytes of an output, and knows where in the whole they stand.
#[derive(Debug, Default)]
pub(crate) struct Tail(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    bytes: VecDeque<u8>,
    total: u64,
}

/// A part of an output.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) text: String,
    /// Where the next part begins.
    pub(super) next_offset: u64,
    /// Bytes between the place that was asked for and the first one that is still kept.
    pub(super) left_out: u64,
    /// Bytes that came already and for which there was no room.
    pub(super) more: u64,
}

impl Tail {
    /// Takes the next bytes; the oldest fall out.
    pub(crate) fn push(&self, bytes: &[u8]) {
        let mut kept = self.kept();
        kept.total = kept.total.saturating_add(bytes.len() as u64);
        let (_, last) = bytes.split_at(bytes.len().saturating_sub(MAX_BYTES));
        let overflow = (kept.bytes.len() + last.len()).saturating_sub(MAX_BYTES);
        kept.bytes.drain(..overflow);
        kept.bytes.extend(last);
    }

    /// How many bytes came in all.
    pub(super) fn total(&self) -> u64 {
        self.kept().total
    }

    /// What came from byte `offset` on, `max_bytes` at most. A character whose end has not come is left for the next part,
    /// unless nothing more will come.
    pub(super) fn read(&self, offset: u64, max_bytes: usize, is_over: bool) -> Part {
        let kept = self.kept();
        let oldest = kept.total - kept.bytes.len() as u64;
        let begin = offset.clamp(oldest, kept.total);
        let skipped = usize::try_from(begin - oldest).unwrap_or(usize::MAX);
        let bytes: Vec<u8> = kept
            .bytes
            .iter()
            .skip(skipped)
            .take(max_bytes)
            .copied()
            .collect();
        let reaches_end = begin + bytes.len() as u64 == kept.total;
        let whole = match std::str::from_utf8(&bytes) {
            Err(error) if error.error_len().is_none() && !(is_over && reaches_end) => {
                error.valid_up_to()
            }
            _ => bytes.len(),
        };
        // A limit smaller than a character must not hold the reader up.
        let whole = if whole == 0 && max_bytes < 4 {
            bytes.len()
        } else {
            whole
        };
        let text = String::from_utf8_lossy(bytes.get(..whole).unwrap_or_default()).into_owned();
        let next_offset = begin + whole as u64;
        Part {
            text,
            next_offset,
            left_out: begin.saturating_sub(offset),
            more: if reaches_end {
                0
            } else {
                kept.total - next_offset
            },
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part(text: &str, next_offset: u64, left_out: u64) -> Part {
        Part {
            text: text.to_owned(),
            next_offset,
            left_out,
            more: 0,
        }
    }

    #[test]
    fn a_part_begins_where_the_one_before_ended() {
        let tail = Tail::default();
        tail.push(b"one\n");
        tail.push(b"two\n");

        let cut = Part {
            more: 3,
            ..part("one\nt", 5, 0)
        };
        assert_eq!(tail.read(0, 5, false), cut);
        assert_eq!(tail.read(5, 100, false), part("wo\n", 8, 0));
        assert_eq!(tail.read(8, 100, false), part("", 8, 0));
        assert_eq!(tail.read(99, 100, false), part("", 8, 0));
    }

    #[test]
    fn what_fell_out_is_counted() {
        let tail = Tail::default();
        tail.push(&vec![b'x'; MAX_BYTES]);
        tail.push(b"last");

        let read = tail.read(1, MAX_BYTES, false);

        assert_eq!((read.left_out, read.text.len()), (3, MAX_BYTES));
        assert!(read.text.ends_with("xlast"));
        assert!(tail.kept().bytes.capacity() <= 2 * MAX_BYTES);
    }

    #[test]
    fn half_a_character_waits_for_the_rest_as_long_as_there_may_be_one() {
        let tail = Tail::default();
        tail.push("aä".as_bytes().split_last().unwrap().1);

        assert_eq!(tail.read(0, 100, false), part("a", 1, 0));
        assert_eq!(tail.read(0, 100, true), part("a\u{fffd}", 2, 0));
        tail.push(&[0xa4]);
        assert_eq!(tail.read(1, 100, false), part("ä", 3, 0));
    }

    proptest! {
        #[test]
        fn parts_put_together_are_the_whole(text: String, size in 4_usize..40) {
            let tail = Tail::default();
            tail.push(text.as_bytes());
            let (mut read, mut offset) = (String::new(), 0);

            while offset < text.len() as u64 {
                let part = tail.read(offset, size, false);
                prop_assert!(part.next_offset > offset);
                read.push_str(&part.text);
                offset = part.next_offset;
            }

            prop_assert_eq!(read, text);
        }
    }
}
