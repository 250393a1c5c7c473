//! Line ranges of a stream, read no further than necessary.

use std::io::{self, BufRead};
use std::num::NonZeroUsize;

use memchr::memchr_iter;
use tool_core::CancellationToken;
#[cfg(any(test, feature = "document-sets"))]
use tool_core::ToolError;

/// Lines `first..=last`, with `first <= last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineRange {
    pub(super) first: usize,
    last: usize,
    /// Whether the last line was specified, so that its newline is not part of the range.
    pub(super) has_end: bool,
}

impl LineRange {
    #[cfg(any(test, feature = "document-sets"))]
    pub(super) fn parse(
        first: Option<NonZeroUsize>,
        last: Option<NonZeroUsize>,
    ) -> Result<Self, ToolError> {
        let has_end = last.is_some();
        let first = first.map_or(1, NonZeroUsize::get);
        let last = last.map_or(usize::MAX, NonZeroUsize::get);
        if last < first {
            let error = ToolError::invalid_arguments("end_line", "is before the first line");
            return Err(error.suggest(format!("Use {first} or more, or omit it.")));
        }
        Ok(Self {
            first,
            last,
            has_end,
        })
    }

    /// Returns the lines from `first` to the end.
    pub(super) fn from(first: Option<NonZeroUsize>) -> Self {
        Self {
            first: first.map_or(1, NonZeroUsize::get),
            last: usize::MAX,
            has_end: false,
        }
    }

    fn len(self) -> usize {
        self.last.saturating_sub(self.first).saturating_add(1)
    }
}

/// Limits of a read, and whether to read to the end to count the lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) lines: usize,
    pub(super) bytes: usize,
    pub(super) count_all: bool,
}

/// Lines that were read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LinesRead {
    pub(super) bytes: Vec<u8>,
    /// Number of lines in the stream, if its end was reached.
    pub(super) total: Option<usize>,
    /// Whether a limit truncated the range.
    pub(super) cut: bool,
}

pub(super) fn take_lines(
    source: &mut impl BufRead,
    range: LineRange,
    bounds: Bounds,
    cancellation: &CancellationToken,
) -> io::Result<LinesRead> {
    let mut reader = Reader {
        source,
        cancellation,
        newlines: 0,
        in_line: false,
        ended: false,
    };
    let mut bytes = Vec::new();
    reader.pass(range.first - 1, |_| true)?;
    let wanted = range.len().min(bounds.lines);
    let within_bytes = reader.pass(wanted, |piece| {
        let room = bounds.bytes - bytes.len();
        bytes.extend_from_slice(piece.get(..room).unwrap_or(piece));
        piece.len() <= room
    })?;
    let cut_by_lines = wanted < range.len() && !reader.at_end()?;
    if bounds.count_all {
        reader.pass(usize::MAX, |_| true)?;
    }
    // Check for the end again: the last line of the range may be the last line of the stream.
    let total = reader.at_end()?.then_some(reader.lines());
    Ok(LinesRead {
        bytes,
        total,
        cut: !within_bytes || cut_by_lines,
    })
}

struct Reader<'r, R> {
    source: &'r mut R,
    cancellation: &'r CancellationToken,
    newlines: usize,
    /// Whether there are bytes after the last newline.
    in_line: bool,
    ended: bool,
}

