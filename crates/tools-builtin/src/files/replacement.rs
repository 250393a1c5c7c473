//! Text replacement in memory.

use std::ops::Range;

use memchr::memchr;
use memchr::memmem::{self, Finder};
use tool_core::{ErrorCode, ToolError};

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
pub(super) struct ReplacedText {
    pub(super) content: Vec<u8>,
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
    /// End in the new text.
    pub(super) new_end: usize,
}

impl DiffRegion {
    /// Adds a replacement unless it is too far from the first.
    fn take(&mut self, place: Range<usize>, new_end: usize) {
        if self.count == 0 {
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

impl Change<'_> {
    /// Applies the change. Returns `None` if the old text does not occur.
    pub(super) fn apply(&self, text: &[u8]) -> Result<Option<ReplacedText>, ToolError> {
        for fit in self.fits(text) {
            let (old, new) = (fit.apply(self.old), fit.apply(self.new));
            let finder = Finder::new(&old);
            let found = finder.find_iter(text).count();
            if found == 0 {
                continue;
            }
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

    fn build(
        &self,
        text: &[u8],
        finder: &Finder<'_>,
        found: usize,
        new: &[u8],
    ) -> Result<ReplacedText, ToolError> {
        let old = finder.needle();
        let count = if self.all { found } else { 1 };
        let kept = text.len() - count * old.len();
        // Check the size first, because many short matches may have a long replacement.
        let size = count.saturating_mul(new.len()).saturating_add(kept);
        if size > self.limit {
            return Err(too_large(size, self.limit));
        }
        let mut content = Vec::with_capacity(size);
        let (mut end, mut line, mut lines) = (0, 1, Vec::new());
        let mut shown = DiffRegion::default();
        for place in finder.find_iter(text).take(count) {
            let before = text.get(end..place).unwrap_or_default();
            line += count_newlines(before);
            if lines.last() != Some(&line) && lines.len() < MAX_LINES_LISTED {
                lines.push(line);
            }
            content.extend_from_slice(before);
            content.extend_from_slice(new);
            end = place + old.len();
            shown.take(place..end, content.len());
            line += count_newlines(old);
        }
        content.extend_from_slice(text.get(end..).unwrap_or_default());
        Ok(ReplacedText {
            content,
            found,
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
        let limit = 1000;
        let change = Change {
            old,
            new,
            all,
            limit,
        };
        let replaced = change.apply(text.as_bytes()).unwrap()?;
        let content = String::from_utf8(replaced.content).unwrap();
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
    fn diff_spans_all_close_matches() {
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
