//! From bytes to text.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

use super::encoding::LegacyEncoding;
pub(crate) use super::encoding::{Encoding, LOOKED_AT};

/// How much is looked at to guess an encoding.
const GUESSED_FROM: usize = 256 * 1024;
/// Of a text that is not Unicode, at most one byte in so many is a control character.
const ONE_CONTROL_IN: usize = 20;

/// What a beginning without a byte-order mark says beyond [`Encoding::of_beginning`]: UTF-16 has NULs too, and bytes
/// without NUL may be no text all the same.
pub(crate) fn unmarked(beginning: &[u8], found: Encoding) -> Encoding {
    let looked_at = beginning.get(..LOOKED_AT).unwrap_or(beginning);
    match found {
        Encoding::Binary => unmarked_utf16(looked_at).unwrap_or(Encoding::Binary),
        Encoding::Utf8 if is_noise(looked_at) => Encoding::Binary,
        other => other,
    }
}

/// The byte order of what reads as UTF-16 of a script with Latin letters or blanks: NULs nearly all on one side, and
/// no control characters.
fn unmarked_utf16(bytes: &[u8]) -> Option<Encoding> {
    let even = bytes.get(..bytes.len() - bytes.len() % 2).unwrap_or(bytes);
    let nuls = |side: usize| {
        even.iter()
            .skip(side)
            .step_by(2)
            .filter(|byte| **byte == 0)
            .count()
    };
    let enough = (even.len() / 5).max(3);
    let encoding = match (nuls(0), nuls(1)) {
        (few, many) if many >= enough && few * 8 <= many => Encoding::Utf16Le,
        (many, few) if many >= enough && few * 8 <= many => Encoding::Utf16Be,
        _ => return None,
    };
    let text = from_utf16(even, encoding);
    // The piece may end within a pair of halves.
    let whole = text
        .strip_suffix(char::REPLACEMENT_CHARACTER)
        .unwrap_or(&text);
    let odd = |letter: char| {
        letter == char::REPLACEMENT_CHARACTER
            || (letter.is_control() && !matches!(letter, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}'))
    };
    (!whole.contains(odd)).then_some(encoding)
}

/// Whether bytes that are not UTF-8 have too many control characters for a text.
fn is_noise(bytes: &[u8]) -> bool {
    let is_control = |byte: &&u8| {
        matches!(byte, 0..0x20 | 0x7F) && !matches!(byte, b'\t' | b'\n' | b'\r' | 0xC | 0x1B)
    };
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_some() => {
            bytes.iter().filter(is_control).count() * ONE_CONTROL_IN > bytes.len()
        }
        _ => false,
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

/// Text as UTF-16 without a mark.
pub(super) fn to_utf16(text: &str, encoding: Encoding) -> Vec<u8> {
    let units = text.encode_utf16();
    if encoding == Encoding::Utf16Be {
        units.flat_map(u16::to_be_bytes).collect()
    } else {
        units.flat_map(u16::to_le_bytes).collect()
    }
}

/// Bytes that were cut anywhere as text, without half a letter at the end; what is not UTF-8 is read in the encoding
/// that is most likely.
pub(crate) fn from_any(bytes: Vec<u8>, was_cut: bool) -> (String, Encoding) {
    match from_utf8(bytes, was_cut) {
        Ok(text) => (text, Encoding::Utf8),
        Err(bytes) => match guess(&bytes, was_cut) {
            Some((text, encoding)) => (text, Encoding::Legacy(encoding)),
            None => (lossy(&bytes), Encoding::Unknown),
        },
    }
}

/// Bytes that were cut anywhere as text, without half a letter at the end; the bytes themselves where they are not UTF-8.
pub(super) fn from_utf8(bytes: Vec<u8>, was_cut: bool) -> Result<String, Vec<u8>> {
    String::from_utf8(bytes).or_else(|error| {
        let valid = error.utf8_error().valid_up_to();
        let half_letter = was_cut && error.utf8_error().error_len().is_none();
        let mut bytes = error.into_bytes();
        if half_letter {
            bytes.truncate(valid);
        }
        String::from_utf8(bytes).map_err(std::string::FromUtf8Error::into_bytes)
    })
}

pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads what is not UTF-8 in the encoding that is most likely; `None` where it is damaged UTF-8, or nothing fits.
pub(super) fn guess(bytes: &[u8], was_cut: bool) -> Option<(String, LegacyEncoding)> {
    let start = bytes.iter().position(|byte| !byte.is_ascii())?;
    let rest = bytes.get(start..).unwrap_or_default();
    let sample = rest.get(..GUESSED_FROM).unwrap_or(rest);
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
    (!had_errors).then_some((text, LegacyEncoding(encoding)))
}

/// Whether there are more whole letters of UTF-8 beyond ASCII than wrong places.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let (mut letters, mut wrong) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        letters += chunk
            .valid()
            .chars()
            .filter(|letter| !letter.is_ascii())
            .count();
        wrong += usize::from(!chunk.invalid().is_empty());
    }
    letters > wrong
}

