//! Bounded capture of the beginning and end of a stream, and the lines shown while it runs.

use std::collections::VecDeque;

use tool_core::omission;

use crate::newlines::{rest_of_char, without_partial_char};

/// Keeps the first and last bytes of a stream and counts the bytes dropped between them.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    total: u64,
    line_breaks: u64,
    /// Whether the last line is unterminated.
    has_open_line: bool,
}

impl Capture {
    /// Keeps at most `capacity` bytes, half from each end.
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            half: capacity / 2,
            ..Self::default()
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else {
            return;
        };
        // Count before anything is dropped: the marker and the metadata state the complete size.
        self.total = self.total.saturating_add(bytes.len() as u64);
        self.line_breaks += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.has_open_line = *last != b'\n';
        let room = self.half.saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        let (_, last) = rest.split_at(rest.len().saturating_sub(self.half));
        let overflow = (self.tail.len() + last.len()).saturating_sub(self.half);
        self.tail.drain(..overflow.min(self.tail.len()));
        self.tail.extend(last);
    }

    /// Reduces the capacity.
    pub(crate) fn shorten(&mut self, capacity: usize) {
        let mut shortened = Self::new(capacity.min(2 * self.half));
        shortened.push(&self.head);
        // The omitted bytes are between the two, and a full head of the larger capture also fills
        // the smaller one.
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        shortened.push(&tail);
        self.head = shortened.head;
        self.tail = shortened.tail;
        self.half = shortened.half;
    }

    /// Returns the number of bytes received.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Returns the number of lines received, including an unterminated last line.
    pub(crate) fn lines(&self) -> u64 {
        self.line_breaks + u64::from(self.has_open_line)
    }

    pub(crate) fn dropped(&self) -> u64 {
        let kept = self.head.len() + self.tail.len();
        self.total.saturating_sub(kept as u64)
    }

    /// Returns the captured text, with a marker for dropped bytes and `U+FFFD` for invalid UTF-8.
    pub(crate) fn to_text(&self) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        if self.dropped() == 0 {
            return String::from_utf8_lossy(&[self.head.as_slice(), &tail].concat()).into_owned();
        }
        let head = without_partial_char(&self.head);
        let tail = tail.get(rest_of_char(&tail)..).unwrap_or_default();
        let shown_bytes = head.len() + tail.len();
        let [head, tail] = [head, tail].map(String::from_utf8_lossy);
        let marker = self.marker(shown_bytes, head.lines().count() + tail.lines().count());
        format!("{}\n{marker}\n{tail}", head.trim_end_matches('\n'))
    }

    /// Returns the marker of the part that is not shown.
    fn marker(&self, shown_bytes: usize, shown_lines: usize) -> String {
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let total = size(self.total);
        // A line that ends at the limit counts as shown, although a part of it is not.
        let lines = size(self.lines()).saturating_sub(shown_lines).max(1);
        omission(total.saturating_sub(shown_bytes), lines, total)
    }
}

/// Maximum bytes shown in one update. The registry bounds all of them.
const MAX_CHUNK_BYTES: usize = 8 * 1024;

/// Collects output since the last call to [`take`](Self::take), by complete lines and in constant
/// memory.
#[derive(Debug, Default)]
pub(crate) struct Live {
    pending: Vec<u8>,
    has_gap: bool,
}

