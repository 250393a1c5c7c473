//! Search for matching lines.

use std::ops::{ControlFlow, Range};
use std::time::Instant;

use super::query::Query;
use super::stop::StopConditions;
use crate::newlines::{count_newlines, line_around, line_end};

/// Number of bytes between checks of the stop conditions: 1 s for the slowest expression.
const BLOCK_BYTES: usize = 64 * 1024;

/// Matching line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MatchingLine {
    /// Line number, counted from 1.
    pub(super) number: usize,
    /// Range in the text, without the newline.
    pub(super) range: Range<usize>,
    /// Offset of the first match in the text.
    pub(super) found: usize,
}

/// Passes every matching line of `text`, whose first line has the number `first`, to `take`, in order, until `take`
/// breaks or the search must stop.
pub(super) fn search(
    query: &Query,
    text: &[u8],
    first: usize,
    stop: &StopConditions<'_>,
    mut take: impl FnMut(&MatchingLine) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut numbers = LineNumbers {
        at: 0,
        number: first,
    };
    let mut begin = 0;
    while begin < text.len() {
        if stop.is_set(Instant::now()) {
            return ControlFlow::Break(());
        }
        // Complete lines, so that no match is split between two blocks.
        let end = line_end(text, begin.saturating_add(BLOCK_BYTES)).saturating_add(1);
        // From the start of the text, because `^` and `\b` look at the byte before the block.
        let block = text.get(..end).unwrap_or(text);
        search_block(query, block, begin, &mut numbers, &mut take)?;
        begin = end;
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
        && let Some(Range { start: found, .. }) = query.find(block, from)
        // There is no line after the final newline, not even for an empty match.
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

/// Maximum lines of a match across lines that are passed on.
const MAX_MATCH_LINES: usize = 20;

/// Passes every line of each match in the complete `text` to `take`, in order and once, until `take` breaks or the
/// search must stop.
pub(super) fn search_across(
    query: &Query,
    text: &[u8],
    stop: &StopConditions<'_>,
    mut take: impl FnMut(&MatchingLine) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut numbers = LineNumbers { at: 0, number: 1 };
    let mut from = 0;
    while from < text.len()
        && !stop.is_set(Instant::now())
        && let Some(found) = query.find(text, from)
        && (found.start < text.len() || !text.ends_with(b"\n"))
    {
        let mut at = found.start;
        for _ in 0..MAX_MATCH_LINES {
            let range = line_around(text, at);
            take(&MatchingLine {
                number: numbers.of(text, range.start),
                found: at.max(range.start),
                range: range.clone(),
            })?;
            at = range.end + 1;
            if at >= found.end {
                break;
            }
        }
        // The next match starts in another line, or the last one of this match would be there twice.
        from = at.max(line_around(text, found.end.saturating_sub(1)).end + 1);
    }
    ControlFlow::Continue(())
}

/// Counts lines incrementally.
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
    use std::time::Duration;

    use tool_core::CancellationToken;

    use super::*;

    const LONG: usize = 2 * BLOCK_BYTES;

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
        let stop = StopConditions::new(Instant::now() + Duration::from_mins(1), &none);
        search(query, text, 1, &stop, take)
    }

    #[test]
    fn returns_each_line_once_with_first_match() {
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
    fn each_line_of_a_match_across_lines_is_passed_once() {
        let long = format!("a{}b\n", "\n".repeat(100));
        let first: Vec<usize> = (1..=20).collect();
        for (query, text, expected) in [
            (r"b\nc", "a\nb\nc\nd\nb\nc", &[2, 3, 5, 6][..]),
            ("a", "a a\nb\na\n", &[1, 3]),
            ("x*", "a\n\nb\n", &[1, 2, 3]),
            (r"a\n", "a\na\n", &[1, 2]),
            (r"a\n+b", &long, &first),
            ("c", "a\nb", &[]),
        ] {
            let parsed = Query::parse_multiline("pattern", query, true).unwrap();
            let none = CancellationToken::new();
            let stop = StopConditions::new(Instant::now() + Duration::from_mins(1), &none);
            let mut numbers = Vec::new();

            let _ = search_across(&parsed, text.as_bytes(), &stop, |line| {
                numbers.push(line.number);
                ControlFlow::Continue(())
            });

            assert_eq!(numbers, expected, "{query}");
        }
    }

    #[test]
    fn blocks_neither_hide_nor_repeat_lines() {
        let line = format!("{}needle\n", "x".repeat(700));
        let text = line.repeat(5000);

        let found = numbers("needle|^x", text.as_bytes());

        assert_eq!(found.len(), 5000);
        assert_eq!(found.last(), Some(&(5000, 0)));
    }

    #[test]
    fn searches_lines_longer_than_block() {
        let text = format!("{}needle{}", "x".repeat(LONG), "y".repeat(10));

        assert_eq!(numbers("needle", text.as_bytes()), [(1, LONG)]);
    }

    #[test]
    fn finds_same_lines_as_line_by_line_search() {
        use proptest::prelude::*;

        proptest!(|(text in "[ab\\n]{0,60}", query in "(a|b|ab|a\\*b|\\^a|b\\$|\\[\\^a\\]|\\\\s)")| {
            let parsed = Query::parse("query", &query, true, true).unwrap();
            let expected: Vec<_> = (1..)
                .zip(text.lines())
                .filter_map(|(number, line)| Some((number, parsed.find(line.as_bytes(), 0)?.start)))
                .collect();
            prop_assert_eq!(numbers(&query, text.as_bytes()), expected);
        });
    }

    #[test]
    fn search_stops_on_break() {
        let query = Query::parse("query", "a", false, true).unwrap();
        let mut taken = 0;
        let flow = search_with(&query, b"a\na\na\n", &mut |_| {
            taken += 1;
            ControlFlow::Break(())
        });

        assert_eq!((flow, taken), (ControlFlow::Break(()), 1));
    }
}
