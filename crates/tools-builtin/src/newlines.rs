//! Newlines, and characters that were split.

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

/// Returns whether lines end with `\r\n`: unknown if there are no newlines, or both kinds.
pub(crate) fn are_windows(text: &str) -> Option<bool> {
    let windows = text.matches("\r\n").count();
    match text.matches('\n').count() {
        0 => None,
        all if windows == all => Some(true),
        _ => (windows == 0).then_some(false),
    }
}

/// Returns `text` with these line endings, or unchanged.
pub(crate) fn with_endings(text: &str, are_windows: Option<bool>) -> String {
    let unix = || text.replace("\r\n", "\n");
    match are_windows {
        Some(true) => unix().replace('\n', "\r\n"),
        Some(false) => unix(),
        None => text.to_owned(),
    }
}

/// Returns the first characters of a line.
pub(crate) fn first_chars(line: &str, count: usize) -> &str {
    let end = line.char_indices().nth(count).map(|(end, _)| end);
    line.get(..end.unwrap_or(line.len())).unwrap_or(line)
}

/// Returns the length of the rest of a UTF-8 character that was split before `bytes`.
pub(crate) fn rest_of_char(bytes: &[u8]) -> usize {
    bytes
        .iter()
        // At most three bytes follow the first one of a character; more of them are no text.
        .take(3)
        .take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000)
        .count()
}

/// Removes an incomplete UTF-8 character at the end of `bytes`.
#[cfg(any(feature = "shell", feature = "web"))]
pub(crate) fn without_partial_char(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => {
            bytes.get(..error.valid_up_to()).unwrap_or(bytes)
        }
        // An earlier invalid byte hides the end from this check; the lossy conversion replaces it.
        _ => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_line_endings_from_full_text() {
        for (text, applied) in [
            ("", "x\ny\r\n"),
            ("a\rb", "x\ny\r\n"),
            ("a\nb\n", "x\ny\n"),
            ("a\rb\n", "x\ny\n"),
            ("a\r\nb\r\n", "x\r\ny\r\n"),
            ("a\r\nb\n", "x\ny\r\n"),
        ] {
            assert_eq!(
                with_endings("x\ny\r\n", are_windows(text)),
                applied,
                "{text:?}"
            );
        }
    }
}
