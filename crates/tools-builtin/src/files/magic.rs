//! Files that are known by their first bytes, and have no text to read.

use tool_core::{ErrorCode, ToolError};

/// Kind of a file: what it is, and the next step.
type Kind = (&'static str, &'static str);

const PDF: Kind = (
    "a PDF document",
    "Convert it with a command, such as `pdftotext -layout file.pdf -`.",
);
const ARCHIVE: Kind = (
    "an archive",
    "List or unpack it with a command, such as `tar -tf` or `unzip -l`.",
);
const COMPRESSED: Kind = (
    "a compressed file",
    "Unpack it with a command, such as `gzip -dc`, `xz -dc` or `zstd -dc`.",
);
const DATABASE: Kind = (
    "a SQLite database",
    "Query it with a command, such as `sqlite3`.",
);
const PROGRAM: Kind = (
    "a compiled program",
    "Inspect it with a command, such as `file` or `strings`.",
);
const MEDIA: Kind = (
    "an audio or video file, or a picture that can't be shown",
    "Convert it with a command, or tell the user.",
);

/// Beginnings of files. Some have no NUL byte, so that they would be shown as text in a wrong encoding.
const MAGICS: [(&[u8], Kind); 18] = [
    (b"%PDF-", PDF),
    (b"PK\x03\x04", ARCHIVE),
    (b"7z\xbc\xaf\x27\x1c", ARCHIVE),
    (b"Rar!\x1a\x07", ARCHIVE),
    (b"\x1f\x8b\x08", COMPRESSED),
    (b"\xfd7zXZ\0", COMPRESSED),
    (b"\x28\xb5\x2f\xfd", COMPRESSED),
    (b"BZh91AY&SY", COMPRESSED),
    (b"SQLite format 3\0", DATABASE),
    (b"\x7fELF", PROGRAM),
    (b"\0asm", PROGRAM),
    (b"\xca\xfe\xba\xbe", PROGRAM),
    (b"II*\0", MEDIA),
    (b"MM\0*", MEDIA),
    (b"OggS\0", MEDIA),
    (b"fLaC\0", MEDIA),
    (b"ID3\x03", MEDIA),
    (b"ID3\x04", MEDIA),
];

fn kind_of(content: &[u8]) -> Option<Kind> {
    let known = MAGICS.iter().find(|(magic, _)| content.starts_with(magic));
    known.map(|(_, kind)| *kind)
}

/// Names a file that is known to have no text.
#[cfg(feature = "web")]
pub(crate) fn name_of(content: &[u8]) -> Option<&'static str> {
    kind_of(content).map(|(name, _)| name)
}

/// Returns an error for a file that is known to have no text.
pub(super) fn check_text(content: &[u8]) -> Result<(), ToolError> {
    match kind_of(content) {
        Some(kind) if kind != ARCHIVE || office_kind(content).is_none() => {
            let (name, next_step) = kind;
            let sentence = format!("is {name}, not text");
            Err(ToolError::about(ErrorCode::NotText, "path", sentence).suggest(next_step))
        }
        _ => Ok(()),
    }
}

/// Returns the kind of an office document, by the names at the start of the archive.
pub(crate) fn office_kind(beginning: &[u8]) -> Option<&'static str> {
    let has = |name: &[u8]| memchr::memmem::find(beginning, name).is_some();
    match () {
        () if !beginning.starts_with(b"PK\x03\x04") => None,
        () if has(b"word/") => Some("a Word document (.docx)"),
        () if has(b"ppt/") => Some("a PowerPoint presentation (.pptx)"),
        () if has(b"xl/") => Some("an Excel workbook (.xlsx)"),
        () if has(b"[Content_Types].xml") => Some("an office document"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_files_are_named_with_a_next_step() {
        for (content, part) in [
            (&b"%PDF-1.7\n1 0 obj"[..], "is a PDF document, not text"),
            (b"\x1f\x8b\x08abc", "gzip -dc"),
            (b"PK\x03\x04\x14\0src/main.rs", "unzip -l"),
            (b"\x7fELF\x02", "compiled program"),
            (b"SQLite format 3\0", "`sqlite3`"),
        ] {
            let error = check_text(content).unwrap_err();

            assert_eq!(error.code(), &ErrorCode::NotText);
            assert!(error.to_string().contains(part), "{error}");
        }
        for other in [
            &b""[..],
            b"PDF-1.7",
            b"PK\x03\x04\x14\0[Content_Types].xml",
            b"ID3 tags are described here",
            b"BZh is a magic",
        ] {
            assert!(check_text(other).is_ok(), "{other:?}");
        }
    }
}
