//! How much text and how many entries a tool may give.

use std::fmt::Write as _;

use crate::text;

/// How much one tool may give back.
///
/// # Examples
/// ```
/// use tool_core::TextLimit;
///
/// let limits = TextLimit::lines(2);
/// assert_eq!(limits.cut("a\nb\nc\nd"), "a\nb\n[… 2 lines more]");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextLimit {
    /// The most bytes of text.
    pub max_bytes: usize,
    /// The most lines of text.
    pub max_lines: usize,
}

impl Default for TextLimit {
    fn default() -> Self {
        Self {
            max_bytes: 10 * 1024 * 1024,
            max_lines: usize::MAX,
        }
    }
}

impl TextLimit {
    /// At most this many bytes of text.
    #[must_use]
    pub fn bytes(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            ..Self::default()
        }
    }

    /// At most this many lines of text.
    #[must_use]
    pub fn lines(max_lines: usize) -> Self {
        Self {
            max_lines,
            ..Self::default()
        }
    }

    /// The same, with at most this many bytes.
    #[must_use]
    pub fn and_bytes(self, max_bytes: usize) -> Self {
        Self { max_bytes, ..self }
    }

    /// The text itself, or its head on a line border with a mark that says how much is missing.
    #[must_use]
    pub fn cut(&self, whole: &str) -> String {
        let kept = self.head(whole);
        if kept.len() == whole.len() {
            return whole.to_owned();
        }
        let rest = whole.get(kept.len()..).unwrap_or_default();
        let lines = rest.lines().count();
        let mut cut = kept.to_owned();
        if !cut.is_empty() && !cut.ends_with('\n') {
            cut.push('\n');
        }
        let noun = if lines == 1 { "line" } else { "lines" };
        // Writing to a String cannot fail.
        let _ = write!(cut, "[… {} {noun} more]", text::with_commas(lines));
        cut
    }

    fn head<'t>(&self, whole: &'t str) -> &'t str {
        let by_lines = whole
            .match_indices('\n')
            .nth(self.max_lines.saturating_sub(1))
            .and_then(|(at, _)| whole.get(..=at))
            .unwrap_or(whole);
        text::head(by_lines, self.max_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_within_its_limits_is_left_alone() {
        assert_eq!(TextLimit::lines(3).cut("a\nb\nc"), "a\nb\nc");
        assert_eq!(TextLimit::bytes(5).cut("a\nb\nc"), "a\nb\nc");
    }

    #[test]
    fn bytes_are_cut_on_a_line_border() {
        assert_eq!(
            TextLimit::bytes(9).cut("first\nsecond\nthird"),
            "first\n[… 2 lines more]"
        );
    }

    #[test]
    fn one_long_line_is_cut_on_a_character_border() {
        assert_eq!(TextLimit::bytes(3).cut("äöü"), "ä\n[… 1 line more]");
    }
}
