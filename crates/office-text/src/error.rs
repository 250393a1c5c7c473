//! Errors of the text extraction.

use std::fmt;
use std::io;

use zip::result::ZipError;

use super::kind::OldFormat;

/// Reason why the text of a document could not be extracted.
///
/// The messages contain no part names and no content of the document, so you can show them to a
/// model.
///
/// # Examples
/// ```
/// use std::io::Cursor;
/// use office_text::{DocumentError, DocumentLimits, document_to_text};
///
/// let outcome = document_to_text(Cursor::new(b"plain text"), &DocumentLimits::default());
/// assert!(matches!(outcome, Err(DocumentError::NotADocument)));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The file is not an office document, for example another archive or plain text.
    #[error("the file is not a Word, PowerPoint or Excel document")]
    NotADocument,
    /// The document is in a binary format from before 2007.
    #[error("the file is {0}")]
    OldFormat(OldFormat),
    /// The document is encrypted with a password.
    #[error("the document is encrypted with a password")]
    Encrypted,
    /// The format of the document is not supported.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
    /// The document exceeds one of the [`DocumentLimits`](super::DocumentLimits).
    #[error("the document has more than {most} {bound}")]
    TooLarge {
        /// Exceeded limit.
        bound: DocumentBound,
        /// Maximum value.
        most: u64,
    },
    /// A part contains a document type definition, whose entities could expand without limit.
    #[error("document type definitions are not allowed")]
    TypeDefinition,
    /// Entries of the archive share bytes, as in a decompression bomb.
    #[error("the archive has overlapping entries")]
    OverlappingEntries,
    /// The document is truncated or violates its format.
    #[error("the document is damaged ({0})")]
    Damaged(&'static str),
    /// Reading the source failed.
    #[error("the document cannot be read")]
    Unreadable(#[source] io::Error),
}

impl DocumentError {
    pub(super) fn too_large(bound: DocumentBound, most: u64) -> Self {
        Self::TooLarge { bound, most }
    }

    // Functions instead of `From`, so that new versions of these crates don't break users of this
    // one.
    pub(super) fn of_archive(error: ZipError) -> Self {
        match error {
            ZipError::Io(error) => error.into(),
            ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)
            | ZipError::InvalidPassword => Self::Encrypted,
            ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) => {
                Self::Unsupported("the compression or layout of the archive")
            }
            _ => Self::Damaged("the archive has an invalid structure"),
        }
    }

    pub(super) fn of_xml(_: quick_xml::Error) -> Self {
        Self::Damaged("a part is not well-formed XML")
    }
}

/// Quantity that a document may exceed.
///
/// # Examples
/// ```
/// use office_text::DocumentBound;
///
/// assert_eq!(DocumentBound::Entries.to_string(), "archive entries");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DocumentBound {
    /// Bytes of the file.
    FileBytes,
    /// Entries of the archive.
    Entries,
    /// Uncompressed bytes of one part.
    PartBytes,
    /// Uncompressed bytes of all parts.
    TotalBytes,
    /// Uncompressed bytes per compressed byte.
    Ratio,
    /// Nesting depth of elements.
    Depth,
    /// XML tags and text nodes in one part.
    Events,
}

impl fmt::Display for DocumentBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FileBytes => "bytes",
            Self::Entries => "archive entries",
            Self::PartBytes => "bytes in one part",
            Self::TotalBytes => "bytes in all parts",
            Self::Ratio => "bytes per compressed byte",
            Self::Depth => "nested elements",
            Self::Events => "tags and text nodes in one part",
        })
    }
}

impl From<io::Error> for DocumentError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => {
                Self::Damaged("the archive is truncated or a part has the wrong size")
            }
            // The deflate decoder reports invalid streams with this kind.
            io::ErrorKind::InvalidInput => Self::Damaged("a part cannot be decompressed"),
            _ => Self::Unreadable(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_large_names_limit() {
        use DocumentBound::{Depth, Entries, Events, FileBytes, PartBytes, Ratio, TotalBytes};

        for (bound, message) in [
            (FileBytes, "the document has more than 9 bytes"),
            (Entries, "the document has more than 9 archive entries"),
            (PartBytes, "the document has more than 9 bytes in one part"),
            (
                TotalBytes,
                "the document has more than 9 bytes in all parts",
            ),
            (
                Ratio,
                "the document has more than 9 bytes per compressed byte",
            ),
            (Depth, "the document has more than 9 nested elements"),
            (
                Events,
                "the document has more than 9 tags and text nodes in one part",
            ),
        ] {
            let error = DocumentError::TooLarge { bound, most: 9 };

            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn converts_archive_and_io_errors() {
        let locked = ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED);
        let failed = io::Error::from(io::ErrorKind::BrokenPipe);
        for (error, message) in [
            (locked, "the document is encrypted with a password"),
            (
                ZipError::InvalidPassword,
                "the document is encrypted with a password",
            ),
            (
                ZipError::UnsupportedArchive("several disks"),
                "the compression or layout of the archive is not supported",
            ),
            (
                ZipError::FileNotFound,
                "the document is damaged (the archive has an invalid structure)",
            ),
            (
                io::Error::from(io::ErrorKind::UnexpectedEof).into(),
                "the document is damaged (the archive is truncated or a part has the wrong size)",
            ),
            (
                io::Error::from(io::ErrorKind::InvalidInput).into(),
                "the document is damaged (a part cannot be decompressed)",
            ),
            (failed.into(), "the document cannot be read"),
        ] {
            assert_eq!(DocumentError::of_archive(error).to_string(), message);
        }
    }
}
