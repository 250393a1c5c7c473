//! Line ranges of a stream, read no further than necessary.

use std::io::{self, BufRead, Read as _};
use std::num::NonZeroUsize;

use memchr::memchr;
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
    let mut lines = 0;
    while lines < range.first - 1 && pass_line(source, cancellation)? {
        lines += 1;
    }
    let wanted = range.len().min(bounds.lines);
    let (mut bytes, mut taken) = (Vec::new(), 0);
    // One byte more than the limit shows that there is more.
    while taken < wanted && bytes.len() <= bounds.bytes && !at_end(source, cancellation)? {
        let room = bounds.bytes.saturating_add(1) - bytes.len();
        let mut source = source.by_ref().take(room as u64);
        source.read_until(b'\n', &mut bytes)?;
        taken += 1;
    }
    lines += taken;
    let is_within = bytes.len() <= bounds.bytes;
    if !is_within && !bytes.ends_with(b"\n") && bounds.count_all {
        pass_line(source, cancellation)?;
    }
    bytes.truncate(bounds.bytes);
    let is_whole = is_within && (wanted == range.len() || at_end(source, cancellation)?);
    while bounds.count_all && pass_line(source, cancellation)? {
        lines += 1;
    }
    Ok(LinesRead {
        bytes,
        total: at_end(source, cancellation)?.then_some(lines),
        cut: !is_whole,
    })
}

/// Passes the rest of a line, which may be longer than memory. Returns whether there was one.
fn pass_line(source: &mut impl BufRead, cancellation: &CancellationToken) -> io::Result<bool> {
    let mut is_any = false;
    while !at_end(source, cancellation)? {
        is_any = true;
        let chunk = source.fill_buf()?;
        let newline = memchr(b'\n', chunk);
        let passed = newline.map_or(chunk.len(), |newline| newline + 1);
        source.consume(passed);
        if newline.is_some() {
            break;
        }
    }
    Ok(is_any)
}

fn at_end(source: &mut impl BufRead, cancellation: &CancellationToken) -> io::Result<bool> {
    if cancellation.is_cancelled() {
        return Err(io::ErrorKind::Interrupted.into());
    }
    Ok(source.fill_buf()?.is_empty())
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
