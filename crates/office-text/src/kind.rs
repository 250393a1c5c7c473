//! Kinds of documents, told by content types and signatures.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use super::error::{DocumentError, OldFormat};

/// Kind of an office document.
///
/// # Examples
/// ```
/// use office_text::DocumentKind;
///
/// assert_eq!(DocumentKind::Docx.to_string(), "docx");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocumentKind {
    /// Word document: `.docx`, `.docm`, `.dotx`, `.dotm`.
    Docx,
    /// PowerPoint presentation: `.pptx`, `.pptm`, `.ppsx`, `.ppsm`, `.potx`, `.potm`.
    Pptx,
    /// Excel workbook: `.xlsx`, `.xlsm`, `.xltx`, `.xltm`.
    Xlsx,
}

impl DocumentKind {
    /// Returns the kind for a content type such as
    /// `application/vnd.ms-word.document.macroEnabled.main+xml`.
    pub(super) fn of_content_type(content_type: &str) -> Result<Self, DocumentError> {
        let name = content_type.to_ascii_lowercase();
        let starts = |start: &str| name.starts_with(start);
        if starts("application/vnd.ms-excel.sheet.binary") {
            return Err(DocumentError::Unsupported(
                "a binary Excel workbook (.xlsb)",
            ));
        }
        // The other content types are those of styles, notes and so on.
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

/// Signature of a ZIP archive with at least one entry.
const ARCHIVE: &[u8] = b"PK\x03\x04";
/// Signature of an OLE compound file: documents from before 2007, and encrypted ones.
const COMPOUND: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

/// Returns whether a file that starts with `beginning` may be an office document. Pass at least
/// eight bytes.
///
/// It's a quick filter, so that you don't parse every file: other ZIP archives pass it too.
///
/// # Examples
/// ```
/// assert!(office_text::may_be_document(b"PK\x03\x04\x14"));
/// assert!(!office_text::may_be_document(b"%PDF-1.7"));
/// ```
pub fn may_be_document(beginning: &[u8]) -> bool {
    beginning.starts_with(ARCHIVE) || beginning.starts_with(COMPOUND)
}

/// Returns an error unless the source starts like an archive.
pub(super) fn check_signature<R: Read + Seek>(source: &mut R) -> Result<(), DocumentError> {
    let mut beginning = Vec::new();
    source.seek(SeekFrom::Start(0))?;
    source.by_ref().take(8).read_to_end(&mut beginning)?;
    if beginning == COMPOUND {
        return Err(compound_error(source)?);
    }
    if may_be_document(&beginning) {
        Ok(())
    } else {
        Err(DocumentError::NotADocument)
    }
}

/// Number of bytes of the directory to search.
const DIRECTORY_BYTES: u64 = 16 * 1024;

/// Returns the error for a compound file, by the names of its streams.
fn compound_error<R: Read + Seek>(source: &mut R) -> Result<DocumentError, io::Error> {
    let streams = stream_names(source)?;
    let has = |name: &str| {
        let wide: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        memchr::memmem::find(&streams, &wide).is_some()
    };
    Ok(if has("EncryptedPackage") {
        DocumentError::Encrypted
    } else if has("WordDocument") {
        DocumentError::OldFormat(OldFormat::Word)
    } else if has("PowerPoint Document") {
        DocumentError::OldFormat(OldFormat::PowerPoint)
    } else if has("Workbook") || has("Book\0") {
        DocumentError::OldFormat(OldFormat::Excel)
    } else {
        DocumentError::NotADocument
    })
}

/// Returns the first bytes of the directory of streams.
fn stream_names<R: Read + Seek>(source: &mut R) -> Result<Vec<u8>, io::Error> {
    let mut header = Vec::new();
    source.seek(SeekFrom::Start(0))?;
    source.by_ref().take(512).read_to_end(&mut header)?;
    let at = |from: usize| header.get(from).copied().unwrap_or_default();
    // MS-CFB: the header fills one sector. Byte 30 has the sector size, byte 48 the first sector of the directory.
    let shift = u32::from(at(30)).min(16);
    let sector = u64::from(u32::from_le_bytes([at(48), at(49), at(50), at(51)]));
    source.seek(SeekFrom::Start((sector + 1) << shift))?;
    let mut streams = Vec::new();
    source
        .by_ref()
        .take(DIRECTORY_BYTES)
        .read_to_end(&mut streams)?;
    Ok(streams)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::testing::compound;

    #[test]
    fn recognizes_templates_and_macro_files() {
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

    #[test]
    fn stream_names_determine_error() {
        for (stream, expected) in [
            ("WordDocument", "the file is an old Word document (.doc)"),
            (
                "PowerPoint Document",
                "the file is an old PowerPoint presentation (.ppt)",
            ),
            ("Workbook", "the file is an old Excel workbook (.xls)"),
            (
                "EncryptedPackage",
                "the document is encrypted with a password",
            ),
            (
                "__properties",
                "the file is not a Word, PowerPoint or Excel document",
            ),
        ] {
            let error = compound_error(&mut Cursor::new(compound(stream))).unwrap();

            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn truncated_container_is_not_a_document() {
        let bytes = compound("WordDocument");

        for length in [8, 40, 512] {
            let error = compound_error(&mut Cursor::new(&bytes[..length])).unwrap();

            assert!(matches!(error, DocumentError::NotADocument), "{length}");
        }
    }
}
