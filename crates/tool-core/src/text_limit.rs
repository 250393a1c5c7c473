//! Limits of text.

use std::fmt::Write as _;

use crate::text;

/// The limits of a tool's text output.
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
    /// Maximum bytes.
    pub max_bytes: usize,
    /// Maximum lines.
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
    /// Creates a limit of `max_bytes` bytes.
    #[must_use]
    pub fn bytes(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            ..Self::default()
        }
    }

    /// Creates a limit of `max_lines` lines.
    #[must_use]
    pub fn lines(max_lines: usize) -> Self {
        Self {
            max_lines,
            ..Self::default()
        }
    }

    /// Sets the maximum number of bytes.
    #[must_use]
    pub fn and_bytes(self, max_bytes: usize) -> Self {
        Self { max_bytes, ..self }
    }

    /// Returns `whole`, or its first lines followed by a marker with the number of omitted lines or
    /// bytes.
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
        // Writing to a `String` cannot fail.
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
    fn text_within_limits_is_unchanged() {
        assert_eq!(TextLimit::lines(3).cut("a\nb\nc"), "a\nb\nc");
        assert_eq!(TextLimit::bytes(5).cut("a\nb\nc"), "a\nb\nc");
    }

    #[test]
    fn truncates_bytes_after_line() {
        assert_eq!(
            TextLimit::bytes(9).cut("first\nsecond\nthird"),
            "first\n[… 2 lines more]"
        );
    }

    #[test]
    fn truncates_long_line_at_character_boundary() {
        assert_eq!(TextLimit::bytes(3).cut("äöü"), "ä\n[… 1 line more]");
    }
}