impl<R: BufRead> Reader<'_, R> {
    /// Advances by `count` lines and passes their bytes to `sink`. Returns `false` if `sink`
    /// stopped early.
    fn pass(&mut self, count: usize, mut sink: impl FnMut(&[u8]) -> bool) -> io::Result<bool> {
        let mut left = count;
        while left > 0 && !self.at_end()? {
            let chunk = self.source.fill_buf()?;
            let (found, end) = lines_in(chunk, left);
            let piece = chunk.get(..end).unwrap_or(chunk);
            let continues = sink(piece);
            self.in_line = !piece.ends_with(b"\n");
            self.newlines += found;
            left -= found;
            self.source.consume(end);
            if !continues {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn at_end(&mut self) -> io::Result<bool> {
        if self.cancellation.is_cancelled() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        self.ended = self.ended || self.source.fill_buf()?.is_empty();
        Ok(self.ended)
    }

    fn lines(&self) -> usize {
        self.newlines + usize::from(self.in_line)
    }
}

/// Returns how many of the next `most` lines end in the chunk, and the end of the last one or of
/// the chunk.
fn lines_in(chunk: &[u8], most: usize) -> (usize, usize) {
    let newlines = memchr_iter(b'\n', chunk).take(most);
    let (found, end) = newlines.fold((0, 0), |(found, _), at| (found + 1, at + 1));
    (found, if found == most { end } else { chunk.len() })
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    const ALL: Bounds = Bounds {
        lines: usize::MAX,
        bytes: usize::MAX,
        count_all: true,
    };

    fn range(first: usize, last: usize) -> LineRange {
        LineRange::parse(NonZeroUsize::new(first), NonZeroUsize::new(last)).unwrap()
    }

    fn take(text: &str, range: LineRange, bounds: Bounds) -> (String, Option<usize>, bool) {
        let mut source = BufReader::with_capacity(3, text.as_bytes());
        let taken = take_lines(&mut source, range, bounds, &CancellationToken::new()).unwrap();
        (
            String::from_utf8(taken.bytes).unwrap(),
            taken.total,
            taken.cut,
        )
    }

    #[test]
    fn reads_range_at_any_chunk_size() {
        for (text, first, last, expected, total) in [
            ("one\ntwo\nthree\n", 0, 0, "one\ntwo\nthree\n", 3),
            ("one\ntwo\nthree", 2, 3, "two\nthree", 3),
            ("one\ntwo\nthree", 2, 2, "two\n", 3),
            ("one\ntwo", 2, 9, "two", 2),
            ("one\ntwo", 3, 9, "", 2),
            ("\n\n\n", 2, 2, "\n", 3),
            ("", 0, 0, "", 0),
        ] {
            assert_eq!(
                take(text, range(first, last), ALL),
                (expected.to_owned(), Some(total), false),
                "{text:?} {first} {last}"
            );
        }
    }

    #[test]
    fn finds_line_ends() {
        let text = "x\n".repeat(1000);
        for (most, chunk, expected) in [
            (0, &text[..3], (0, 0)),
            (2, &text[..3], (1, 3)),
            (2, &text[..4], (2, 4)),
            (2, &text[..5], (2, 4)),
            (1, "", (0, 0)),
            (999, &text, (999, 1998)),
            (1000, &text, (1000, 2000)),
            (1001, &text, (1000, 2000)),
            (usize::MAX, &text[..5], (2, 5)),
        ] {
            assert_eq!(lines_in(chunk.as_bytes(), most), expected, "{most}");
        }
    }

    #[test]
    fn limits_truncate_range() {
        let lines = Bounds { lines: 2, ..ALL };
        let bytes = Bounds { bytes: 5, ..ALL };

        assert_eq!(
            take("a\nb\nc\n", range(0, 0), lines),
            ("a\nb\n".into(), Some(3), true)
        );
        assert_eq!(
            take("a\nb\n", range(0, 0), lines),
            ("a\nb\n".into(), Some(2), false)
        );
        assert_eq!(
            take("abc\ndef\n", range(0, 0), bytes),
            ("abc\nd".into(), Some(2), true)
        );
    }

    #[test]
    fn reads_no_further_than_range() {
        let text = "x\n".repeat(1000);
        let mut source = BufReader::with_capacity(8, text.as_bytes());
        let bounds = Bounds {
            count_all: false,
            ..ALL
        };

        let taken = take_lines(&mut source, range(2, 3), bounds, &CancellationToken::new());

        assert_eq!(taken.unwrap().total, None);
        assert!(source.get_ref().len() > 1900);
    }

    #[test]
    fn reversed_range_names_parameter() {
        let error = LineRange::parse(NonZeroUsize::new(5), NonZeroUsize::new(2)).unwrap_err();

        assert_eq!(error.parameter(), Some("end_line"));
    }
}
