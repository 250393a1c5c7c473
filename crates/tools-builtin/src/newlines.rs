//! Searching and counting newlines.

use memchr::{memchr_iter, memrchr};

/// Returns the number of newlines in `text`.
pub(crate) fn count_newlines(text: &[u8]) -> usize {
    memchr_iter(b'\n', text).count()
}

/// Returns the range of the line at `at`, without the newline.
pub(crate) fn line_around(text: &[u8], at: usize) -> std::ops::Range<usize> {
    let before = text.get(..at).unwrap_or(text);
    let start = memrchr(b'\n', before).map_or(0, |line_break| line_break + 1);
    start..line_end(text, at)
}

/// Returns the end of the line at `at`.
pub(crate) fn line_end(text: &[u8], at: usize) -> usize {
    text.get(at..)
        .and_then(|rest| memchr::memchr(b'\n', rest))
        .map_or(text.len(), |offset| at + offset)
}

/// Returns the position of the newline that precedes `lines` full lines before `at`.
pub(crate) fn newline_before(text: &[u8], at: usize, lines: usize) -> Option<usize> {
    let newline = |end, _| memrchr(b'\n', text.get(..end)?);
    (0..=lines).try_fold(at, newline)
}
