//! Limits on the output that the model sees.

mod error_lines;
mod excerpt;
mod long_output;
pub(crate) mod media;

pub use excerpt::omission;
#[cfg(feature = "validate")]
pub(crate) use excerpt::{Excerpt, stored_note};
pub use long_output::LongOutput;

use crate::text::to_line_boundary;

/// Default maximum of media per call, in bytes of base64.
const MEDIA_BYTES: usize = 20 * 1024 * 1024;

/// Maximum output that the model sees. The middle of a longer output is omitted.
///
/// Text is measured in bytes, or in tokens as estimated from the kinds of characters. Half of the limit is
/// for the head and half for the tail, cut at lines if that loses little, else at characters. If lines in between report
/// errors, a quarter is for the first and the last of them, with three lines after each. The markers at the cuts
/// contain the numbers of the omitted lines, their size and the handle of the full text, and are not counted. Several
/// blocks of one output share a limit: small ones stay complete, and large ones share the rest. Media have a separate
/// limit of 20 MB of base64.
///
/// # Examples
/// ```
/// use tool_core::{OutputLimit, Registry};
///
/// let registry = Registry::builder()
///     .output_limit(OutputLimit::tokens(8_000))
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
    pub const fn bytes(max_bytes: usize) -> Self {
        Self {
            unit: Unit::Bytes,
            capacity: max_bytes,
            media_bytes: MEDIA_BYTES,
        }
    }

    /// Creates a limit in estimated tokens, excluding markers.
    pub const fn tokens(max_tokens: usize) -> Self {
        Self {
            unit: Unit::Tokens,
            capacity: max_tokens.saturating_mul(PARTS),
            media_bytes: MEDIA_BYTES,
        }
    }

    /// Creates no limit, for tools that limit their own output.
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

    /// Returns whether the strings of one output are together within the limit.
    ///
    /// # Examples
    /// ```
    /// use tool_core::OutputLimit;
    ///
    /// let limit = OutputLimit::bytes(8);
    /// assert!(limit.fits(["text", "data"]));
    /// assert!(!limit.fits(["text", "more data"]));
    /// ```
    pub fn fits<'t>(self, texts: impl IntoIterator<Item = &'t str, IntoIter: Clone>) -> bool {
        let texts = texts.into_iter();
        // Bytes are known, but characters have to be counted.
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
        // A tail that begins with a line needs no cut.
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

/// Parts of a token. Every weight is an integer number of them, so that the estimate is equal on every platform.
const PARTS: usize = 12;

/// Maximum parts per byte: a character of four bytes and two tokens.
pub(crate) const MAX_PARTS_PER_BYTE: usize = 6;

/// Estimates the tokens of `text`, in twelfths of a token.
///
/// Each character counts as a part of a token, and the sum is rounded up:
///
/// | character | tokens |
/// |---|---|
/// | ASCII letter | 1/4 |
/// | space, tab, newline and other control characters | 1/6 |
/// | ASCII digit or punctuation | 1/2 |
/// | letter of another alphabet (accented Latin, Greek, Cyrillic, Arabic, Devanagari …) | 1/2 |
/// | Chinese, Japanese, Korean, and other characters from U+2E80 on | 1 |
/// | characters from U+10000 on, such as emoji | 2 |
///
/// English prose has about 4 characters per token, and code about 3. A model's own count differs, because the estimate uses
/// no vocabulary; random characters (base64, hashes) have more tokens than estimated.
pub(crate) fn parts(text: &str) -> usize {
    text.chars().map(weight).sum()
}

#[cfg(test)]
pub(crate) fn estimate_tokens(text: &str) -> usize {
    parts(text).div_ceil(PARTS)
}

pub(crate) fn weight(character: char) -> usize {
    match character {
        'a'..='z' | 'A'..='Z' => 3,
        '\0'..=' ' | '\u{7f}' => 2,
        '!'..='\u{2e7f}' => 6,
        '\u{2e80}'..='\u{ffff}' => 12,
        _ => 24,
    }
}

/// Returns the share of each block in `capacity`: small ones receive their size, large ones equal parts of the rest.
pub(crate) fn shares(sizes: impl Iterator<Item = usize>, capacity: usize) -> Vec<usize> {
    let mut order: Vec<(usize, usize)> = sizes.enumerate().collect();
    order.sort_by_key(|(place, size)| (*size, *place));
    let (mut left, mut waiting) = (capacity, order.len());
    for (_, size) in &mut order {
        *size = (*size).min(left / waiting);
        left -= *size;
        waiting -= 1;
    }
    order.sort_by_key(|(place, _)| *place);
    order.into_iter().map(|(_, share)| share).collect()
}

#[cfg(test)]
mod tests;
