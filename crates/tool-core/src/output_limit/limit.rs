//! How much text the model is shown.

use super::estimate::{MAX_PARTS_PER_BYTE, PARTS, parts, weight};

/// Bytes of media, as base64, that one call may show: 20 MB.
const MEDIA_BYTES: usize = 20 * 1024 * 1024;

/// How much of an output the model is shown; the rest is cut out of the middle.
///
/// Text is measured in bytes, or in tokens as [`estimate_tokens`](crate::estimate_tokens) counts them. Half of the limit
/// is for the head and half for the tail, cut on lines where that loses little, else on characters; the mark between
/// them, which says how much is missing and where it is kept, is not counted. Several texts of one output, or the
/// results of one batch, share a limit: what is small stays whole, and what is large shares the rest. Media have a bound
/// of their own: 20 MB of base64.
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
    room: usize,
    media_bytes: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Bytes,
    Tokens,
}

impl OutputLimit {
    /// At most this many bytes, marks not counted.
    #[must_use]
    pub const fn bytes(max_bytes: usize) -> Self {
        Self {
            unit: Unit::Bytes,
            room: max_bytes,
            media_bytes: MEDIA_BYTES,
        }
    }

    /// At most this many estimated tokens, marks not counted.
    #[must_use]
    pub const fn tokens(max_tokens: usize) -> Self {
        Self {
            unit: Unit::Tokens,
            room: max_tokens.saturating_mul(PARTS),
            media_bytes: MEDIA_BYTES,
        }
    }

    /// No limit: for tools that bound their output themselves.
    #[must_use]
    pub const fn unlimited() -> Self {
        Self {
            unit: Unit::Bytes,
            room: usize::MAX,
            media_bytes: usize::MAX,
        }
    }

    /// Sets the bound of media, in bytes of base64. An image that is over it is replaced by a line that says so.
    #[must_use]
    pub const fn with_media_bytes(mut self, bytes: usize) -> Self {
        self.media_bytes = bytes;
        self
    }

    pub(crate) fn media_bytes(self) -> usize {
        self.media_bytes
    }

    pub(crate) fn room(self) -> usize {
        self.room
    }

    /// Whether texts of so many bytes fit, whatever their characters are.
    #[inline]
    pub(crate) fn surely_fits(self, bytes: usize) -> bool {
        match self.unit {
            Unit::Bytes => bytes <= self.room,
            Unit::Tokens => bytes.saturating_mul(MAX_PARTS_PER_BYTE) <= self.room,
        }
    }

    pub(crate) fn size(self, text: &str) -> usize {
        match self.unit {
            Unit::Bytes => text.len(),
            Unit::Tokens => parts(text),
        }
    }

    /// The beginning of `text` that fits into `room`.
    pub(crate) fn head(self, text: &str, room: usize) -> &str {
        let end = match self.unit {
            Unit::Bytes => text.floor_char_boundary(room),
            Unit::Tokens => held(text.chars(), room),
        };
        let cut = text.get(..end).unwrap_or(text);
        if cut.len() == text.len() {
            return text;
        }
        match cut.rfind('\n') {
            // Where lines are very long, a line border would lose too much.
            Some(at) if at + 1 >= cut.len() / 2 => cut.get(..=at).unwrap_or(cut),
            _ => cut,
        }
    }

    /// The end of `text` that fits into `room`.
    pub(crate) fn tail(self, text: &str, room: usize) -> &str {
        let start = match self.unit {
            Unit::Bytes => text.ceil_char_boundary(text.len().saturating_sub(room)),
            Unit::Tokens => text.len() - held(text.chars().rev(), room),
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

/// Bytes of the first characters that fit into `room`.
fn held(characters: impl Iterator<Item = char>, room: usize) -> usize {
    let mut left = room;
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
    fn both_ends_are_cut_on_lines_unless_that_loses_most_of_them() {
        let limit = OutputLimit::bytes(0);
        for (text, room, head, tail) in [
            ("one\ntwo\nthree\nfour", 9, "one\ntwo\n", "four"),
            ("a\nbbbbbbbbbbbbbbbb\nc", 8, "a\nbbbbbb", "bbbbbb\nc"),
            ("äöü", 3, "ä", "ü"),
            ("abc", 0, "", ""),
            ("abc", 3, "abc", "abc"),
        ] {
            assert_eq!(
                (limit.head(text, room), limit.tail(text, room)),
                (head, tail),
                "{text}"
            );
        }
    }

    #[test]
    fn tokens_are_cut_by_the_estimate() {
        let limit = OutputLimit::tokens(2);

        assert_eq!(limit.head("日本語の文", limit.room()), "日本");
        assert_eq!(limit.tail("abcdefghijkl", limit.room()), "efghijkl");
        assert!(limit.surely_fits(4) && !limit.surely_fits(5));
    }
}
