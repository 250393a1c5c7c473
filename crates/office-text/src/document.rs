//! Text extraction from documents of any kind, and its limits.

use std::io::{Read, Seek};

use super::error::DocumentError;
use super::kind::DocumentKind;
use super::package::{MainPart, Package};
use super::{docx, pptx, xlsx};

/// Text of a document.
///
/// # Examples
/// ```no_run
/// use std::fs::File;
/// use office_text::{DocumentLimits, document_to_text};
///
/// let document = document_to_text(File::open("letter.docx")?, &DocumentLimits::default())?;
/// println!("{}", document.text);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentText {
    /// Kind of the document, told by its content.
    pub kind: DocumentKind,
    /// Text in lines that end with `\n`. Empty if the document has no text.
    pub text: String,
    /// Whether [`max_text_bytes`](DocumentLimits::max_text_bytes) or
    /// [`max_rows`](DocumentLimits::max_rows) truncated the text.
    pub truncated: bool,
}

/// Extracts the text of a Word, PowerPoint or Excel document.
///
/// The content of the file decides which kind it is, not its name, because names are often wrong.
/// [`DocumentText::kind`] says what it was.
///
/// Blocks the thread, for up to a second with the largest documents that the default limits allow.
///
/// # Errors
/// Returns [`DocumentError::NotADocument`] if the file is not an office document, so that you can
/// read it in another way, and another [`DocumentError`] if the document can't be read or exceeds a
/// limit.
///
/// # Examples
/// See [`DocumentText`].
pub fn document_to_text<R: Read + Seek>(
    source: R,
    limits: &DocumentLimits,
) -> Result<DocumentText, DocumentError> {
    let mut package = Package::open(source, limits)?;
    let MainPart { name, kind } = package.main_part()?;
    let blocks = match kind {
        DocumentKind::Docx => docx::extract(&mut package, &name)?,
        DocumentKind::Pptx => pptx::extract(&mut package, &name)?,
        DocumentKind::Xlsx => xlsx::extract(&mut package, &name)?,
    };
    let (text, truncated) = blocks.finish();
    Ok(DocumentText {
        kind,
        text,
        truncated,
    })
}

/// Limits of the text extraction.
///
/// A small file can be made to expand to gigabytes, so everything that a document can inflate has a
/// limit. A document that exceeds one is rejected with [`DocumentError::TooLarge`]. Only
/// [`max_text_bytes`](Self::max_text_bytes) and [`max_rows`](Self::max_rows) truncate the text
/// instead.
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
    /// Maximum compression ratio of a part. The default is 250. It doesn't apply to parts of up to
    /// 4 MiB, which repetitive tables can compress better.
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
