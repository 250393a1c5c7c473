//! Finding the lines of one text that match.

use std::ops::{ControlFlow, Range};

use memchr::{memchr, memrchr};

use super::pace::Pace;
use super::query::Query;
use super::stop::Stop;
use crate::newlines::count_newlines;

/// One line that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MatchingLine {
    /// Its number, counting from 1.
    pub(super) number: usize,
    /// Where it stands in the text, without its line break.
    pub(super) range: Range<usize>,
    /// Where in the text the first match on it begins.
    pub(super) found: usize,
}

/// How far a text is searched. The text may be a part of a longer one.
#[derive(Debug)]
pub(super) struct Lines {
    /// Where the next line to search begins.
    pub(super) at: usize,
    /// Where the last one to search ends.
    pub(super) end: usize,
    numbers: LineNumbers,
}

impl Lines {
    /// The lines from the beginning of a text to `end`.
    pub(super) fn until(end: usize) -> Self {
        let numbers = LineNumbers { at: 0, number: 1 };
        Self {
            at: 0,
            end,
            numbers,
        }
    }

    /// Follows the text, which is about to lose so many of its first bytes.
    pub(super) fn move_up(&mut self, text: &[u8], bytes: usize) {
        self.numbers.of(text, self.at);
        self.numbers.at -= bytes;
        self.at -= bytes;
    }
}

/// Gives every line of `text` that matches to `take`, in order, until it breaks or the search is to stop.
pub(super) fn search(
    query: &Query,
    text: &[u8],
    lines: &mut Lines,
    pace: &mut Pace,
    stop: &Stop<'_>,
    mut take: impl FnMut(&MatchingLine) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut now = pace.begin();
    while lines.at < lines.end {
        if stop.is_set(now) {
            return ControlFlow::Break(());
        }
        let begin = lines.at;
        let end = line_end(text, begin.saturating_add(pace.bytes())).saturating_add(1);
        lines.at = end.min(lines.end);
        let block = text.get(..lines.at).unwrap_or(text);
        search_block(query, block, begin, &mut lines.numbers, &mut take)?;
        now = pace.end(lines.at - begin);
    }
    ControlFlow::Continue(())
}

fn search_block(
    query: &Query,
    block: &[u8],
    mut from: usize,
    numbers: &mut LineNumbers,
    take: &mut impl FnMut(&MatchingLine) -> ControlFlow<()>,
) -> ControlFlow<()> {
    while from < block.len()
        && let Some(found) = query.find(block, from)
        // Behind the last line break there is no line that an empty match could stand on.
        && (found < block.len() || !block.ends_with(b"\n"))
    {
        let range = line_around(block, found);
        from = range.end + 1;
        let number = numbers.of(block, range.start);
        take(&MatchingLine {
            number,
            range,
            found,
        })?;
    }
    ControlFlow::Continue(())
}

/// The line that holds the byte at `at`, without its line break.
pub(super) fn line_around(text: &[u8], at: usize) -> Range<usize> {
    let before = text.get(..at).unwrap_or(text);
    let start = memrchr(b'\n', before).map_or(0, |line_break| line_break + 1);
    start..line_end(text, at)
}

/// Where the line that holds the byte at `at` ends.
pub(super) fn line_end(text: &[u8], at: usize) -> usize {
    text.get(at..)
        .and_then(|rest| memchr(b'\n', rest))
        .map_or(text.len(), |offset| at + offset)
}

/// Counts lines from where it last stood.
#[derive(Debug)]
struct LineNumbers {
    at: usize,
    number: usize,
}

impl LineNumbers {
    fn of(&mut self, text: &[u8], line_start: usize) -> usize {
        let passed = text.get(self.at..line_start).unwrap_or_default();
        self.number += count_newlines(passed);
        self.at = line_start;
        self.number
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use tool_core::CancellationToken;

    use super::*;

    const LONG: usize = 12 * 1024;

    fn numbers(query: &str, text: &[u8]) -> Vec<(usize, usize)> {
        let query = Query::parse("query", query, true, true).unwrap();
        let mut found = Vec::new();
        let _ = search_with(&query, text, &mut |line| {
            found.push((line.number, line.found - line.range.start));
            ControlFlow::Continue(())
        });
        found
    }

    fn search_with(
        query: &Query,
        text: &[u8],
        take: &mut dyn FnMut(&MatchingLine) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let none = CancellationToken::new();
        let stop = Stop::new(Instant::now() + Duration::from_mins(1), &none);
        let mut lines = Lines::until(text.len());
        search(query, text, &mut lines, &mut Pace::default(), &stop, take)
    }

    #[test]
    fn each_line_is_given_once_with_its_first_match() {
        for (query, text, expected) in [
            ("a", &b""[..], &[][..]),
            ("a", b"a", &[(1, 0)]),
            ("a", b"xa a\n\nb\na\n", &[(1, 1), (4, 0)]),
            ("^", b"a\nb\n", &[(1, 0), (2, 0)]),
            ("^$", b"a\n\nb\n\n", &[(2, 0), (4, 0)]),
            ("$", b"ab\r\nc", &[(1, 2), (2, 1)]),
            ("x*", b"a\nx\n", &[(1, 0), (2, 0)]),
            ("b$", b"b\nb\r\nb", &[(1, 0), (2, 0), (3, 0)]),
            (r"\s*a", b"x\na", &[(2, 0)]),
        ] {
            assert_eq!(numbers(query, text), expected, "{query} in {text:?}");
        }
    }

    #[test]
    fn blocks_do_not_hide_or_double_a_line() {
        let line = format!("{}needle\n", "x".repeat(700));
        let text = line.repeat(5000);

        let found = numbers("needle|^x", text.as_bytes());

        assert_eq!(found.len(), 5000);
        assert_eq!(found.last(), Some(&(5000, 0)));
    }

    #[test]
    fn a_line_longer_than_a_block_is_searched_whole() {
        let text = format!("{}needle{}", "x".repeat(LONG), "y".repeat(10));

        assert_eq!(numbers("needle", text.as_bytes()), [(1, LONG)]);
    }

    #[test]
    fn every_matching_line_is_found_as_by_reading_line_by_line() {
        use proptest::prelude::*;

        proptest!(|(text in "[ab\\n]{0,60}", query in "(a|b|ab|a\\*b|\\^a|b\\$|\\[\\^a\\]|\\\\s)")| {
            let parsed = Query::parse("query", &query, true, true).unwrap();
            let expected: Vec<_> = (1..)
                .zip(text.lines())
                .filter_map(|(number, line)| Some((number, parsed.find(line.as_bytes(), 0)?)))
                .collect();
            prop_assert_eq!(numbers(&query, text.as_bytes()), expected);
        });
    }

    #[test]
    fn searching_ends_when_it_is_told_to() {
        let query = Query::parse("query", "a", false, true).unwrap();
        let mut taken = 0;
        let flow = search_with(&query, b"a\na\na\n", &mut |_| {
            taken += 1;
            ControlFlow::Break(())
        });

        assert_eq!((flow, taken), (ControlFlow::Break(()), 1));
    }
}
