//! In-memory text replacement.

use std::iter;
use std::ops::Range;

use memchr::memchr;
use memchr::memmem::{self, Finder};
use tool_core::{ErrorCode, ToolError};

use super::byte_slices::ByteSlices;
use crate::newlines::count_newlines;

/// Maximum number of changed lines to list.
const MAX_LINES_LISTED: usize = 1000;

/// Maximum span in bytes of the displayed replacements, so that both sides fit into a diff.
const MAX_SHOWN_BYTES: usize = 16 * 1024;

/// Replacement to make.
#[derive(Debug, Clone)]
pub(super) struct Change<'c> {
    pub(super) old: &'c str,
    pub(super) new: &'c str,
    pub(super) all: bool,
    /// Maximum size of the result in bytes.
    pub(super) limit: usize,
}

/// Text after the replacements.
#[derive(Debug)]
pub(super) struct ReplacedText<'t> {
    pub(super) content: ByteSlices<'t>,
    pub(super) found: usize,
    pub(super) made: usize,
    /// Lines of the old text at which replacements start.
    pub(super) lines: Vec<usize>,
    pub(super) shown: DiffRegion,
}

/// First replacements, close enough to be displayed in one diff.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DiffRegion {
    pub(super) count: usize,
    /// Span in the old text.
    pub(super) span: Range<usize>,
    /// Line of the old text at which the first replacement starts.
    pub(super) line: usize,
    /// End in the new text.
    pub(super) new_end: usize,
}

impl DiffRegion {
    /// Adds a replacement unless it is too far from the first.
    fn take(&mut self, place: Range<usize>, line: usize, new_end: usize) {
        if self.count == 0 {
            self.line = line;
            self.span.start = place.start;
        }
        let start = self.span.start;
        if self.count == 0 || place.end - start <= MAX_SHOWN_BYTES {
            self.count += 1;
            self.span = start..place.end;
            self.new_end = new_end;
        }
    }
}

/// Block size in bytes: a block is still in the CPU cache when its lines are counted after the
/// search.
const BLOCK: usize = 256 * 1024;

/// First occurrence of a string, and number of occurrences.
#[derive(Debug, Clone, Copy)]
struct Occurrences {
    first: usize,
    /// Number of newlines before the first occurrence.
    lines_before: usize,
    count: usize,
}

impl Occurrences {
    fn find(finder: &Finder<'_>, text: &[u8]) -> Option<Self> {
        let len = finder.needle().len();
        let (mut at, mut lines_before) = (0, 0);
        let first = loop {
            let end = at + BLOCK;
            // A match may start in the block and end after it.
            let reach = (end + len).min(text.len());
            if let Some(place) = finder.find(text.get(at..reach)?) {
                lines_before += count_newlines(text.get(at..at + place)?);
                break at + place;
            }
            lines_before += count_newlines(text.get(at..end)?);
            at = end;
        };
        // Count the other matches and search for them again later: storing them could take more
        // memory than the text.
        let others = finder.find_iter(text.get(first + len..)?);
        Some(Self {
            first,
            lines_before,
            count: 1 + others.count(),
        })
    }
}

