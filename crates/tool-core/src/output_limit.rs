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
/// Half of the limit is for the head and half for the tail, cut at lines if that loses little, else at characters. If lines
/// in between report errors, a quarter is for the first and the last of them, with three lines after each. The markers at
/// the cuts contain the numbers of the omitted lines, their size and the handle of the full text, and are not counted.
/// Several blocks of one output share a limit: small ones stay complete, and large ones share the rest. Media have a
/// separate limit of 20 MB of base64.
///
/// A token of English prose has about four bytes, one of code three, and one of Chinese three.
///
/// # Examples
/// ```
/// use tool_core::{OutputLimit, Registry};
///
/// let registry = Registry::builder()
///     .output_limit(OutputLimit::bytes(32 * 1024))
///     .build();
/// assert_eq!(OutputLimit::bytes(64 * 1024), OutputLimit::bytes(65_536));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputLimit {
    capacity: usize,
    media_bytes: usize,
}

impl OutputLimit {
    /// Creates a limit in bytes, excluding markers.
    pub const fn bytes(max_bytes: usize) -> Self {
        Self {
            capacity: max_bytes,
            media_bytes: MEDIA_BYTES,
        }
    }

    /// Creates no limit, for tools that limit their own output.
    pub const fn unlimited() -> Self {
        Self {
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
    pub fn fits<'t>(self, texts: impl IntoIterator<Item = &'t str>) -> bool {
        texts.into_iter().map(str::len).sum::<usize>() <= self.capacity
    }

    pub(crate) fn media_bytes(self) -> usize {
        self.media_bytes
    }

    pub(crate) fn capacity(self) -> usize {
        self.capacity
    }
}

/// Returns at most `bytes` from the start of `text`.
pub(crate) fn head(text: &str, bytes: usize) -> &str {
    match text.get(..text.floor_char_boundary(bytes)) {
        Some(cut) if cut.len() < text.len() => to_line_boundary(cut),
        _ => text,
    }
}

/// Returns at most `bytes` from the end of `text`.
pub(crate) fn tail(text: &str, bytes: usize) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(bytes));
    let (before, cut) = text.split_at(start);
    // A tail that begins with a line needs no cut.
    if before.is_empty() || before.ends_with('\n') {
        return cut;
    }
    match cut.find('\n') {
        Some(at) if cut.len() - at > cut.len() / 2 => cut.get(at + 1..).unwrap_or(cut),
        _ => cut,
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
