//! What a document may cost.

/// What a document may cost to read. Beyond all but [`max_text_bytes`](Self::max_text_bytes) and
/// [`max_rows`](Self::max_rows), which cut the text, it is refused.
///
/// # Examples
/// ```
/// use tools_builtin::documents::DocumentLimits;
///
/// let mut limits = DocumentLimits::default();
/// limits.max_text_bytes = 100_000;
/// assert_eq!(limits.max_part_bytes, 64 * 1024 * 1024);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentLimits {
    /// Bytes of the file itself; 256 MiB.
    pub max_file_bytes: u64,
    /// Files in the archive, named or not; 10,000.
    pub max_entries: usize,
    /// Bytes of one part after it was unpacked; 64 MiB. Parts that have no text, such as pictures, are never unpacked.
    pub max_part_bytes: u64,
    /// Bytes of all parts that are unpacked, together; 128 MiB.
    pub max_total_bytes: u64,
    /// How many bytes one packed byte of a part may become; 250. Parts of less than 4 MiB may be packed more tightly.
    pub max_ratio: u64,
    /// Elements inside each other; 256.
    pub max_depth: usize,
    /// Tags and pieces of text in one part; 8 million.
    pub max_events: usize,
    /// Bytes of text that are returned, 16 MiB. What is beyond is left out.
    pub max_text_bytes: usize,
    /// Rows of all sheets of a workbook that are returned, together; 200,000. What is beyond is left out.
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