/// Bytes in hexadecimal, sixteen on a line with their place and their letters.
pub(super) fn hex(bytes: &[u8]) -> String {
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
    fn utf_16_comes_back_as_it_was() {
        for encoding in [Encoding::Utf16Le, Encoding::Utf16Be] {
            let bytes = to_utf16("aé😀\r\n", encoding);

            assert_eq!(from_utf16(&bytes, encoding), "aé😀\r\n");
        }
    }

    #[test]
    fn a_letter_that_was_cut_is_left_out() {
        assert_eq!(from_utf8(b"a\xC3".to_vec(), true), Ok("a".to_owned()));
        assert_eq!(from_utf8(b"a\xC3".to_vec(), false), Err(b"a\xC3".to_vec()));
        assert_eq!(
            from_utf8(b"\xE9a\xC3".to_vec(), true),
            Err(b"\xE9a\xC3".to_vec())
        );
    }

    #[test]
    fn what_is_not_utf_8_is_read_as_what_it_most_likely_is() {
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
    fn utf_16_without_a_mark_is_told_from_binary() {
        let le = |text: &str| to_utf16(text, Encoding::Utf16Le);
        for (bytes, expected) in [
            (le("Hello\r\n"), Encoding::Utf16Le),
            (
                to_utf16("Hello, Wörld\n", Encoding::Utf16Be),
                Encoding::Utf16Be,
            ),
            (b"a\0bc".to_vec(), Encoding::Binary),
            (le("日本語 and some Latin letters\n"), Encoding::Utf16Le),
            (le("smile 😀")[..15].to_vec(), Encoding::Utf16Le),
            (b"a\0b\0\x01\0c\0".to_vec(), Encoding::Binary),
            (b"\x7fELF\x02\x01\x01\0\0\0\0\0".to_vec(), Encoding::Binary),
            (
                b"a\0".repeat(4).into_iter().chain(*b"\0\0").collect(),
                Encoding::Binary,
            ),
            (b"one NUL\0 only".to_vec(), Encoding::Binary),
        ] {
            let (found, _) = Encoding::of_beginning(&bytes);

            assert_eq!(unmarked(&bytes, found), expected, "{bytes:?}");
        }
    }

    #[test]
    fn noise_without_nul_is_binary_and_old_text_is_not() {
        let noise: Vec<u8> = (1..=255).rev().cycle().take(2000).collect();
        for (bytes, expected) in [
            (noise.as_slice(), Encoding::Binary),
            (b"caf\xE9\tau\r\nlait", Encoding::Utf8),
            (b"\x1b[1mbold\x1b[0m\x07", Encoding::Utf8),
        ] {
            assert_eq!(unmarked(bytes, Encoding::Utf8), expected);
        }
    }

    #[test]
    fn bytes_are_shown_with_place_and_letters() {
        assert_eq!(
            hex(b"\x7fELF\0"),
            format!("00000000  7f 45 4c 46 00{}  |.ELF.|", " ".repeat(33))
        );
    }
}
