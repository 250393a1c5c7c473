//! Text of a page, and its parts.

use std::num::NonZeroUsize;
use std::sync::Arc;

use tool_json::text::is_invisible;

/// Separator between the header and the content of the page.
pub(in crate::web) const SEPARATOR: &str = "--- Content ---";

/// Text of a page, cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct PageText {
    text: Arc<str>,
    chars: usize,
}

/// Part of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::web) struct Slice {
    pub(in crate::web) text: String,
    /// Offset of the rest in characters, or `None` at the end.
    pub(in crate::web) next_offset: Option<usize>,
    /// Length of the page in characters.
    pub(in crate::web) total_chars: usize,
}

impl PageText {
    pub(in crate::web) fn new(text: &str) -> Self {
        let text = quoted(text);
        Self {
            chars: text.chars().count(),
            text: text.into(),
        }
    }

    /// Returns the length in characters.
    pub(in crate::web) fn chars(&self) -> usize {
        self.chars
    }

    /// Returns the size in bytes.
    pub(in crate::web) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Returns at most `max_chars` characters from `offset`.
    pub(in crate::web) fn slice(&self, offset: usize, max_chars: NonZeroUsize) -> Slice {
        let rest = self.text.chars().skip(offset);
        let end = offset.saturating_add(max_chars.get());
        Slice {
            text: rest.take(max_chars.get()).collect(),
            next_offset: (end < self.chars).then_some(end),
            total_chars: self.chars,
        }
    }
}

/// Quotes lines that resemble the separator.
fn quoted(text: &str) -> String {
    // A page that contains the separator could pretend that its own text is a header from us.
    if !text.lines().any(is_separator) {
        return text.to_owned();
    }
    let lines = text.split('\n').map(|line| {
        let mark = if is_separator(line) { "> " } else { "" };
        format!("{mark}{line}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns whether a line resembles the separator, ignoring whitespace and invisible characters.
fn is_separator(line: &str) -> bool {
    let seen = |text: &'static str| text.chars().filter(|c| *c != ' ');
    let mut chars = line
        .chars()
        .filter(|c| !c.is_whitespace() && !is_invisible(*c));
    seen(SEPARATOR).all(|own| chars.next().is_some_and(|c| c.eq_ignore_ascii_case(&own)))
        && chars.next().is_none()
}
