//! Text formats of files, for inserting text in the same format.

use std::borrow::Cow;

use tool_core::{ErrorCode, ToolError};

use super::decode::{Encoding, from_any, from_utf16, to_utf16};

/// Text of a file without its byte-order mark, and how to write a changed text in the same format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileText {
    pub(super) text: String,
    encoding: Encoding,
    mark: Vec<u8>,
}

impl FileText {
    /// Decodes a file. Rejects content that would not round-trip.
    pub(super) fn of(content: &[u8]) -> Result<Self, ToolError> {
        let (encoding, mark) = Encoding::of_beginning(content);
        let (mark, rest) = content.split_at(mark);
        let (text, encoding) = match encoding {
            Encoding::Binary => return Err(not_text("is a binary file")),
            Encoding::Utf16Le | Encoding::Utf16Be => (from_utf16(rest, encoding), encoding),
            _ => from_any(rest.to_vec(), false),
        };
        let file = Self {
            text,
            encoding,
            mark: mark.to_vec(),
        };
        // A wrong guess, or unpaired surrogates, would change text that the edit does not touch.
        match encoding {
            Encoding::Utf8 => Ok(file),
            Encoding::Unknown => Err(not_text("has an unknown encoding")),
            _ if file
                .encode("path", &file.text)
                .is_ok_and(|same| same == content) =>
            {
                Ok(file)
            }
            Encoding::Legacy(_) => Err(not_text("has an unknown encoding")),
            _ => Err(not_text("is not valid UTF-16, so an edit would damage it")),
        }
    }

    /// Encodes a changed text. Returns an error for `parameter` if the file's encoding cannot represent it.
    pub(super) fn encode(&self, parameter: &str, text: &str) -> Result<Vec<u8>, ToolError> {
        Ok([&*self.mark, &*self.encode_part(parameter, text)?].concat())
    }

    /// Encodes a part of a text, without the mark.
    pub(super) fn encode_part<'t>(
        &self,
        parameter: &str,
        text: &'t str,
    ) -> Result<Cow<'t, [u8]>, ToolError> {
        match self.encoding {
            Encoding::Utf16Le | Encoding::Utf16Be => Ok(to_utf16(text, self.encoding).into()),
            Encoding::Legacy(legacy) => in_legacy(legacy, parameter, text),
            _ => Ok(Cow::Borrowed(text.as_bytes())),
        }
    }

    /// Returns the encoding of the file.
    pub(super) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns whether the file has a byte-order mark.
    pub(super) fn has_mark(&self) -> bool {
        !self.mark.is_empty()
    }
}

fn in_legacy<'t>(
    legacy: &'static encoding_rs::Encoding,
    parameter: &str,
    text: &'t str,
) -> Result<Cow<'t, [u8]>, ToolError> {
    let (bytes, _, had_unmappable) = legacy.encode(text);
    if !had_unmappable {
        return Ok(bytes);
    }
    let label = Encoding::Legacy(legacy);
    let foreign = text
        .chars()
        .find(|character| legacy.encode(character.encode_utf8(&mut [0; 4])).2)
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
            (b"\xEF\xBB\xBFmark".to_vec(), "mark"),
            ("größe".into(), "größe"),
            (
                utf16(b"\xFF\xFE", "aé😀\r\n", Encoding::Utf16Le),
                "aé😀\r\n",
            ),
            (
                utf16(b"\xFE\xFF", "aé😀\r\n", Encoding::Utf16Be),
                "aé😀\r\n",
            ),
            (b"caf\xE9 au lait".to_vec(), "café au lait"),
        ] {
            let file = FileText::of(&content).unwrap();

            assert_eq!(file.text, text, "{file:?}");
            assert_eq!(file.encode("text", text).unwrap(), content);
        }
    }

    #[test]
    fn rejects_content_that_does_not_round_trip() {
        for content in [
            &b"a\0b"[..],
            b"\xFF\xFEx\0y",
            b"\xFF\xFE\x00\xD8",
            b"gr\xC3\xB6\xC3\x9Fe \xE9",
        ] {
            let error = FileText::of(content).unwrap_err();

            assert_eq!(error.code(), &ErrorCode::NotText, "{content:?}");
        }
    }

    #[test]
    fn error_names_unencodable_character() {
        let file = FileText::of(b"caf\xE9 au lait").unwrap();

        let error = file.encode("text", "a日b").unwrap_err();

        let message =
            "`text` contains `日`, which the file's encoding windows-1252 does not support";
        assert!(error.to_string().starts_with(message), "{error}");
        assert_eq!(file.encode("text", "ab").unwrap(), b"ab");
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
