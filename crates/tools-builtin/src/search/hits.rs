//! Bounded collection of matches.

use std::ops::ControlFlow;

use super::lines::MatchingLine;
use super::output::SearchMatch;
use crate::newlines::{newline_before, rest_of_char};

/// Maximum number of bytes returned per line.
const MAX_LINE_BYTES: usize = 500;

/// Number of bytes shown before the match in a long line.
const LEAD_BYTES: usize = 100;

/// Remaining capacity of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Capacity {
    /// Maximum number of matches.
    pub(super) matches: usize,
    /// Maximum number of bytes of text.
    pub(super) bytes: usize,
}

/// Matches so far, and the remaining capacity.
#[derive(Debug)]
pub(super) struct Hits {
    pub(super) matches: Vec<SearchMatch>,
    pub(super) capacity: Capacity,
    context_lines: usize,
    /// Whether matches were dropped for lack of capacity.
    pub(super) overflowed: bool,
}

impl Hits {
    pub(super) fn new(capacity: Capacity, context_lines: usize) -> Self {
        Self {
            matches: Vec::new(),
            capacity,
            context_lines,
            overflowed: false,
        }
    }

    /// Adds a line of `text` from the file at `path`. Breaks if the capacity is exhausted.
    pub(super) fn take(&mut self, path: &str, text: &[u8], line: &MatchingLine) -> ControlFlow<()> {
        self.push(self.describe(path, text, line))
    }

    /// Adds the matches of another collection, whose capacity was at least as large.
    pub(super) fn append(&mut self, other: Self) -> ControlFlow<()> {
        for hit in other.matches {
            self.push(hit)?;
        }
        if other.overflowed {
            self.overflowed = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn push(&mut self, hit: SearchMatch) -> ControlFlow<()> {
        let bytes = size(&hit);
        if self.capacity.matches == 0 || bytes > self.capacity.bytes {
            self.overflowed = true;
            return ControlFlow::Break(());
        }
        self.capacity.matches -= 1;
        self.capacity.bytes -= bytes;
        self.matches.push(hit);
        ControlFlow::Continue(())
    }

    /// Returns the number of matching lines, at least.
    pub(super) fn total(&self) -> usize {
        self.matches.len() + usize::from(self.overflowed)
    }

    fn describe(&self, path: &str, text: &[u8], line: &MatchingLine) -> SearchMatch {
        let whole = text.get(line.range.clone()).unwrap_or_default();
        let offset = line.found - line.range.start;
        let above = newline_before(text, line.range.start, self.context_lines);
        let above = above.map_or(0, |newline| newline + 1);
        let before = text.get(above..line.range.start).unwrap_or_default();
        let after = text.get(line.range.end + 1..).unwrap_or_default();
        SearchMatch {
            path: path.to_owned(),
            line: line.number,
            column: characters(whole.get(..offset).unwrap_or_default()) + 1,
            text: cut(whole, offset),
            before: self.context(before),
            after: self.context(after),
        }
    }

    /// Returns the first of these lines, as many as there should be around a match.
    fn context(&self, lines: &[u8]) -> Vec<String> {
        lines
            .split_inclusive(|byte| *byte == b'\n')
            .take(self.context_lines)
            .map(|line| cut(line.strip_suffix(b"\n").unwrap_or(line), 0))
            .collect()
    }
}

fn size(hit: &SearchMatch) -> usize {
    let context = hit.before.iter().chain(&hit.after);
    hit.path.len() + hit.text.len() + context.map(String::len).sum::<usize>()
}

/// Counts characters. An invalid byte sequence counts as one.
fn characters(bytes: &[u8]) -> usize {
    String::from_utf8_lossy(bytes).chars().count()
}

/// Shortens a line to the part around `offset`, with `…` for omitted text.
fn cut(line: &[u8], offset: usize) -> String {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= MAX_LINE_BYTES {
        return readable(line);
    }
    // Keep the start of the line if the match begins well within it.
    let start = if offset + LEAD_BYTES <= MAX_LINE_BYTES {
        0
    } else {
        char_boundary(line, offset - LEAD_BYTES)
    };
    let end = char_boundary(line, (start + MAX_LINE_BYTES).min(line.len()));
    let shown = readable(line.get(start..end).unwrap_or_default());
    let [before, after] = [start > 0, end < line.len()].map(|cut| if cut { "…" } else { "" });
    format!("{before}{shown}{after}")
}

/// Returns the next position that is not within a character.
fn char_boundary(line: &[u8], at: usize) -> usize {
    at + rest_of_char(line.get(at..).unwrap_or_default())
}

fn readable(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"one\ntwo\r\nthree\n\nfive";

    fn hit(range: std::ops::Range<usize>, number: usize, context_lines: usize) -> SearchMatch {
        let found = range.start;
        let line = MatchingLine {
            number,
            range,
            found,
        };
        let capacity = Capacity {
            matches: 1,
            bytes: 1000,
        };
        Hits::new(capacity, context_lines).describe("a", TEXT, &line)
    }

    #[test]
    fn context_ends_at_file_boundaries() {
        for (range, number, text, before, after) in [
            (0..3, 1, "one", &[][..], &["two", "three"][..]),
            (4..8, 2, "two", &["one"], &["three", ""]),
            (9..14, 3, "three", &["one", "two"], &["", "five"]),
            (16..20, 5, "five", &["three", ""], &[]),
        ] {
            let hit = hit(range, number, 2);

            assert_eq!((hit.text.as_str(), hit.line), (text, number));
            assert_eq!(hit.before, before);
            assert_eq!(hit.after, after);
        }
    }

    #[test]
    fn shortens_long_line_around_match() {
        let line = format!("{}needle{}", "ä".repeat(1000), "x".repeat(1000));

        let far = cut(line.as_bytes(), 2000);
        let near = cut(line.as_bytes(), 0);

        assert!(far.starts_with("…ää") && far.contains("äneedlex") && far.ends_with("x…"));
        assert_eq!(near, format!("{}…", "ä".repeat(250)));
        assert!(far.len() <= MAX_LINE_BYTES + 10);
    }

    #[test]
    fn shows_match_near_end_of_shown_part() {
        let line = format!("{}needle{}", "x".repeat(498), "y".repeat(100));

        assert!(cut(line.as_bytes(), 498).contains("needle"));
    }

    #[test]
    fn column_counts_characters() {
        let text = "äö x".as_bytes();
        let line = MatchingLine {
            number: 1,
            range: 0..text.len(),
            found: 5,
        };

        let capacity = Capacity {
            matches: 1,
            bytes: 1000,
        };
        assert_eq!(Hits::new(capacity, 0).describe("a", text, &line).column, 4);
    }

    #[test]
    fn overflow_counts_one_more_match() {
        for (matches, bytes) in [(2, 1000), (9, 9)] {
            let mut hits = Hits::new(Capacity { matches, bytes }, 0);
            let line = MatchingLine {
                number: 1,
                range: 0..3,
                found: 0,
            };

            let flows = [(); 3].map(|()| hits.take("a", TEXT, &line).is_continue());

            assert_eq!(flows, [true, true, false]);
            assert_eq!((hits.total(), hits.overflowed), (3, true));
            assert_eq!(hits.matches.len(), 2);
        }
    }
}
