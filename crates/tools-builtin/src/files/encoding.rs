//! Text encodings of files.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

/// Handling of bytes that are not UTF-8.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decoding {
    /// Detect the encoding of text, and show binary files in hexadecimal.
    #[default]
    Detect,
    /// Show bytes that are neither UTF-8 nor marked as UTF-16 as `�`, including in binary files.
    Lossy,
    /// Reject such files.
    Utf8Only,
}

/// Number of leading bytes that decide whether a file is text.
const PROBE_BYTES: usize = 8 * 1024;

/// Encoding of a file. Serialized as a label, such as `utf-8` or `windows-1252`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(all(feature = "office", feature = "pdf")),
    allow(dead_code, reason = "texts of documents need a feature")
)]
pub(crate) enum Encoding {
    /// UTF-8, with or without a byte-order mark.
    Utf8,
    /// UTF-16 little-endian, with or without a byte-order mark.
    Utf16Le,
    /// UTF-16 big-endian, with or without a byte-order mark.
    Utf16Be,
    /// Legacy encoding, guessed from the bytes.
    Legacy(&'static encoding_rs::Encoding),
    /// Text in an unknown encoding; invalid UTF-8 is shown as `�`.
    Unknown,
    /// Not text; the bytes are shown in hexadecimal.
    Binary,
    /// Text extracted from a Word document.
    Docx,
    /// Text extracted from a PowerPoint presentation.
    Pptx,
    /// Text extracted from an Excel workbook.
    Xlsx,
    /// Text extracted from a PDF document.
    Pdf,
}

impl Encoding {
    /// Returns the encoding indicated by the first bytes of a file, and the length of the
    /// byte-order mark. Whether a file is valid UTF-8 is known only after reading it.
    pub(crate) fn of_beginning(bytes: &[u8]) -> (Self, usize) {
        let probe = bytes.get(..PROBE_BYTES).unwrap_or(bytes);
        match bytes {
            // Byte-order marks first: the NULs of UTF-16 text would make it binary.
            [0xEF, 0xBB, 0xBF, ..] => (Self::Utf8, 3),
            [0xFF, 0xFE, ..] => (Self::Utf16Le, 2),
            [0xFE, 0xFF, ..] => (Self::Utf16Be, 2),
            _ if memchr::memchr(0, probe).is_some() => (Self::Binary, 0),
            _ => (Self::Utf8, 0),
        }
    }

    /// Returns the big-endian form of UTF-16, or the little-endian form for every other encoding.
    pub(super) fn byte_order(self) -> &'static encoding_rs::Encoding {
        match self {
            Self::Utf16Be => encoding_rs::UTF_16BE,
            _ => encoding_rs::UTF_16LE,
        }
    }

    /// Returns the encoding of text with a label of the WHATWG Encoding Standard.
    pub(super) fn of_text(label: &str) -> Option<(Self, &'static encoding_rs::Encoding)> {
        let encoding = encoding_rs::Encoding::for_label_no_replacement(label.trim().as_bytes())?;
        let found = match encoding.name() {
            "UTF-8" => Self::Utf8,
            "UTF-16LE" => Self::Utf16Le,
            "UTF-16BE" => Self::Utf16Be,
            _ => Self::Legacy(encoding),
        };
        Some((found, encoding))
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Legacy(encoding) => return f.write_str(&encoding.name().to_ascii_lowercase()),
            Self::Unknown => "unknown",
            Self::Binary => "binary",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
            Self::Xlsx => "xlsx",
            Self::Pdf => "pdf",
        })
    }
}

impl Serialize for Encoding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_encoding_from_first_bytes() {
        for (bytes, expected) in [
            (&b"plain"[..], (Encoding::Utf8, 0)),
            (b"", (Encoding::Utf8, 0)),
            (b"\xEF\xBB\xBFx", (Encoding::Utf8, 3)),
            (b"\xFF\xFEx\0", (Encoding::Utf16Le, 2)),
            (b"\xFE\xFF\0x", (Encoding::Utf16Be, 2)),
            (b"a\0b", (Encoding::Binary, 0)),
        ] {
            assert_eq!(Encoding::of_beginning(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn labels_round_trip() {
        for label in [
            "utf-8",
            "utf-16le",
            "utf-16be",
            "windows-1252",
            "shift_jis",
            "gbk",
        ] {
            let (encoding, _) = Encoding::of_text(label).unwrap();

            assert_eq!(serde_json::to_value(encoding).unwrap(), label);
        }
        for (encoding, label) in [
            (Encoding::Unknown, "unknown"),
            (Encoding::Binary, "binary"),
            (Encoding::Docx, "docx"),
            (Encoding::Pptx, "pptx"),
            (Encoding::Xlsx, "xlsx"),
            (Encoding::Pdf, "pdf"),
        ] {
            assert_eq!(encoding.to_string(), label);
        }
        for label in ["", "klingon", "replacement"] {
            assert!(Encoding::of_text(label).is_none(), "{label}");
        }
    }
}
