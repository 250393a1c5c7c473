//! From bytes to text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many bytes at the start decide whether a file is text.
pub(crate) const LOOKED_AT: usize = 8 * 1024;

/// How the bytes of a file became text.
///
/// # Examples
/// ```
/// use tools_builtin::files::Encoding;
///
/// assert_eq!(serde_json::to_string(&Encoding::Utf16Le)?, "\"utf-16le\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Encoding {
    /// UTF-8, with or without a byte-order mark.
    #[serde(rename = "utf-8")]
    Utf8,
    /// UTF-16 with a byte-order mark, the low byte first.
    #[serde(rename = "utf-16le")]
    Utf16Le,
    /// UTF-16 with a byte-order mark, the high byte first.
    #[serde(rename = "utf-16be")]
    Utf16Be,
    /// Text in an unknown encoding; what is not UTF-8 is shown as `�`.
    #[serde(rename = "unknown")]
    Unknown,
    /// No text; the bytes are shown in hexadecimal.
    #[serde(rename = "binary")]
    Binary,
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
}

/// UTF-16 without its mark as text; a half that stands alone becomes `�`.
pub(crate) fn from_utf16(bytes: &[u8], encoding: Encoding) -> String {
    let units = bytes.chunks_exact(2).map(|pair| match *pair {
        [first, second] if encoding == Encoding::Utf16Be => u16::from_be_bytes([first, second]),
        [first, second] => u16::from_le_bytes([first, second]),
        _ => 0,
    });
    char::decode_utf16(units)
        .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// Text as UTF-16 with its mark.
pub(crate) fn to_utf16(text: &str, encoding: Encoding) -> Vec<u8> {
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    if encoding == Encoding::Utf16Be {
        units.flat_map(u16::to_be_bytes).collect()
    } else {
        units.flat_map(u16::to_le_bytes).collect()
    }
}

/// Bytes that were cut anywhere as text, without half a letter at the end; and whether they are UTF-8.
pub(crate) fn from_utf8(bytes: Vec<u8>, was_cut: bool) -> (String, bool) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, true),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let half_letter = was_cut && error.utf8_error().error_len().is_none();
            let mut bytes = error.into_bytes();
            if half_letter {
                bytes.truncate(valid);
            }
            (String::from_utf8_lossy(&bytes).into_owned(), half_letter)
        }
    }
}

/// At most 1 KB of bytes in hexadecimal, sixteen on a line with their place and their letters.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let lines: Vec<String> = bytes
        .chunks(16)
        .enumerate()
        .map(|(row, line)| {
            let digits: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
            let letters: String = line.iter().map(|byte| letter(*byte)).collect();
            format!("{:08x}  {:<47}  |{letters}|", row * 16, digits.join(" "))
        })
        .collect();
    lines.join("\n")
}

fn letter(byte: u8) -> char {
    if byte.is_ascii_graphic() || byte == b' ' {
        char::from(byte)
    } else {
        '.'
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
    fn utf_16_comes_back_as_it_was() {
        for encoding in [Encoding::Utf16Le, Encoding::Utf16Be] {
            let bytes = to_utf16("aé😀\r\n", encoding);

            assert_eq!(from_utf16(&bytes[2..], encoding), "aé😀\r\n");
        }
    }

    #[test]
    fn a_letter_that_was_cut_is_left_out_and_a_wrong_one_is_shown() {
        assert_eq!(from_utf8(b"a\xC3".to_vec(), true), ("a".to_owned(), true));
        assert_eq!(
            from_utf8(b"a\xE9b".to_vec(), true),
            ("a\u{fffd}b".to_owned(), false)
        );
    }

    #[test]
    fn bytes_are_shown_with_place_and_letters() {
        assert_eq!(
            hex(b"\x7fELF\0"),
            format!("00000000  7f 45 4c 46 00{}  |.ELF.|", " ".repeat(33))
        );
    }
}
