//! Text extraction from documents of any kind.

use std::io::{Read, Seek};

use super::error::DocumentError;
use super::kind::DocumentKind;
use super::limits::DocumentLimits;
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
