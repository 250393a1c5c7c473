//! Text extraction from documents of any kind.

use std::io::{Read, Seek};
use std::path::Path;

use super::error::{DocumentError, DocumentLimits};
use super::kind::DocumentKind;
use super::package::Package;
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
    /// Whether [`max_text_bytes`](DocumentLimits::max_text_bytes) truncated the text.
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
    let name = package.main_part()?;
    if Path::new(&name)
        .extension()
        .is_some_and(|extension| extension == "bin")
    {
        let format = "a binary Excel workbook (.xlsb)";
        return Err(DocumentError::Unsupported(format));
    }
    let main = package.needed(&name)?;
    let kind = DocumentKind::of_main_part(&main, limits)?;
    let blocks = match kind {
        DocumentKind::Docx => docx::extract(&mut package, &name, main)?,
        DocumentKind::Pptx => pptx::extract(&mut package, &name, &main)?,
        DocumentKind::Xlsx => xlsx::extract(&mut package, &name, &main)?,
    };
    let (text, truncated) = blocks.finish();
    Ok(DocumentText {
        kind,
        text,
        truncated,
    })
}
