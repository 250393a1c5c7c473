//! Line endings of a file, for text that is inserted in it.

use memchr::memmem;

use crate::newlines::count_newlines;

/// Line endings to give to a string.
#[derive(Debug, Clone, Copy)]
pub(super) enum LineEnding {
    AsWritten,
    Unix,
    Windows,
}

impl LineEnding {
    /// Returns the line endings to try for a string in a file with this content, in this order.
    pub(super) fn to_try(content: &[u8]) -> &'static [Self] {
        let all = count_newlines(content);
        let windows = memmem::find_iter(content, b"\r\n").count();
        match (windows, all - windows) {
            (0, 0) => &[Self::AsWritten],
            (0, _) => &[Self::Unix],
            (_, 0) => &[Self::Windows],
            // Both kinds: the text as written counts first, if it occurs.
            _ => &[Self::AsWritten, Self::Windows, Self::Unix],
        }
    }

    pub(super) fn apply(self, text: &str) -> String {
        match self {
            Self::AsWritten => text.to_owned(),
            Self::Unix => text.replace("\r\n", "\n"),
            Self::Windows => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_line_endings_from_full_text() {
        for (text, count, applied) in [
            ("", 1, "x\ny\r\n"),
            ("a\rb", 1, "x\ny\r\n"),
            ("a\nb\n", 1, "x\ny\n"),
            ("a\rb\n", 1, "x\ny\n"),
            ("a\r\nb\r\n", 1, "x\r\ny\r\n"),
            ("a\r\nb\n", 3, "x\ny\r\n"),
        ] {
            let endings = LineEnding::to_try(text.as_bytes());

            assert_eq!(endings.len(), count, "{text:?}");
            assert_eq!(endings[0].apply("x\ny\r\n"), applied, "{text:?}");
        }
    }
}
