//! Errors and limits of the text extraction.

use std::{fmt, io};

use zip::result::ZipError;

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
    #[error(
        "the file is in a Word, PowerPoint or Excel format from before 2007 (.doc, .ppt or .xls)"
    )]
    OldFormat,
    /// The document is encrypted with a password.
    #[error("the document is encrypted with a password")]
    Encrypted,
    /// The format of the document is not supported.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
    /// The document exceeds one of the [`DocumentLimits`].
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

/// Limits of the text extraction.
///
/// A small file can be made to expand to gigabytes, so everything that a document can inflate has a
/// limit. A document that exceeds one is rejected with [`DocumentError::TooLarge`]. Only
/// [`max_text_bytes`](Self::max_text_bytes) truncates the text instead.
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