impl Change<'_> {
    /// Applies the change. Returns `None` if the old text does not occur.
    pub(super) fn apply<'t>(&self, text: &'t [u8]) -> Result<Option<ReplacedText<'t>>, ToolError> {
        for fit in self.fits(text) {
            let (old, new) = (fit.apply(self.old), fit.apply(self.new));
            let finder = Finder::new(&old);
            let Some(found) = Occurrences::find(&finder, text) else {
                continue;
            };
            // Different as written, equal in the line endings of the file.
            if old == new {
                return Err(nothing_to_change());
            }
            return self.build(text, &finder, found, new.as_bytes()).map(Some);
        }
        Ok(None)
    }

    /// Returns the line-ending conversions to try. If neither text has a newline, the file's line
    /// endings do not matter.
    fn fits(&self, text: &[u8]) -> &'static [LineEndingConversion] {
        if self.old.contains('\n') || self.new.contains('\n') {
            fits(text)
        } else {
            &[LineEndingConversion::AsWritten]
        }
    }

    fn build<'t>(
        &self,
        text: &'t [u8],
        finder: &Finder<'_>,
        found: Occurrences,
        new: &[u8],
    ) -> Result<ReplacedText<'t>, ToolError> {
        let old = finder.needle();
        let count = if self.all { found.count } else { 1 };
        let kept = text.len() - count * old.len();
        // Check the size first, because many short matches may have a long replacement.
        let size = count.saturating_mul(new.len()).saturating_add(kept);
        if size > self.limit {
            return Err(too_large(size, self.limit));
        }
        let mut content = ByteSlices::default();
        let (mut end, mut line, mut lines) = (0, 1, Vec::new());
        let mut shown = DiffRegion::default();
        let after_first = found.first + old.len();
        let others = finder.find_iter(text.get(after_first..).unwrap_or_default());
        let places = iter::once(found.first).chain(others.map(|place| after_first + place));
        for place in places.take(count) {
            let before = text.get(end..place).unwrap_or_default();
            line += if end == 0 {
                found.lines_before
            } else {
                count_newlines(before)
            };
            if lines.last() != Some(&line) && lines.len() < MAX_LINES_LISTED {
                lines.push(line);
            }
            content.push(before);
            content.push_new(new);
            end = place + old.len();
            shown.take(place..end, line, content.len());
            line += count_newlines(old);
        }
        content.push(text.get(end..).unwrap_or_default());
        Ok(ReplacedText {
            content,
            found: found.count,
            made: count,
            lines,
            shown,
        })
    }
}

fn nothing_to_change() -> ToolError {
    let sentence = "differs only in line endings, which edits do not change";
    ToolError::invalid_arguments("new_string", sentence)
        .suggest("Rewrite the entire file to change its line endings.")
}

fn too_large(size: usize, limit: usize) -> ToolError {
    let sentence = format!("The file would have {size} bytes; at most {limit} are allowed");
    ToolError::new(ErrorCode::FileTooLarge, sentence)
        .suggest("Insert less text, or write it to a separate file.")
}

/// Conversion of a parameter's line endings to match the file.
#[derive(Debug, Clone, Copy)]
pub(super) enum LineEndingConversion {
    AsWritten,
    Unix,
    Windows,
}

impl LineEndingConversion {
    pub(super) fn apply(self, text: &str) -> String {
        match self {
            Self::AsWritten => text.to_owned(),
            Self::Unix => text.replace("\r\n", "\n"),
            Self::Windows => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        }
    }
}