impl Live {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        // After a gap, drop all output until the gap has been reported.
        if self.has_gap {
            return;
        }
        let room = MAX_CHUNK_BYTES - self.pending.len();
        let (kept, omitted) = bytes.split_at(room.min(bytes.len()));
        self.pending.extend_from_slice(kept);
        self.has_gap = !omitted.is_empty();
    }

    /// Returns the complete lines since the last call, without the final newline.
    pub(crate) fn take(&mut self) -> Option<String> {
        let end = match memchr::memrchr(b'\n', &self.pending) {
            // The chunk is full, so don't wait for the rest of a line that may be longer than a chunk.
            _ if self.has_gap => self.pending.len(),
            Some(end) => end + 1,
            None => return None,
        };
        let lines: Vec<u8> = self.pending.drain(..end).collect();
        let mut text = String::from_utf8_lossy(&lines).into_owned();
        if text.ends_with('\n') {
            text.pop();
        }
        if std::mem::take(&mut self.has_gap) {
            text.push_str("\n[… more output was not shown …]");
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(capacity: usize, chunks: &[&[u8]]) -> Capture {
        let mut capture = Capture::new(capacity);
        for chunk in chunks {
            capture.push(chunk);
        }
        capture
    }

    #[test]
    fn keeps_short_streams_complete() {
        let capture = captured(8, &[b"ab", b"cdef", b"gh"]);

        assert_eq!(capture.to_text(), "abcdefgh");
        assert_eq!((capture.total(), capture.dropped()), (8, 0));
    }

    #[test]
    fn marks_dropped_middle_of_long_streams() {
        for chunks in [
            vec![&b"head0123456789tail"[..]],
            vec![&b"hea"[..], b"d012345", b"6789t", b"ail"],
        ] {
            let capture = captured(8, &chunks);

            assert_eq!(
                capture.to_text(),
                "head\n[… 10 bytes in 1 line omitted of 18 bytes in total]\ntail"
            );
            assert_eq!((capture.total(), capture.dropped()), (18, 10));
        }
    }

    #[test]
    fn shortened_capture_equals_smaller_capture() {
        let stream: Vec<u8> = (0..100).collect();
        for length in [0, 3, 8, 9, 20, 39, 40, 41, 100] {
            let stream = &stream[..length];
            for capacity in [0, 2, 8, 40, 80] {
                let mut capture = captured(40, &[stream]);

                capture.shorten(capacity);

                let smaller = captured(capacity.min(40), &[stream]);
                assert_eq!(capture.to_text(), smaller.to_text(), "{length} {capacity}");
                assert_eq!(capture.dropped(), smaller.dropped(), "{length} {capacity}");
            }
        }
    }

    #[test]
    fn counts_dropped_lines() {
        for (chunks, lines) in [
            (&[][..], 0),
            (&[&b"\n"[..]], 1),
            (&[b"one\ntw", b"o"], 2),
            (&[b"one\ntwo", b"\n", b""], 2),
            (&[b"0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"], 10),
        ] {
            assert_eq!(captured(8, chunks).lines(), lines, "{chunks:?}");
        }
    }

    #[test]
    fn truncation_keeps_characters_intact() {
        let capture = captured(8, &["aaaä0123456789äaaa".as_bytes()]);

        assert_eq!(
            capture.to_text(),
            "aaa\n[… 14 bytes in 1 line omitted of 20 bytes in total]\naaa"
        );
    }

    #[test]
    fn replaces_invalid_utf8() {
        assert_eq!(captured(8, &[b"a\xffb"]).to_text(), "a\u{fffd}b");
    }

    #[test]
    fn memory_stays_within_capacity() {
        let mut capture = Capture::new(1024);
        for _ in 0..1000 {
            capture.push(&[b'x'; 5000]);
        }

        assert!(capture.head.capacity() + capture.tail.capacity() <= 4 * 1024);
        assert_eq!(capture.dropped(), 5_000_000 - 1024);
    }

    #[test]
    fn shows_complete_lines_only() {
        let mut live = Live::default();

        let shown: Vec<Option<String>> = [&b"one\ntw"[..], b"", b"o", b"\nthree\nfo"]
            .into_iter()
            .map(|bytes| {
                live.push(bytes);
                live.take()
            })
            .collect();

        assert_eq!(
            shown,
            [
                Some("one".to_owned()),
                None,
                None,
                Some("two\nthree".to_owned())
            ]
        );
    }

    #[test]
    fn reports_gap_once_and_then_resumes() {
        let mut live = Live::default();
        live.push(&[b'x'; MAX_CHUNK_BYTES + 1]);
        live.push(b"lost\n");

        let shown = live.take().unwrap();

        assert!(shown.starts_with("xxx"), "{shown}");
        assert!(
            shown.ends_with("xxx\n[… more output was not shown …]"),
            "{shown}"
        );
        live.push(b"next\n");
        assert_eq!(live.take().as_deref(), Some("next"));
    }
}
