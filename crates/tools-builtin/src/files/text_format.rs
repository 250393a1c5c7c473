//! Text formats of files, for inserting text in the same format.

use std::borrow::Cow;

use tool_core::{ErrorCode, ToolError};

use super::decode::{Encoding, from_utf16, guess, to_utf16, unmarked};
use super::encoding::LegacyEncoding;

/// Encoding and byte-order mark of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextFormat {
    encoding: Encoding,
    /// Byte-order mark, if it is not part of the text.
    mark: &'static [u8],
}

impl TextFormat {
    /// Returns the format of `content`, and its bytes in a form that can be searched for UTF-8.
    /// Rejects content that would not round-trip.
    pub(super) fn of(content: &[u8]) -> Result<(Self, Cow<'_, [u8]>), ToolError> {
        let (encoding, mark) = seen_in(content);
        match encoding {
            Encoding::Binary => Err(not_text("is a binary file")),
            Encoding::Utf16Le | Encoding::Utf16Be => Self::of_utf16(content, encoding, mark),
            _ if std::str::from_utf8(content).is_ok() => Ok(Self::plain(Encoding::Utf8, content)),
            _ => Ok(Self::of_legacy(content)),
        }
    }

    fn plain(encoding: Encoding, content: &[u8]) -> (Self, Cow<'_, [u8]>) {
        let mark = b"";
        (Self { encoding, mark }, Cow::Borrowed(content))
    }

    fn of_utf16(
        content: &[u8],
        encoding: Encoding,
        mark: usize,
    ) -> Result<(Self, Cow<'_, [u8]>), ToolError> {
        let format = Self {
            encoding,
            mark: match (mark, encoding) {
                (0, _) => b"",
                (_, Encoding::Utf16Be) => b"\xFE\xFF",
                _ => b"\xFF\xFE",
            },
        };
        let text = from_utf16(content.get(mark..).unwrap_or_default(), encoding);
        // Unpaired surrogates are lost in the conversion.
        if format.whole(&text)? != content {
            let sentence = "is not valid UTF-16, so an edit would damage it";
            return Err(not_text(sentence));
        }
        Ok((format, Cow::Owned(text.into_bytes())))
    }

    /// Decodes content that is not UTF-8 if its legacy encoding round-trips.
    fn of_legacy(content: &[u8]) -> (Self, Cow<'_, [u8]>) {
        match guess(content, false) {
            // A guess that does not give back the same bytes would change text that the edit does not touch.
            Some((text, legacy)) if *legacy.0.encode(&text).0 == *content => {
                let encoding = Encoding::Legacy(legacy);
                let mark = b"";
                (Self { encoding, mark }, Cow::Owned(text.into_bytes()))
            }
            _ => Self::plain(Encoding::Unknown, content),
        }
    }

    /// Encodes text for the file. Returns an error for `parameter` if the file's encoding cannot
    /// represent the text.
    pub(super) fn encode<'t>(
        self,
        parameter: &str,
        text: &'t str,
    ) -> Result<Cow<'t, [u8]>, ToolError> {
        match self.encoding {
            Encoding::Utf16Le | Encoding::Utf16Be => Ok(to_utf16(text, self.encoding).into()),
            Encoding::Legacy(legacy) => in_legacy(legacy, parameter, text),
            // ASCII has the same bytes in every encoding that is left, and other text could only be a guess.
            Encoding::Unknown if !text.is_ascii() => {
                Err(not_text("is not UTF-8, so only ASCII text can be inserted"))
            }
            _ => Ok(Cow::Borrowed(text.as_bytes())),
        }
    }

    /// Encodes the complete changed text.
    pub(super) fn encode_whole(self, text: Vec<u8>) -> Result<Vec<u8>, ToolError> {
        match self.encoding {
            // The file stores the text byte for byte.
            Encoding::Utf8 | Encoding::Unknown | Encoding::Binary => Ok(text),
            _ => self.whole(&String::from_utf8_lossy(&text)),
        }
    }

    fn whole(self, text: &str) -> Result<Vec<u8>, ToolError> {
        let mut bytes = self.mark.to_vec();
        bytes.extend_from_slice(&self.encode("content", text)?);
        Ok(bytes)
    }
}

/// Text of a file without its byte-order mark, and how to write a changed text in the same format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileText {
    pub(super) text: String,
    format: TextFormat,
    has_mark: bool,
}

impl FileText {
    /// Decodes a file. Rejects content that would not round-trip.
    pub(super) fn of(content: &[u8]) -> Result<Self, ToolError> {
        let (format, text) = TextFormat::of(content)?;
        let text = String::from_utf8(text.into_owned())
            .map_err(|_| not_text("has an unknown encoding"))?;
        // A mark of UTF-16 belongs to the format already.
        let rest = text.strip_prefix('\u{feff}').map(str::to_owned);
        Ok(Self {
            has_mark: rest.is_some(),
            text: rest.unwrap_or(text),
            format,
        })
    }

