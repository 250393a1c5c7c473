//! Output limits.

use super::estimate::{MAX_PARTS_PER_BYTE, PARTS, parts, weight};
use crate::text::to_line_boundary;

/// Default maximum of media per call, in bytes of base64.
const MEDIA_BYTES: usize = 20 * 1024 * 1024;

/// Maximum output that the model sees. The middle of a longer output is omitted.
///
/// Text is measured in bytes, or in tokens as estimated by [`estimate_tokens`](super::estimate_tokens). Half of the limit is
/// for the head and half for the tail, cut at lines if that loses little, else at characters. The marker between them
/// contains the omitted size and the handle of the full text, and is not counted. Several blocks of one output, or the
/// results of one batch, share a limit: small ones stay complete, and large ones share the rest. Media have a separate
/// limit of 20 MB of base64.
///
/// # Examples
/// ```
/// use tool_core::{OutputLimit, Registry};
///
/// let registry = Registry::builder()
///     .output_limit(OutputLimit::tokens(8_000))
///     .batch_limit(OutputLimit::bytes(200 * 1024))
///     .build();
/// assert_eq!(OutputLimit::bytes(64 * 1024), OutputLimit::bytes(65_536));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputLimit {
    unit: Unit,
    /// In bytes, or in parts of a token.
    capacity: usize,
    media_bytes: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Bytes,
    Tokens,
}

impl OutputLimit {
    /// Creates a limit in bytes, excluding markers.
    #[must_use]
    pub const fn bytes(max_bytes: usize) -> Self {
        Self {
            unit: Unit::Bytes,
            capacity: max_bytes,
            media_bytes: MEDIA_BYTES,
        }
    }

    /// Creates a limit in estimated tokens, excluding markers.
    #[must_use]
    pub const fn tokens(max_tokens: usize) -> Self {
        Self {
            unit: Unit::Tokens,
            capacity: max_tokens.saturating_mul(PARTS),
            media_bytes: MEDIA_BYTES,
        }
    }

    /// Creates no limit, for tools that limit their own output.
    #[must_use]
    pub const fn unlimited() -> Self {
        Self {
            unit: Unit::Bytes,
            capacity: usize::MAX,
            media_bytes: usize::MAX,
        }
    }

    /// Sets the maximum of media, in bytes of base64. A line of text replaces a block that exceeds it.
    #[must_use]
    pub const fn with_media_bytes(mut self, bytes: usize) -> Self {
        self.media_bytes = bytes;
        self
    }

    /// Returns whether the texts of one output are together within the limit.
    ///
    /// # Examples
    /// ```
    /// use tool_core::OutputLimit;
    ///
    /// let limit = OutputLimit::bytes(8);
    /// assert!(limit.fits(["text", "data"]));
    /// assert!(!limit.fits(["text", "more data"]));
    /// ```
    #[must_use]
    pub fn fits<'t>(self, texts: impl IntoIterator<Item = &'t str, IntoIter: Clone>) -> bool {
        let texts = texts.into_iter();
        self.fits_bytes(texts.clone().map(str::len).sum())
            || texts.map(|text| self.size(text)).sum::<usize>() <= self.capacity
    }

    pub(crate) fn media_bytes(self) -> usize {
        self.media_bytes
    }

    pub(crate) fn capacity(self) -> usize {
        self.capacity
    }

    /// Returns `true` if any text of this size fits.
    #[inline]
    pub(crate) fn fits_bytes(self, bytes: usize) -> bool {
        match self.unit {
            Unit::Bytes => bytes <= self.capacity,
            Unit::Tokens => bytes.saturating_mul(MAX_PARTS_PER_BYTE) <= self.capacity,
        }
    }

    pub(crate) fn size(self, text: &str) -> usize {
        match self.unit {
            Unit::Bytes => text.len(),
            Unit::Tokens => parts(text),
        }
    }

    /// Returns the head of `text` that fits into `capacity`.
    pub(crate) fn head(self, text: &str, capacity: usize) -> &str {
        let end = match self.unit {
            Unit::Bytes => text.floor_char_boundary(capacity),
            Unit::Tokens => held(text.chars(), capacity),
        };
        let cut = text.get(..end).unwrap_or(text);
        if cut.len() == text.len() {
            return text;
        }
        to_line_boundary(cut)
    }

    /// Returns the tail of `text` that fits into `capacity`.
    pub(crate) fn tail(self, text: &str, capacity: usize) -> &str {
        let start = match self.unit {
            Unit::Bytes => text.ceil_char_boundary(text.len().saturating_sub(capacity)),
            Unit::Tokens => text.len() - held(text.chars().rev(), capacity),
        };
        let cut = text.get(start..).unwrap_or_default();
        let before = text.get(..start).unwrap_or_default();
        if before.is_empty() || before.ends_with('\n') {
            return cut;
        }
        match cut.find('\n') {
            Some(at) if cut.len() - at > cut.len() / 2 => cut.get(at + 1..).unwrap_or(cut),
            _ => cut,
        }
    }
}

/// Returns the bytes of the first characters that fit into `capacity`.
fn held(characters: impl Iterator<Item = char>, capacity: usize) -> usize {
    let mut left = capacity;
    let mut bytes = 0;
    for character in characters {
        let Some(rest) = left.checked_sub(weight(character)) else {
            break;
        };
        left = rest;
        bytes += character.len_utf8();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_at_lines_unless_most_would_be_lost() {
        let limit = OutputLimit::bytes(0);
        for (text, capacity, head, tail) in [
            ("one\ntwo\nthree\nfour", 9, "one\ntwo\n", "four"),
            ("a\nbbbbbbbbbbbbbbbb\nc", 8, "a\nbbbbbb", "bbbbbb\nc"),
            ("äöü", 3, "ä", "ü"),
            ("abc", 0, "", ""),
            ("abc", 3, "abc", "abc"),
        ] {
            assert_eq!(
                (limit.head(text, capacity), limit.tail(text, capacity)),
                (head, tail),
                "{text}"
            );
        }
    }

    #[test]
    fn cuts_by_estimated_tokens() {
        let limit = OutputLimit::tokens(2);

        assert_eq!(limit.head("日本語の文", limit.capacity()), "日本");
        assert_eq!(limit.tail("abcdefghijkl", limit.capacity()), "efghijkl");
        assert!(limit.fits_bytes(4) && !limit.fits_bytes(5));
        assert!(limit.fits(["abcd", "abcd"]) && !limit.fits(["abcd", "abcd", "a"]));
    }
}
