//! The text of a page, and the parts of it that are shown.

use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::web::search::is_invisible;

/// What stands between what we say of a page and what the page says.
pub(in crate::web) const SEPARATOR: &str = "--- Content ---";

/// The text of a page, cheap to share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct PageText {
    text: Arc<str>,
    chars: usize,
}

/// A part of a page, and what is behind it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::web) struct Slice {
    pub(in crate::web) text: String,
    /// Where the rest begins, in characters; `None` at the end.
    pub(in crate::web) next_offset: Option<usize>,
    /// How long the page is, in characters.
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

    /// How long it is, in characters.
    pub(in crate::web) fn chars(&self) -> usize {
        self.chars
    }

    /// How much memory it takes, in bytes.
    pub(in crate::web) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// So many characters from a place on.
    pub(in crate::web) fn slice(&self, offset: usize, max_chars: NonZeroUsize) -> Slice {
        let text = self
            .text
            .chars()
            .skip(offset)
            .take(max_chars.get())
            .collect();
        let end = offset.saturating_add(max_chars.get());
        Slice {
            text,
            next_offset: (end < self.chars).then_some(end),
            total_chars: self.chars,
        }
    }
}

/// The text with a mark before lines that look like our own separator.
fn quoted(text: &str) -> String {
    if !text.lines().any(is_separator) {
        return text.to_owned();
    }
    let lines = text.split('\n').map(|line| {
        let mark = if is_separator(line) { "> " } else { "" };
        format!("{mark}{line}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether a line reads as our own separator, with whatever blanks.
fn is_separator(line: &str) -> bool {
    let seen = |text: &'static str| text.chars().filter(|letter| *letter != ' ');
    let mut letters = line
        .chars()
        .filter(|letter| !letter.is_whitespace() && !is_invisible(*letter));
    seen(SEPARATOR).all(|own| {
        letters
            .next()
            .is_some_and(|letter| letter.eq_ignore_ascii_case(&own))
    }) && letters.next().is_none()
}