    /// Encodes a changed text. Returns an error for `parameter` if the file's encoding cannot represent it.
    pub(super) fn encode(&self, parameter: &str, text: &str) -> Result<Vec<u8>, ToolError> {
        self.format.encode(parameter, text)?;
        let mark = if self.has_mark { "\u{feff}" } else { "" };
        self.format.encode_whole([mark, text].concat().into_bytes())
    }

    /// Returns the encoding of the file.
    pub(super) fn encoding(&self) -> Encoding {
        self.format.encoding
    }

    /// Returns whether the file has a byte-order mark.
    pub(super) fn has_mark(&self) -> bool {
        self.has_mark || !self.format.mark.is_empty()
    }
}

/// Returns the detected encoding and the length of the byte-order mark.
fn seen_in(content: &[u8]) -> (Encoding, usize) {
    match Encoding::of_beginning(content) {
        (found, 0) => (unmarked(content, found), 0),
        marked => marked,
    }
}

fn in_legacy<'t>(
    legacy: LegacyEncoding,
    parameter: &str,
    text: &'t str,
) -> Result<Cow<'t, [u8]>, ToolError> {
    let (bytes, _, had_unmappable) = legacy.0.encode(text);
    if !had_unmappable {
        return Ok(bytes);
    }
    let label = Encoding::Legacy(legacy);
    let foreign = text
        .chars()
        .find(|character| legacy.0.encode(character.encode_utf8(&mut [0; 4])).2)
        .unwrap_or(char::REPLACEMENT_CHARACTER);
    let sentence =
        format!("contains `{foreign}`, which the file's encoding {label} does not support");
    Err(ToolError::about(ErrorCode::NotText, parameter, sentence)
        .suggest("Omit such characters, or rewrite the entire file as UTF-8."))
}

fn not_text(sentence: &str) -> ToolError {
    ToolError::about(ErrorCode::NotText, "path", sentence)
        .suggest("Choose a text file, or rewrite the entire file.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(mark: &[u8], text: &str, encoding: Encoding) -> Vec<u8> {
        [mark, &to_utf16(text, encoding)].concat()
    }

    #[test]
    fn text_round_trips() {
        for (content, text) in [
            (b"plain\n".to_vec(), "plain\n"),
            (b"\xEF\xBB\xBFmark".to_vec(), "\u{feff}mark"),
            ("größe".into(), "größe"),
            (
                utf16(b"\xFF\xFE", "aé😀\r\n", Encoding::Utf16Le),
                "aé😀\r\n",
            ),
            (
                utf16(b"\xFE\xFF", "aé😀\r\n", Encoding::Utf16Be),
                "aé😀\r\n",
            ),
            (utf16(b"", "Hello\n", Encoding::Utf16Le), "Hello\n"),
            (utf16(b"", "Hello\n", Encoding::Utf16Be), "Hello\n"),
            (b"caf\xE9 au lait".to_vec(), "café au lait"),
        ] {
            let (format, read) = TextFormat::of(&content).unwrap();

            assert_eq!(read, text.as_bytes(), "{format:?}");
            assert_eq!(format.encode_whole(read.to_vec()).unwrap(), content);
        }
    }

    #[test]
    fn rejects_content_that_does_not_round_trip() {
        for content in [&b"a\0b"[..], b"\xFF\xFEx\0y", b"\xFF\xFE\x00\xD8"] {
            let error = TextFormat::of(content).unwrap_err();

            assert_eq!(error.code(), &ErrorCode::NotText, "{content:?}");
        }
    }

    #[test]
    fn error_names_unencodable_character() {
        for (content, message) in [
            (
                &b"caf\xE9 au lait"[..],
                "`text` contains `日`, which the file's encoding windows-1252 does not support",
            ),
            (
                b"gr\xC3\xB6\xC3\x9Fe \xE9",
                "`path` is not UTF-8, so only ASCII text can be inserted",
            ),
        ] {
            let (format, _) = TextFormat::of(content).unwrap();

            let error = format.encode("text", "a日b").unwrap_err();

            assert!(error.to_string().starts_with(message), "{error}");
            assert_eq!(format.encode("text", "ab").unwrap(), &b"ab"[..]);
        }
    }

    #[test]
    fn file_text_keeps_mark_and_encoding() {
        for (content, has_mark, changed) in [
            (b"one".to_vec(), false, b"two".to_vec()),
            (
                b"\xEF\xBB\xBFone".to_vec(),
                true,
                b"\xEF\xBB\xBFtwo".to_vec(),
            ),
            (
                utf16(b"\xFF\xFE", "one", Encoding::Utf16Le),
                true,
                utf16(b"\xFF\xFE", "two", Encoding::Utf16Le),
            ),
        ] {
            let file = FileText::of(&content).unwrap();

            assert_eq!((file.text.as_str(), file.has_mark()), ("one", has_mark));
            assert_eq!(file.encode("new", "two").unwrap(), changed);
        }
        let legacy = FileText::of(b"caf\xE9 au lait").unwrap();
        assert_eq!(legacy.encode("new", "th\u{e9}").unwrap(), b"th\xE9");
        assert_eq!(
            legacy.encode("new", "日").unwrap_err().parameter(),
            Some("new")
        );
    }
}
