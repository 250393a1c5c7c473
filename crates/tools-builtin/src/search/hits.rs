//! Collecting what was found, within bounds.

use std::ops::ControlFlow;

use memchr::memrchr;
use schemars::JsonSchema;
use serde::Serialize;

use super::lines::{MatchingLine, line_end};

/// How much of a line is given.
const MAX_LINE_BYTES: usize = 500;

/// How much of a long line stands before the match.
const LEAD_BYTES: usize = 100;

/// One line that matches, and the lines around it.
///
/// # Examples
/// ```
/// use tools_builtin::search::SearchMatch;
///
/// let found = SearchMatch {
///     path: "src/a.rs".to_owned(),
///     line: 3,
///     column: 5,
///     text: "let answer = 42;".to_owned(),
///     before: Vec::new(),
///     after: Vec::new(),
/// };
/// assert_eq!(serde_json::to_value(found)?["line"], 3);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(description = "One line that matches.")]
pub struct SearchMatch {
    /// Path of the file, relative to the workspace root.
    pub path: String,
    /// Number of the line, counting from 1.
    pub line: usize,
    /// Where the first match on the line begins, in characters, counting from 1.
    pub column: usize,
    /// The line; the part around the match where the line is long.
    pub text: String,
    /// The lines before it.
    pub before: Vec<String>,
    /// The lines after it.
    pub after: Vec<String>,
}

/// How much may be taken.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// The most matches.
    pub(super) matches: usize,
    /// The most bytes of text.
    pub(super) bytes: usize,
}

/// What was found so far, and how much more may be taken.
#[derive(Debug)]
pub(super) struct Hits {
    matches: Vec<SearchMatch>,
    room: Room,
    context_lines: usize,
    overflowed: bool,
}

impl Hits {
    /// Takes no more than there is room for.
    pub(super) fn new(room: Room, context_lines: usize) -> Self {
        Self {
            matches: Vec::new(),
            room,
            context_lines,
            overflowed: false,
        }
    }

    /// Takes one line of `text`, which is of the file at `path`; breaks when there is room for no more.
    pub(super) fn take(&mut self, path: &str, text: &[u8], line: &MatchingLine) -> ControlFlow<()> {
        let hit = self.describe(path, text, line);
        self.push(hit)
    }

    /// Takes what was found elsewhere, with at least as much room as there is here.
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
        if self.room.matches == 0 || bytes > self.room.bytes {
            self.overflowed = true;
            return ControlFlow::Break(());
        }
        self.room.matches -= 1;
        self.room.bytes -= bytes;
        self.matches.push(hit);
        ControlFlow::Continue(())
    }

    /// How much more may be taken.
    pub(super) fn room(&self) -> Room {
        self.room
    }

    /// Whether there was more than could be taken.
    pub(super) fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// How many lines were seen to match.
    pub(super) fn total(&self) -> usize {
        self.matches.len() + usize::from(self.overflowed)
    }

    /// Everything that was taken.
    pub(super) fn into_matches(self) -> Vec<SearchMatch> {
        self.matches
    }

    fn describe(&self, path: &str, text: &[u8], line: &MatchingLine) -> SearchMatch {
        let whole = text.get(line.range.clone()).unwrap_or_default();
        let offset = line.found - line.range.start;
        SearchMatch {
            path: path.to_owned(),
            line: line.number,
            column: characters(whole.get(..offset).unwrap_or_default()) + 1,
            text: cut(whole, offset),
            before: self.lines_before(text, line.range.start),
            after: self.lines_after(text, line.range.end),
        }
    }

    fn lines_before(&self, text: &[u8], start: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let mut end = start;
        while lines.len() < self.context_lines
            && let Some(above) = end
                .checked_sub(1)
                .and_then(|line_break| text.get(..line_break))
        {
            let start = memrchr(b'\n', above).map_or(0, |line_break| line_break + 1);
            lines.push(cut(above.get(start..).unwrap_or_default(), 0));
            end = start;
        }
        lines.reverse();
        lines
    }

    fn lines_after(&self, text: &[u8], end: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let mut start = end + 1;
        while lines.len() < self.context_lines && start < text.len() {
            let end = line_end(text, start);
            lines.push(cut(text.get(start..end).unwrap_or_default(), 0));
            start = end + 1;
        }
        lines
    }
}

fn size(hit: &SearchMatch) -> usize {
    let context = hit.before.iter().chain(&hit.after);
    hit.path.len() + hit.text.len() + context.map(String::len).sum::<usize>()
}

/// How many characters these bytes are; one that is no UTF-8 counts as one.
fn characters(bytes: &[u8]) -> usize {
    String::from_utf8_lossy(bytes).chars().count()
}

/// The part of a line around `offset`, with `…` where something was cut.
fn cut(line: &[u8], offset: usize) -> String {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= MAX_LINE_BYTES {
        return readable(line);
    }
    // A match that begins within what the head shows is seen there, unless it would be cut at once.
    let start = if offset + LEAD_BYTES <= MAX_LINE_BYTES {
        0
    } else {
        border(line, offset - LEAD_BYTES)
    };
    let end = border(line, (start + MAX_LINE_BYTES).min(line.len()));
    let shown = readable(line.get(start..end).unwrap_or_default());
    let [before, after] = [start > 0, end < line.len()].map(|cut| if cut { "…" } else { "" });
    format!("{before}{shown}{after}")
}

/// The first place at or behind `at` where a character begins.
fn border(line: &[u8], at: usize) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    let inside = rest
        .iter()
        .take(3)
        .take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000);
    at + inside.count()
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
        let room = Room {
            matches: 1,
            bytes: 1000,
        };
        Hits::new(room, context_lines).describe("a", TEXT, &line)
    }

    #[test]
    fn the_lines_around_a_match_end_with_the_file() {
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
    fn a_long_line_is_cut_around_its_match() {
        let line = format!("{}needle{}", "ä".repeat(1000), "x".repeat(1000));

        let far = cut(line.as_bytes(), 2000);
        let near = cut(line.as_bytes(), 0);

        assert!(far.starts_with("…ää") && far.contains("äneedlex") && far.ends_with("x…"));
        assert_eq!(near, format!("{}…", "ä".repeat(250)));
        assert!(far.len() <= MAX_LINE_BYTES + 10);
    }

    #[test]
    fn a_match_near_the_end_of_what_is_shown_is_shown_whole() {
        let line = format!("{}needle{}", "x".repeat(498), "y".repeat(100));

        assert!(cut(line.as_bytes(), 498).contains("needle"));
    }

    #[test]
    fn the_column_counts_characters() {
        let text = "äö x".as_bytes();
        let line = MatchingLine {
            number: 1,
            range: 0..text.len(),
            found: 5,
        };

        let room = Room {
            matches: 1,
            bytes: 1000,
        };
        assert_eq!(Hits::new(room, 0).describe("a", text, &line).column, 4);
    }

    #[test]
    fn what_does_not_fit_is_counted_once_and_not_taken() {
        for (matches, bytes) in [(2, 1000), (9, 9)] {
            let mut hits = Hits::new(Room { matches, bytes }, 0);
            let line = MatchingLine {
                number: 1,
                range: 0..3,
                found: 0,
            };

            let flows = [(); 3].map(|()| hits.take("a", TEXT, &line).is_continue());

            assert_eq!(flows, [true, true, false]);
            assert_eq!((hits.total(), hits.overflowed()), (3, true));
            assert_eq!(hits.into_matches().len(), 2);
        }
    }
}