/// Returns the conversions to try, in this order.
pub(super) fn fits(text: &[u8]) -> &'static [LineEndingConversion] {
    // Most files have no carriage return, and searching for one is faster than counting newlines.
    if memchr(b'\n', text).is_none() {
        return &[LineEndingConversion::AsWritten];
    }
    if memchr(b'\r', text).is_none() {
        return &[LineEndingConversion::Unix];
    }
    let all = count_newlines(text);
    let windows = memmem::find_iter(text, b"\r\n").count();
    match (windows, all - windows) {
        (0, _) => &[LineEndingConversion::Unix],
        (_, 0) => &[LineEndingConversion::Windows],
        // Both kinds: the text as written counts first, if it occurs.
        _ => &[
            LineEndingConversion::AsWritten,
            LineEndingConversion::Windows,
            LineEndingConversion::Unix,
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(text: &str, old: &str, new: &str, all: bool) -> Option<(String, usize, Vec<usize>)> {
        apply_within(text, old, new, all, 1000)
    }

    fn apply_within(
        text: &str,
        old: &str,
        new: &str,
        all: bool,
        limit: usize,
    ) -> Option<(String, usize, Vec<usize>)> {
        let change = Change {
            old,
            new,
            all,
            limit,
        };
        let replaced = change.apply(text.as_bytes()).unwrap()?;
        let content = String::from_utf8(replaced.content.into_bytes()).unwrap();
        Some((content, replaced.found, replaced.lines))
    }

    #[test]
    fn detects_line_endings_from_full_text() {
        for (text, expected) in [
            ("", 1),
            ("a\rb", 1),
            ("a\nb\n", 1),
            ("a\rb\n", 1),
            ("a\r\nb\r\n", 1),
            ("a\r\nb\n", 3),
        ] {
            let conversions = fits(text.as_bytes());

            assert_eq!(conversions.len(), expected, "{text:?}");
        }
        let first = |text: &str| fits(text.as_bytes())[0].apply("x\ny\r\n");
        assert_eq!(first("a\rb"), "x\ny\r\n");
        assert_eq!(first("a\rb\n"), "x\ny\n");
        assert_eq!(first("a\r\n"), "x\r\ny\r\n");
    }

    #[test]
    fn diff_starts_at_line_of_first_match() {
        let change = Change {
            old: "a\n",
            new: "b\n",
            all: true,
            limit: 100,
        };

        let replaced = change.apply(b"x\ny a\na\n").unwrap().unwrap();

        let expected = DiffRegion {
            count: 2,
            span: 4..8,
            line: 2,
            new_end: 8,
        };
        assert_eq!(replaced.shown, expected);
    }

    #[test]
    fn replaces_one_or_all_and_keeps_line_endings() {
        for (text, old, new, all, expected, found, lines) in [
            ("a b a", "a", "c", false, "c b a", 2, vec![1]),
            ("a b a", "a", "c", true, "c b c", 2, vec![1]),
            (
                "x\na\ny\na\n",
                "a",
                "b",
                true,
                "x\nb\ny\nb\n",
                2,
                vec![2, 4],
            ),
            (
                "a\r\nb\r\n",
                "a\nb",
                "c\nd",
                false,
                "c\r\nd\r\n",
                1,
                vec![1],
            ),
            ("a\nb\n", "a\r\nb", "c\r\nd", false, "c\nd\n", 1, vec![1]),
            ("a\r\nb\nc", "b\nc", "d\ne", false, "a\r\nd\ne", 1, vec![2]),
            ("a\r\nb\nc", "a\nb", "d\ne", false, "d\r\ne\nc", 1, vec![1]),
            ("aaa", "aa", "b", true, "ba", 1, vec![1]),
            ("a\nb\nc", "a\nb\n", "", false, "c", 1, vec![1]),
        ] {
            assert_eq!(
                apply(text, old, new, all),
                Some((expected.to_owned(), found, lines)),
                "{text:?} {old:?}"
            );
        }
        assert_eq!(apply("abc", "x", "y", false), None);
    }

    #[test]
    fn finds_match_anywhere_in_large_content() {
        for place in [0, 3, BLOCK - 3, BLOCK - 1, BLOCK, 2 * BLOCK - 2, 3 * BLOCK] {
            let before = "x\n".repeat(place / 2);
            let text = format!("{before}old new\nold\n");
            let (result, found, lines) =
                apply_within(&text, "old", "older", false, 2 * text.len()).unwrap();

            assert!(result == format!("{before}older new\nold\n"), "{place}");
            assert_eq!((found, lines), (2, vec![place / 2 + 1]), "{place}");
            assert_eq!(apply_within(&text, "odd", "even", false, 9), None);
        }
    }

    #[test]
    fn rejects_too_large_result() {
        let new = "x".repeat(1 << 20);
        let text = "a".repeat(1 << 20);
        let change = Change {
            old: "a",
            new: &new,
            all: true,
            limit: 1 << 21,
        };

        let error = change.apply(text.as_bytes()).unwrap_err();

        assert_eq!(error.code(), &ErrorCode::FileTooLarge);
    }
}
