//! Containers of before 2007, and what is in them.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use super::error::DocumentError;

/// A document of before 2007.
///
/// # Examples
/// ```
/// use tools_builtin::documents::OldFormat;
///
/// assert_eq!(OldFormat::Word.to_string(), "an old Word document (.doc)");
/// assert_eq!(OldFormat::Word.successor(), ".docx");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OldFormat {
    /// `.doc`
    Word,
    /// `.ppt`
    PowerPoint,
    /// `.xls`
    Excel,
}

impl OldFormat {
    /// The extension of the format to convert it to.
    #[must_use]
    pub fn successor(self) -> &'static str {
        match self {
            Self::Word => ".docx",
            Self::PowerPoint => ".pptx",
            Self::Excel => ".xlsx",
        }
    }
}

impl fmt::Display for OldFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Word => "an old Word document (.doc)",
            Self::PowerPoint => "an old PowerPoint presentation (.ppt)",
            Self::Excel => "an old Excel workbook (.xls)",
        })
    }
}

/// How much of the list of streams is looked through.
const LOOKED_THROUGH: u64 = 16 * 1024;

/// What the container holds, by the names of its streams.
pub(super) fn refusal_of<R: Read + Seek>(source: &mut R) -> Result<DocumentError, io::Error> {
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

/// The bytes where the container lists its streams.
fn stream_names<R: Read + Seek>(source: &mut R) -> Result<Vec<u8>, io::Error> {
    let mut header = Vec::new();
    source.seek(SeekFrom::Start(0))?;
    source.by_ref().take(512).read_to_end(&mut header)?;
    let at = |from: usize| header.get(from).copied().unwrap_or_default();
    let shift = u32::from(at(30)).min(16);
    let sector = u64::from(u32::from_le_bytes([at(48), at(49), at(50), at(51)]));
    source.seek(SeekFrom::Start((sector + 1) << shift))?;
    let mut streams = Vec::new();
    source
        .by_ref()
        .take(LOOKED_THROUGH)
        .read_to_end(&mut streams)?;
    Ok(streams)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::documents::testing::compound;

    #[test]
    fn the_streams_tell_what_the_container_is() {
        for (stream, expected) in [
            ("WordDocument", "it is an old Word document (.doc)"),
            (
                "PowerPoint Document",
                "it is an old PowerPoint presentation (.ppt)",
            ),
            ("Workbook", "it is an old Excel workbook (.xls)"),
            ("EncryptedPackage", "it is encrypted with a password"),
            (
                "__properties",
                "it is no document of Word, PowerPoint or Excel",
            ),
        ] {
            let refusal = refusal_of(&mut Cursor::new(compound(stream))).unwrap();

            assert_eq!(refusal.to_string(), expected);
        }
    }

    #[test]
    fn a_container_that_is_cut_off_is_no_document() {
        let bytes = compound("WordDocument");

        for length in [8, 40, 512] {
            let refusal = refusal_of(&mut Cursor::new(&bytes[..length])).unwrap();

            assert!(matches!(refusal, DocumentError::NotADocument), "{length}");
        }
    }
}
