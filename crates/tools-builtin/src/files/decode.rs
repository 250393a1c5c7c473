//! Decoding of bytes to text, at once or while reading.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

pub(crate) use super::encoding::Encoding;

/// Maximum number of bytes used to guess an encoding.
const GUESSED_FROM: usize = 256 * 1024;

/// Decodes UTF-16 without a byte-order mark. Unpaired surrogates become `�`.
pub(crate) fn from_utf16(bytes: &[u8], encoding: Encoding) -> String {
    let (text, _) = encoding.byte_order().decode_without_bom_handling(bytes);
    text.into_owned()
}

/// Encodes text as UTF-16 without a byte-order mark.
pub(super) fn to_utf16(text: &str, encoding: Encoding) -> Vec<u8> {
    let units = text.encode_utf16();
    if encoding == Encoding::Utf16Be {
        units.flat_map(u16::to_be_bytes).collect()
    } else {
        units.flat_map(u16::to_le_bytes).collect()
    }
}

/// Decodes bytes that may be truncated, without a partial last character. Input that is not UTF-8
/// is decoded with the most likely encoding.
pub(crate) fn from_any(bytes: Vec<u8>, was_cut: bool) -> (String, Encoding) {
    match from_utf8(bytes, was_cut) {
        Ok(text) => (text, Encoding::Utf8),
        Err(bytes) => match guess(&bytes, was_cut) {
            Some((text, encoding)) => (text, Encoding::Legacy(encoding)),
            None => (lossy(&bytes), Encoding::Unknown),
        },
    }
}

/// Decodes UTF-8 that may be truncated, without a partial last character. Returns the bytes if they
/// are not UTF-8.
pub(super) fn from_utf8(bytes: Vec<u8>, was_cut: bool) -> Result<String, Vec<u8>> {
    String::from_utf8(bytes).or_else(|error| {
        let valid = error.utf8_error().valid_up_to();
        let partial_character = was_cut && error.utf8_error().error_len().is_none();
        let mut bytes = error.into_bytes();
        if partial_character {
            bytes.truncate(valid);
        }
        String::from_utf8(bytes).map_err(std::string::FromUtf8Error::into_bytes)
    })
}

pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Decodes input that is not UTF-8 with the most likely encoding. Returns `None` for damaged UTF-8,
/// or if no encoding fits.
pub(crate) fn guess(
    bytes: &[u8],
    was_cut: bool,
) -> Option<(String, &'static encoding_rs::Encoding)> {
    // ASCII is the same in all these encodings, so the sample starts at the first other byte.
    let start = bytes.iter().position(|byte| !byte.is_ascii())?;
    let rest = bytes.get(start..).unwrap_or_default();
    let sample = rest.get(..GUESSED_FROM).unwrap_or(rest);
    // Otherwise, one damaged byte would turn every character of a UTF-8 file into several wrong ones.
    if is_damaged_utf8(sample) {
        return None;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, !was_cut && sample.len() == rest.len());
    let encoding = detector.guess(None, Utf8Detection::Deny);
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::new();
    text.reserve(decoder.max_utf8_buffer_length(bytes.len())?);
    let (_, _, had_errors) = decoder.decode_to_string(bytes, &mut text, !was_cut);
    (!had_errors).then_some((text, encoding))
}

/// Returns whether there are at least as many valid non-ASCII characters as invalid sequences: text in another encoding
/// hardly ever contains one by chance.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let (mut characters, mut wrong) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid().chars();
        characters += valid.filter(|character| !character.is_ascii()).count();
        wrong += usize::from(!chunk.invalid().is_empty());
    }
    characters > 0 && characters >= wrong
}

/// Formats bytes in hexadecimal, sixteen per line, with offsets and an ASCII column.
pub(super) fn hex(bytes: &[u8]) -> String {
    let lines: Vec<String> = bytes
        .chunks(16)
        .enumerate()
        .map(|(row, line)| {
            let digits: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
            let characters: String = line.iter().map(|byte| character(*byte)).collect();
            format!("{:08x}  {:<47}  |{characters}|", row * 16, digits.join(" "))
        })
        .collect();
    lines.join("\n")
}

fn character(byte: u8) -> char {
    if byte.is_ascii_graphic() || byte == b' ' {
        char::from(byte)
    } else {
        '.'
    }
}

#[cfg(test)]
mod tests {
    use super::{to_utf16, *};

    #[test]
    fn utf16_round_trips() {
        for encoding in [Encoding::Utf16Le, Encoding::Utf16Be] {
            let bytes = to_utf16("aé😀\r\n", encoding);

            assert_eq!(from_utf16(&bytes, encoding), "aé😀\r\n");
        }
    }

    #[test]
    fn drops_truncated_character() {
        assert_eq!(from_utf8(b"a\xC3".to_vec(), true), Ok("a".to_owned()));
        assert_eq!(from_utf8(b"a\xC3".to_vec(), false), Err(b"a\xC3".to_vec()));
        assert_eq!(
            from_utf8(b"\xE9a\xC3".to_vec(), true),
            Err(b"\xE9a\xC3".to_vec())
        );
    }

    #[test]
    fn guesses_legacy_encodings() {
        for (bytes, text, label) in [
            (
                &b"caf\xE9 au lait, cr\xE8me"[..],
                "café au lait, crème",
                "windows-1252",
            ),
            (
                b"O\xF9 est l'\xE9t\xE9 ? \xC0 c\xF4t\xE9, d\xE9j\xE0 \x96 5 \x80",
                "Où est l'été ? À côté, déjà – 5 €",
                "windows-1252",
            ),
            (
                b"\x93\xFA\x96{\x8C\xEA\x82\xCC\x83e\x83L\x83X\x83g\x82\xC5\x82\xB7",
                "日本語のテキストです",
                "shift_jis",
            ),
            (
                b"\xCF\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0! \xCA\xE0\xEA \xE4\xE5\xEB\xE0?",
                "Привет, мир! Как дела?",
                "windows-1251",
            ),
            (
                "größe und maß, über fünf straßen \u{fffd}".as_bytes(),
                "größe und maß, über fünf straßen �",
                "utf-8",
            ),
            (b"gr\xC3\xB6sse \xE9", "grösse �", "unknown"),
            (
                b"gr\xC3\xB6\xC3\x9Fe \xE9 \xC3\xBCber",
                "größe � über",
                "unknown",
            ),
        ] {
            let (read, encoding) = from_any(bytes.to_vec(), false);

            assert_eq!(
                (read.as_str(), encoding.to_string().as_str()),
                (text, label)
            );
        }
    }

    #[test]
    fn formats_hex_dump() {
        assert_eq!(
            hex(b"\x7fELF\0"),
            format!("00000000  7f 45 4c 46 00{}  |.ELF.|", " ".repeat(33))
        );
    }

    #[test]
    fn replaces_unpaired_surrogates() {
        for (bytes, text) in [
            (&b"a\0\x00\xD8b\0"[..], "a\u{fffd}b"),
            (b"a\0b", "a\u{fffd}"),
        ] {
            assert_eq!(from_utf16(bytes, Encoding::Utf16Le), text);
        }
    }
}
