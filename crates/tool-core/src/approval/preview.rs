//! Previews of changes, and text that a person can read safely.

use std::fmt;

use serde::{Deserialize, Serialize};
use tool_json::text::{is_invisible, is_unusual_space};

use crate::OutputLimit;

/// Maximum bytes of a preview.
const MAX_BYTES: usize = 64 * 1024;

/// Changes that a call would make, for its approver. At most 64 KB; the middle of a longer one is counted and omitted.
///
/// The text is unescaped file content. `Display` escapes terminal control characters.
///
/// # Examples
/// ```
/// use tool_core::approval::{Preview, PreviewKind};
///
/// let preview = Preview::diff("-one\n+two\n");
/// assert_eq!((preview.kind, preview.text.as_str()), (PreviewKind::Diff, "-one\n+two\n"));
/// assert_eq!(Preview::diff("+\u{1b}[2J\n").to_string(), "+\\u{1b}[2J\n");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Preview {
    /// Format of the text.
    pub kind: PreviewKind,
    /// Changes that the call would make.
    pub text: String,
}

/// Format of a preview.
///
/// # Examples
/// See [`Preview`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PreviewKind {
    /// A unified diff.
    Diff,
    /// Plain text.
    Text,
}

impl Preview {
    /// Creates a preview from a unified diff.
    pub fn diff(text: impl Into<String>) -> Self {
        Self::new(PreviewKind::Diff, text.into())
    }

    /// Creates a preview from plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(PreviewKind::Text, text.into())
    }

    fn new(kind: PreviewKind, text: String) -> Self {
        Self { kind, text }.bounded()
    }

    /// Truncates the text to the limit.
    pub(crate) fn bounded(mut self) -> Self {
        // A diff of a huge file would fill the screen; both ends tell more than the first part.
        if self.text.len() > MAX_BYTES {
            self.text = OutputLimit::bytes(MAX_BYTES)
                .excerpt(&self.text)
                .into_owned();
        }
        self
    }
}

impl fmt::Display for Preview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible_lines(&self.text))
    }
}

/// Returns the text on one line, with control and invisible characters escaped.
pub(super) fn visible(text: &str) -> String {
    escaped(text, |_| false)
}

/// Like [`visible`], but keeps newlines and tabs.
fn visible_lines(text: &str) -> String {
    escaped(text, |letter| matches!(letter, '\n' | '\t'))
}

fn escaped(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut seen = String::with_capacity(text.len());
    for letter in text.chars() {
        // A space of another kind looks like one, but is part of a name or a word to a program.
        if (is_invisible(letter) || is_unusual_space(letter)) && !is_kept(letter) {
            seen.extend(letter.escape_default());
        } else {
            seen.push(letter);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncates_long_previews() {
        let preview = Preview::diff("+line\n".repeat(20_000));

        assert!(
            preview.text.len() <= MAX_BYTES + 100,
            "{}",
            preview.text.len()
        );
        assert!(
            preview.text.contains(" omitted of "),
            "{}",
            preview.text.len()
        );
    }
}
