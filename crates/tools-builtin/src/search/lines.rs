//! Finding the lines of one text that match.

use std::ops::{ControlFlow, Range};

use memchr::{memchr, memchr_iter, memrchr};

use super::query::Query;

/// How much is searched before looking whether to stop. The heaviest expression takes a good part of a second for this
/// much, and the lightest one does not notice the blocks.
const BLOCK_BYTES: usize = 4 * 1024;

/// One line that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MatchingLine {
    /// Its number, counting from 1.
    pub(crate) number: usize,
    /// Where it stands in the text, without its line break.
    pub(crate) range: Range<usize>,
    /// Where in the text the first match on it begins.
    pub(crate) found: usize,
}

/// Gives every line of `text` that matches to `take`, in order, until it breaks; `stop` is asked now and then.
pub(crate) fn search(
    query: &Query,
    text: &[u8],
    stop: impl Fn() -> bool,
    mut take: impl FnMut(MatchingLine) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut numbers = LineNumbers { at: 0, number: 1 };
    let mut begin = 0;
    while begin < text.len() && !stop() {
        let end = line_end(text, begin.saturating_add(BLOCK_BYTES)).saturating_add(1);
        let block = text.get(..end).unwrap_or(text);
        let mut from = begin;
        while from < block.len()
            && let Some(found) = query.find(block, from)
            // Behind the last line break there is no line that an empty match could stand on.
            && (found < block.len() || !block.ends_with(b"\n"))
        {
            let range = line_around(text, found);
            from = range.end + 1;
            let number = numbers.of(text, range.start);
            take(MatchingLine {
                number,
                range,
                found,
            })?;
        }
        begin = block.len();
    }
    ControlFlow::Continue(())
}

/// The line that holds the byte at `at`, without its line break.
fn line_around(text: &[u8], at: usize) -> Range<usize> {
    let before = text.get(..at).unwrap_or(text);
    let start = memrchr(b'\n', before).map_or(0, |line_break| line_break + 1);
    start..line_end(text, at)
}

/// Where the line that holds the byte at `at` ends.
pub(crate) fn line_end(text: &[u8], at: usize) -> usize {
    text.get(at..)
        .and_then(|rest| memchr(b'\n', rest))
        .map_or(text.len(), |offset| at + offset)
}

/// Counts lines from where it last stood.
struct LineNumbers {
    at: usize,
    number: usize,
}

impl LineNumbers {
    fn of(&mut self, text: &[u8], line_start: usize) -> usize {
        let passed = text.get(self.at..line_start).unwrap_or_default();
        self.number += memchr_iter(b'\n', passed).count();
        self.at = line_start;
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(query: &str, text: &[u8]) -> Vec<(usize, usize)> {
        let query = Query::parse("query", query, true, true).unwrap();
        let mut found = Vec::new();
        let _ = search(
            &query,
            text,
            || false,
            |line| {
                found.push((line.number, line.found - line.range.start));
                ControlFlow::Continue(())
            },
        );
        found
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
        let text = format!("{}needle{}", "x".repeat(3 * BLOCK_BYTES), "y".repeat(10));

        assert_eq!(numbers("needle", text.as_bytes()), [(1, 3 * BLOCK_BYTES)]);
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
        let flow = search(
            &query,
            b"a\na\na\n",
            || false,
            |_| {
                taken += 1;
                ControlFlow::Break(())
            },
        );

        assert_eq!((flow, taken), (ControlFlow::Break(()), 1));
    }
}
