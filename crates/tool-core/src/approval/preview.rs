//! What a call would change, shown before it does.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::visible::visible_lines;
use crate::Limits;

/// The most bytes of one preview.
const MAX_BYTES: usize = 64 * 1024;

/// What a call would change, for the person who must approve it. At most 64 KB; the rest is counted and left out.
///
/// The text is as the file has it, which may hold anything: `Display` writes it for a terminal, with what a terminal would
/// obey shown in place of obeyed.
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
    /// How to read the text.
    pub kind: PreviewKind,
    /// What would change.
    pub text: String,
}

/// How to read a preview.
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
    /// Shows a unified diff.
    #[must_use]
    pub fn diff(text: impl Into<String>) -> Self {
        Self::new(PreviewKind::Diff, text.into())
    }

    /// Shows a plain text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(PreviewKind::Text, text.into())
    }

    fn new(kind: PreviewKind, text: String) -> Self {
        Self { kind, text }.bounded()
    }

    /// The same within the limit, whatever a tool put into it.
    pub(crate) fn bounded(mut self) -> Self {
        if self.text.len() > MAX_BYTES {
            self.text = Limits::bytes(MAX_BYTES).cut(&self.text);
        }
        self
    }
}

impl fmt::Display for Preview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible_lines(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_preview_is_cut_and_says_so() {
        let preview = Preview::diff("+line\n".repeat(20_000));

        assert!(
            preview.text.len() <= MAX_BYTES + 100,
            "{}",
            preview.text.len()
        );
        assert!(
            preview.text.ends_with("lines more]"),
            "{}",
            preview.text.len()
        );
    }
}
