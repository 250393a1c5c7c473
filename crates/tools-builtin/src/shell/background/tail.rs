//! Bounded buffer of the most recent output.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum bytes kept of an output.
pub(super) const MAX_BYTES: usize = 64 * 1024;

/// Keeps the last bytes of an output and their offset.
#[derive(Debug, Default)]
pub(crate) struct Tail(Mutex<TailBuffer>);

#[derive(Debug, Default)]
struct TailBuffer {
    bytes: VecDeque<u8>,
    total: u64,
}

/// Part of an output.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OutputPart {
    pub(super) text: String,
    /// Offset of the next part.
    pub(super) next_offset: u64,
    /// Bytes between the requested offset and the first retained byte.
    pub(super) omitted: u64,
}

impl Tail {
    /// Appends bytes and drops the oldest ones.
    pub(crate) fn push(&self, bytes: &[u8]) {
        let mut buffer = self.buffer();
        // Count what is dropped too: offsets are positions in the complete output.
        buffer.total = buffer.total.saturating_add(bytes.len() as u64);
        let (_, last) = bytes.split_at(bytes.len().saturating_sub(MAX_BYTES));
        let overflow = (buffer.bytes.len() + last.len()).saturating_sub(MAX_BYTES);
        buffer.bytes.drain(..overflow);
        buffer.bytes.extend(last);
    }

    /// Returns the number of bytes received.
    pub(super) fn total(&self) -> u64 {
        self.buffer().total
    }

    /// Returns the output from `offset`. An incomplete character at the end is left for the next part, unless `is_over`.
    pub(super) fn read(&self, offset: u64, is_over: bool) -> OutputPart {
        let buffer = self.buffer();
        let oldest = buffer.total - buffer.bytes.len() as u64;
        let begin = offset.clamp(oldest, buffer.total);
        let skipped = usize::try_from(begin - oldest).unwrap_or(usize::MAX);
        let bytes: Vec<u8> = buffer.bytes.iter().skip(skipped).copied().collect();
        let whole = match std::str::from_utf8(&bytes) {
            // `error_len` is `None` only for an incomplete character at the end; invalid bytes elsewhere become U+FFFD.
            Err(error) if error.error_len().is_none() && !is_over => error.valid_up_to(),
            _ => bytes.len(),
        };
        let text = String::from_utf8_lossy(bytes.get(..whole).unwrap_or_default()).into_owned();
        OutputPart {
            text,
            next_offset: begin + whole as u64,
            omitted: begin.saturating_sub(offset),
        }
    }

    fn buffer(&self) -> MutexGuard<'_, TailBuffer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part(text: &str, next_offset: u64, omitted: u64) -> OutputPart {
        OutputPart {
            text: text.to_owned(),
            next_offset,
            omitted,
        }
    }

    #[test]
    fn parts_are_contiguous() {
        let tail = Tail::default();
        tail.push(b"one\nt");
        assert_eq!(tail.read(0, false), part("one\nt", 5, 0));
        tail.push(b"wo\n");

        assert_eq!(tail.read(5, false), part("wo\n", 8, 0));
        assert_eq!(tail.read(8, false), part("", 8, 0));
        assert_eq!(tail.read(99, false), part("", 8, 0));
    }

    #[test]
    fn counts_dropped_bytes() {
        let tail = Tail::default();
        tail.push(&vec![b'x'; MAX_BYTES]);
        tail.push(b"last");

        let read = tail.read(1, false);

        assert_eq!((read.omitted, read.text.len()), (3, MAX_BYTES));
        assert!(read.text.ends_with("xlast"));
        assert!(tail.buffer().bytes.capacity() <= 2 * MAX_BYTES);
    }

    #[test]
    fn incomplete_character_waits_for_rest() {
        let tail = Tail::default();
        tail.push("aä".as_bytes().split_last().unwrap().1);

        assert_eq!(tail.read(0, false), part("a", 1, 0));
        assert_eq!(tail.read(0, true), part("a\u{fffd}", 2, 0));
        tail.push(&[0xa4]);
        assert_eq!(tail.read(1, false), part("ä", 3, 0));
    }

    proptest! {
        #[test]
        fn concatenated_parts_equal_output(text: String, size in 1_usize..40) {
            let tail = Tail::default();
            let (mut read, mut offset) = (String::new(), 0);

            for chunk in text.as_bytes().chunks(size) {
                tail.push(chunk);
                let part = tail.read(offset, false);
                read.push_str(&part.text);
                offset = part.next_offset;
            }

            prop_assert_eq!(read, text);
        }
    }
}
