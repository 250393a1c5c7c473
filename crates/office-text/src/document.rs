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
    /// Kind of the document.
    pub kind: DocumentKind,
    /// Text in lines that end with `\n`. Empty if the document has no text.
    pub text: String,
    /// Whether [`max_text_bytes`](DocumentLimits::max_text_bytes) or
    /// [`max_rows`](DocumentLimits::max_rows) truncated the text.
    pub truncated: bool,
}

/// Extracts the text of a document. The content of the file determines its kind, not its name.
///
/// Blocks the thread, for up to a second with the largest documents that the default limits allow.
///
/// # Errors
/// Returns [`DocumentError::NotADocument`] if the file is not an office document, and another
/// [`DocumentError`] if the document cannot be read or exceeds a limit.
///
/// # Examples
/// See [`DocumentText`].
pub fn document_to_text<R: Read + Seek>(
    source: R,
    limits: &DocumentLimits,
) -> Result<DocumentText, DocumentError> {
    read(source, limits, None)
}

/// Extracts the text of a Word document. Headings start with `#`, and table rows are lines with
/// tabs between the cells.
///
/// # Errors
/// Returns [`DocumentError::NotADocument`] if the file is not a Word document, and another
/// [`DocumentError`] if the document cannot be read or exceeds a limit.
///
/// # Examples
/// ```no_run
/// use std::fs::File;
/// use office_text::{DocumentLimits, docx_to_text};
///
/// let letter = docx_to_text(File::open("letter.docx")?, &DocumentLimits::default())?;
/// println!("{}", letter.text);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn docx_to_text<R: Read + Seek>(
    source: R,
    limits: &DocumentLimits,
) -> Result<DocumentText, DocumentError> {
    read(source, limits, Some(DocumentKind::Docx))
}

/// Extracts the text of a PowerPoint presentation, slide by slide.
///
/// # Errors
/// Returns [`DocumentError::NotADocument`] if the file is not a presentation, and another
/// [`DocumentError`] if the document cannot be read or exceeds a limit.
///
/// # Examples
/// ```no_run
/// use std::fs::File;
/// use office_text::{DocumentLimits, pptx_to_text};
///
/// let talk = pptx_to_text(File::open("talk.pptx")?, &DocumentLimits::default())?;
/// println!("{}", talk.text);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn pptx_to_text<R: Read + Seek>(
    source: R,
    limits: &DocumentLimits,
) -> Result<DocumentText, DocumentError> {
    read(source, limits, Some(DocumentKind::Pptx))
}

/// Extracts the text of an Excel workbook, sheet by sheet.
///
/// # Errors
/// Returns [`DocumentError::NotADocument`] if the file is not a workbook, and another
/// [`DocumentError`] if the document cannot be read or exceeds a limit.
///
/// # Examples
/// ```no_run
/// use std::fs::File;
/// use office_text::{DocumentLimits, xlsx_to_text};
///
/// let book = xlsx_to_text(File::open("book.xlsx")?, &DocumentLimits::default())?;
/// println!("{}", book.text);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn xlsx_to_text<R: Read + Seek>(
    source: R,
    limits: &DocumentLimits,
) -> Result<DocumentText, DocumentError> {
    read(source, limits, Some(DocumentKind::Xlsx))
}

/// Extracts the text if the document has the expected kind. `None` accepts any kind.
fn read<R: Read + Seek>(
    source: R,
    limits: &DocumentLimits,
    expected: Option<DocumentKind>,
) -> Result<DocumentText, DocumentError> {
    let mut package = Package::open(source, limits)?;
    let MainPart { name, kind } = package.main_part()?;
    if expected.is_some_and(|expected| expected != kind) {
        return Err(DocumentError::NotADocument);
    }
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
