//! Why a document gave no text.

use std::fmt;
use std::io;

use zip::result::ZipError;

use super::old_format::OldFormat;

/// Why a document gave no text. The texts name no names of parts and nothing of what is in them.
///
/// # Examples
/// ```
/// use std::io::Cursor;
/// use tools_builtin::documents::{DocumentError, DocumentLimits, document_to_text};
///
/// let outcome = document_to_text(Cursor::new(b"plain text"), &DocumentLimits::default());
/// assert!(matches!(outcome, Err(DocumentError::NotADocument)));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// It is something else, such as a plain archive or a text.
    #[error("it is no document of Word, PowerPoint or Excel")]
    NotADocument,
    /// It is a document from before 2007, which is no archive.
    #[error("it is {0}")]
    OldFormat(OldFormat),
    /// A password is needed to read it.
    #[error("it is encrypted with a password")]
    Encrypted,
    /// It is a document in a form that is not read.
    #[error("it is {0}, which is not read")]
    Unsupported(&'static str),
    /// It goes beyond one of the [`DocumentLimits`](super::DocumentLimits).
    #[error("it has more than {most} {bound}")]
    TooLarge {
        /// Which one.
        bound: DocumentBound,
        /// The most that is allowed.
        most: u64,
    },
    /// It declares a document type, as only documents that mean harm do.
    #[error("it has a document type definition, as no honest document does")]
    TypeDefinition,
    /// Entries of its archive share their bytes, as only archives that mean harm do.
    #[error("its archive has entries that overlap, as no honest document does")]
    OverlappingEntries,
    /// It is cut off, or does not keep to its format.
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
    /// The source cannot be read.
    #[error("it cannot be read")]
    Unreadable(#[source] io::Error),
}

/// What there is too much of.
///
/// # Examples
/// ```
/// use tools_builtin::documents::DocumentBound;
///
/// assert_eq!(DocumentBound::Entries.to_string(), "entries in its archive");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DocumentBound {
    /// Bytes of the file.
    FileBytes,
    /// Files in the archive.
    Entries,
    /// Bytes of one part after it was unpacked.
    PartBytes,
    /// Bytes of all parts that were unpacked.
    TotalBytes,
    /// Bytes that one packed byte becomes.
    Ratio,
    /// Elements inside each other.
    Depth,
    /// Tags and pieces of text in one part.
    Events,
}

impl fmt::Display for DocumentBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FileBytes => "bytes",
            Self::Entries => "entries in its archive",
            Self::PartBytes => "bytes in one part",
            Self::TotalBytes => "bytes in its parts",
            Self::Ratio => "bytes for each packed byte",
            Self::Depth => "elements inside each other",
            Self::Events => "elements and texts in one part",
        })
    }
}

impl From<io::Error> for DocumentError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => {
                Self::Damaged("its archive is cut off, or a part does not keep to its size")
            }
            // What the decoder of deflate streams says of a damaged one.
            io::ErrorKind::InvalidInput => Self::Damaged("a part cannot be unpacked"),
            _ => Self::Unreadable(error),
        }
    }
}

impl From<ZipError> for DocumentError {
    fn from(error: ZipError) -> Self {
        match error {
            ZipError::Io(error) => error.into(),
            ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)
            | ZipError::InvalidPassword => Self::Encrypted,
            ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) => {
                Self::Unsupported("a document packed in an unusual way")
            }
            _ => Self::Damaged("its archive cannot be read"),
        }
    }
}

impl From<quick_xml::Error> for DocumentError {
    fn from(_: quick_xml::Error) -> Self {
        Self::Damaged("a part is not well-formed XML")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_too_much_of_has_its_words() {
        use DocumentBound::{Depth, Entries, Events, FileBytes, PartBytes, Ratio, TotalBytes};

        for (bound, told) in [
            (FileBytes, "it has more than 9 bytes"),
            (Entries, "it has more than 9 entries in its archive"),
            (PartBytes, "it has more than 9 bytes in one part"),
            (TotalBytes, "it has more than 9 bytes in its parts"),
            (Ratio, "it has more than 9 bytes for each packed byte"),
            (Depth, "it has more than 9 elements inside each other"),
            (Events, "it has more than 9 elements and texts in one part"),
        ] {
            let error = DocumentError::TooLarge { bound, most: 9 };

            assert_eq!(error.to_string(), told);
        }
    }

    #[test]
    fn what_an_archive_does_wrong_is_told_by_its_kind() {
        let locked = ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED);
        let failed = io::Error::from(io::ErrorKind::BrokenPipe);
        for (error, told) in [
            (locked, "it is encrypted with a password"),
            (ZipError::InvalidPassword, "it is encrypted with a password"),
            (
                ZipError::UnsupportedArchive("several disks"),
                "it is a document packed in an unusual way, which is not read",
            ),
            (
                ZipError::FileNotFound,
                "it is damaged: its archive cannot be read",
            ),
            (
                io::Error::from(io::ErrorKind::UnexpectedEof).into(),
                "it is damaged: its archive is cut off, or a part does not keep to its size",
            ),
            (
                io::Error::from(io::ErrorKind::InvalidInput).into(),
                "it is damaged: a part cannot be unpacked",
            ),
            (failed.into(), "it cannot be read"),
        ] {
            assert_eq!(DocumentError::from(error).to_string(), told);
        }
    }
}
