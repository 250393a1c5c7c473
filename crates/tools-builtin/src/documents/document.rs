//! The text of a document of whatever kind.

use std::fmt;
use std::io::{Read, Seek};

use super::blocks::Blocks;
use super::error::DocumentError;
use super::limits::DocumentLimits;
use super::package::{MainPart, Package};
use super::{docx, pptx, xlsx};

/// What a document is.
///
/// # Examples
/// ```
/// use tools_builtin::documents::DocumentKind;
///
/// assert_eq!(DocumentKind::Docx.to_string(), "docx");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DocumentKind {
    /// A text of Word: `.docx`, `.docm`, `.dotx`, `.dotm`.
    Docx,
    /// A presentation of PowerPoint: `.pptx`, `.pptm`, `.ppsx`, `.ppsm`, `.potx`, `.potm`.
    Pptx,
    /// A workbook of Excel: `.xlsx`, `.xlsm`, `.xltx`, `.xltm`.
    Xlsx,
}

impl DocumentKind {
    /// What a content type says, such as `application/vnd.ms-word.document.macroEnabled.main+xml`.
    pub(super) fn of_content_type(content_type: &str) -> Result<Self, DocumentError> {
        let name = content_type.to_ascii_lowercase();
        let starts = |start: &str| name.starts_with(start);
        if starts("application/vnd.ms-excel.sheet.binary") {
            return Err(DocumentError::Unsupported(
                "a binary Excel workbook (.xlsb)",
            ));
        }
        if !name.ends_with(".main+xml") {
            return Err(DocumentError::NotADocument);
        }
        let office = "application/vnd.openxmlformats-officedocument";
        if starts(&format!("{office}.wordprocessingml.")) || starts("application/vnd.ms-word.") {
            Ok(Self::Docx)
        } else if starts(&format!("{office}.presentationml."))
            || starts("application/vnd.ms-powerpoint.")
        {
            Ok(Self::Pptx)
        } else if starts(&format!("{office}.spreadsheetml.")) || starts("application/vnd.ms-excel.")
        {
            Ok(Self::Xlsx)
        } else {
            Err(DocumentError::NotADocument)
        }
    }
}

impl fmt::Display for DocumentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Docx => "docx",
            Self::Pptx => "pptx",
            Self::Xlsx => "xlsx",
        })
    }
}

/// The text of a document.
///
/// # Examples
/// ```no_run
/// use std::fs::File;
/// use tools_builtin::documents::{DocumentLimits, document_to_text};
///
/// let document = document_to_text(File::open("letter.docx")?, &DocumentLimits::default())?;
/// println!("{}", document.text);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentText {
    /// What the document is.
    pub kind: DocumentKind,
    /// Its text, in lines that end with `\n`. Empty where the document has none.
    pub text: String,
    /// Whether [`max_text_bytes`](DocumentLimits::max_text_bytes) or [`max_rows`](DocumentLimits::max_rows) cut it.
    pub truncated: bool,
}

/// The text of a document, whichever it is: this is found out by what is in the file.
///
/// It reads and computes on this thread, for up to a second with the largest documents that the limits let through.
///
/// # Errors
/// [`DocumentError::NotADocument`] for anything else; see there for the others.
///
/// # Examples
/// See [`DocumentText`].
pub fn document_to_text<R: Read + Seek>(
    source: R,
    limits: &DocumentLimits,
) -> Result<DocumentText, DocumentError> {
    read(source, limits, None)
}

/// The text of a document of one kind, or of any.
pub(super) fn read<R: Read + Seek>(
    source: R,
    limits: &DocumentLimits,
    wanted: Option<DocumentKind>,
) -> Result<DocumentText, DocumentError> {
    let mut package = Package::open(source, limits)?;
    let MainPart { name, kind } = package.main_part()?;
    if wanted.is_some_and(|wanted| wanted != kind) {
        return Err(DocumentError::NotADocument);
    }
    let blocks: Blocks = match kind {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_and_files_with_macros_are_documents_too() {
        let office = "application/vnd.openxmlformats-officedocument";
        for (content_type, expected) in [
            (
                format!("{office}.wordprocessingml.document.main+xml"),
                Some(DocumentKind::Docx),
            ),
            (
                format!("{office}.wordprocessingml.template.main+xml"),
                Some(DocumentKind::Docx),
            ),
            (
                "application/vnd.ms-word.document.macroEnabled.main+xml".to_owned(),
                Some(DocumentKind::Docx),
            ),
            (
                "application/vnd.ms-word.template.macroEnabledTemplate.main+xml".to_owned(),
                Some(DocumentKind::Docx),
            ),
            (
                format!("{office}.presentationml.slideshow.main+xml"),
                Some(DocumentKind::Pptx),
            ),
            (
                "application/vnd.ms-powerpoint.template.macroEnabled.main+xml".to_owned(),
                Some(DocumentKind::Pptx),
            ),
            (
                format!("{office}.spreadsheetml.template.main+xml"),
                Some(DocumentKind::Xlsx),
            ),
            (
                "application/vnd.ms-excel.sheet.macroEnabled.main+xml".to_owned(),
                Some(DocumentKind::Xlsx),
            ),
            (format!("{office}.wordprocessingml.styles+xml"), None),
            ("application/xml".to_owned(), None),
        ] {
            let kind = DocumentKind::of_content_type(&content_type).ok();

            assert_eq!(kind, expected, "{content_type}");
        }
    }
}
