//! Limits of the text extraction.

/// Limits of the text extraction. A document that exceeds one is rejected with
/// [`DocumentError::TooLarge`](super::DocumentError::TooLarge), except for
/// [`max_text_bytes`](Self::max_text_bytes) and [`max_rows`](Self::max_rows), which truncate the
/// text.
///
/// # Examples
/// ```
/// use office_text::DocumentLimits;
///
/// let mut limits = DocumentLimits::default();
/// limits.max_text_bytes = 100_000;
/// assert_eq!(limits.max_part_bytes, 64 * 1024 * 1024);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentLimits {
    /// Maximum size of the file in bytes. The default is 256 MiB.
    pub max_file_bytes: u64,
    /// Maximum number of entries in the archive. The default is 10,000.
    pub max_entries: usize,
    /// Maximum uncompressed size of one part in bytes. The default is 64 MiB. Parts without text,
    /// such as images, are never decompressed.
    pub max_part_bytes: u64,
    /// Maximum uncompressed size of all decompressed parts in bytes. The default is 128 MiB.
    pub max_total_bytes: u64,
    /// Maximum compression ratio of a part. The default is 250. Does not apply to parts of up to 4
    /// MiB.
    pub max_ratio: u64,
    /// Maximum nesting depth of elements. The default is 256.
    pub max_depth: usize,
    /// Maximum number of tags and text nodes in one part. The default is 8,000,000.
    pub max_events: usize,
    /// Maximum number of bytes of text to return. The default is 16 MiB; further text is omitted.
    pub max_text_bytes: usize,
    /// Maximum number of rows to return from all sheets of a workbook. The default is 200,000;
    /// further rows are omitted.
    pub max_rows: usize,
}

impl Default for DocumentLimits {
    fn default() -> Self {
        Self {
            max_file_bytes: 256 * 1024 * 1024,
            max_entries: 10_000,
            max_part_bytes: 64 * 1024 * 1024,
            max_total_bytes: 128 * 1024 * 1024,
            max_ratio: 250,
            max_depth: 256,
            max_events: 8_000_000,
            max_text_bytes: 16 * 1024 * 1024,
            max_rows: 200_000,
        }
    }
}
