//! Kinds of documents, told by root elements and signatures.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use super::error::{DocumentError, DocumentLimits};
use super::xml::{Namespace, Xml};

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
    /// Returns the kind for the main part of a document, by its root element.
    pub(super) fn of_main_part(text: &str, limits: &DocumentLimits) -> Result<Self, DocumentError> {
        let root = Xml::new(text, limits).next_start()?;
        match root.map(|root| root.namespace) {
            Some(Namespace::Word) => Ok(Self::Docx),
            Some(Namespace::Presentation) => Ok(Self::Pptx),
            Some(Namespace::Spreadsheet) => Ok(Self::Xlsx),
            _ => Err(DocumentError::NotADocument),
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
    } else if ["WordDocument", "PowerPoint Document", "Workbook", "Book\0"]
        .into_iter()
        .any(has)
    {
        DocumentError::OldFormat
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

    const OLD: &str =
        "the file is in a Word, PowerPoint or Excel format from before 2007 (.doc, .ppt or .xls)";

    #[test]
    fn stream_names_determine_error() {
        for (stream, expected) in [
            ("WordDocument", OLD),
            ("PowerPoint Document", OLD),
            ("Workbook", OLD),
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
