//! How the bytes of a file became text.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How many bytes at the start decide whether a file is text.
pub(crate) const LOOKED_AT: usize = 8 * 1024;

/// How the bytes of a file became text. As JSON it is a label, such as `utf-8` or `windows-1252`.
///
/// # Examples
/// ```
/// use tools_builtin::files::Encoding;
///
/// assert_eq!(serde_json::to_string(&Encoding::Utf16Le)?, "\"utf-16le\"");
/// let legacy: Encoding = serde_json::from_str("\"shift_jis\"")?;
/// assert_eq!(legacy.to_string(), "shift_jis");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8, with or without a byte-order mark.
    Utf8,
    /// UTF-16, the low byte first, with or without a byte-order mark.
    Utf16Le,
    /// UTF-16, the high byte first, with or without a byte-order mark.
    Utf16Be,
    /// An encoding from before Unicode, guessed from the bytes.
    Legacy(LegacyEncoding),
    /// Text in an unknown encoding; what is not UTF-8 is shown as `�`.
    Unknown,
    /// No text; the bytes are shown in hexadecimal.
    Binary,
    /// The text was taken out of a Word document.
    Docx,
    /// The text was taken out of a PowerPoint presentation.
    Pptx,
    /// The text was taken out of an Excel workbook.
    Xlsx,
}

/// An encoding from before Unicode.
///
/// # Examples
/// ```
/// use tools_builtin::files::{Encoding, LegacyEncoding};
///
/// let encoding = LegacyEncoding::from_label("windows-1252").ok_or("unknown")?;
/// assert_eq!(Encoding::Legacy(encoding).to_string(), "windows-1252");
/// assert_eq!(LegacyEncoding::from_label("utf-8"), None);
/// # Ok::<_, &str>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LegacyEncoding(pub(super) &'static encoding_rs::Encoding);

impl LegacyEncoding {
    /// The encoding with this label, as the WHATWG Encoding Standard has it.
    #[must_use]
    pub fn from_label(label: &str) -> Option<Self> {
        let encoding = encoding_rs::Encoding::for_label_no_replacement(label.as_bytes())?;
        let is_unicode = encoding.output_encoding() != encoding || encoding == encoding_rs::UTF_8;
        (!is_unicode).then_some(Self(encoding))
    }
}

impl Encoding {
    /// What the beginning of a file says, and how many bytes its byte-order mark has. Whether it is UTF-8 indeed is seen
    /// when it is read.
    pub(crate) fn of_beginning(bytes: &[u8]) -> (Self, usize) {
        let looked_at = bytes.get(..LOOKED_AT).unwrap_or(bytes);
        match bytes {
            [0xEF, 0xBB, 0xBF, ..] => (Self::Utf8, 3),
            [0xFF, 0xFE, ..] => (Self::Utf16Le, 2),
            [0xFE, 0xFF, ..] => (Self::Utf16Be, 2),
            _ if memchr::memchr(0, looked_at).is_some() => (Self::Binary, 0),
            _ => (Self::Utf8, 0),
        }
    }

    fn label(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Legacy(encoding) => return encoding.0.name().to_ascii_lowercase().into(),
            Self::Unknown => "unknown",
            Self::Binary => "binary",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
            Self::Xlsx => "xlsx",
        })
    }

    fn from_label(label: &str) -> Option<Self> {
        Some(match label {
            "utf-8" => Self::Utf8,
            "utf-16le" => Self::Utf16Le,
            "utf-16be" => Self::Utf16Be,
            "unknown" => Self::Unknown,
            "binary" => Self::Binary,
            "docx" => Self::Docx,
            "pptx" => Self::Pptx,
            "xlsx" => Self::Xlsx,
            other => Self::Legacy(LegacyEncoding::from_label(other)?),
        })
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label())
    }
}

impl Serialize for Encoding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.label())
    }
}

impl<'de> Deserialize<'de> for Encoding {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let label = Cow::<'de, str>::deserialize(deserializer)?;
        Self::from_label(&label)
            .ok_or_else(|| serde::de::Error::custom(format!("`{label}` is no encoding")))
    }
}

impl JsonSchema for Encoding {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Encoding".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "How the bytes became text: `utf-8`, `utf-16le`, `utf-16be`, the label of an older encoding such as `windows-1252`, `unknown` (what is not UTF-8 is shown as �), `binary` (shown in hexadecimal), or `docx`, `pptx` or `xlsx` (the text of such a document)."
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_tells_the_encoding() {
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
    fn each_encoding_comes_back_from_its_label() {
        for label in [
            "utf-8",
            "utf-16le",
            "utf-16be",
            "windows-1252",
            "shift_jis",
            "gbk",
            "unknown",
            "binary",
            "docx",
            "pptx",
            "xlsx",
        ] {
            let encoding: Encoding = serde_json::from_value(label.into()).unwrap();

            assert_eq!(serde_json::to_value(encoding).unwrap(), label);
        }
        for label in ["", "klingon", "replacement"] {
            assert!(
                serde_json::from_value::<Encoding>(label.into()).is_err(),
                "{label}"
            );
        }
    }
}
