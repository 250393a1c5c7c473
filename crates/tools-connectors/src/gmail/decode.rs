//! Decoding of bodies.

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Error for a body that is not base64.
///
/// # Examples
/// ```
/// use tools_connectors::gmail::decode_body;
///
/// let error = decode_body("%").unwrap_err();
/// assert_eq!(error.to_string(), "the body is not valid base64");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the body is not valid base64")]
pub struct InvalidBody;

/// Decodes the body of a part from base64url, with or without padding. Also accepts the characters
/// of plain base64, newlines and spaces.
///
/// # Errors
/// Returns [`InvalidBody`] if `data` contains other characters or has an impossible length.
///
/// # Examples
/// ```
/// use tools_connectors::gmail::decode_body;
///
/// assert_eq!(decode_body("w6Q_")?, "ä?".as_bytes());
/// assert_eq!(decode_body("w6Q/\r\n")?, "ä?".as_bytes());
/// # Ok::<_, tools_connectors::gmail::InvalidBody>(())
/// ```
pub fn decode_body(data: &str) -> Result<Vec<u8>, InvalidBody> {
    let is_clean = |c: char| !matches!(c, '+' | '/' | ' ' | '\t' | '\r' | '\n');
    let data: Cow<'_, str> = if data.chars().all(is_clean) {
        Cow::Borrowed(data)
    } else {
        let characters = data.chars().filter(|c| !c.is_ascii_whitespace());
        let mapped = characters.map(|c| match c {
            '+' => '-',
            '/' => '_',
            other => other,
        });
        Cow::Owned(mapped.collect())
    };
    LENIENT.decode(data.as_bytes()).map_err(|_| InvalidBody)
}

/// Decodes the bytes of a text part.
///
/// Gmail converts bodies to UTF-8 but keeps the original charset in the header, so bytes that are
/// UTF-8 with non-ASCII characters are UTF-8 regardless of the header.
pub(super) fn decode_text(bytes: Vec<u8>, content_type: Option<&str>) -> String {
    // Large bodies are not copied.
    match String::from_utf8(bytes) {
        Ok(mut text) if !text.is_ascii() || !is_escaped(text.as_bytes(), content_type) => {
            if text.starts_with('\u{feff}') {
                text.drain(..'\u{feff}'.len_utf8());
            }
            text
        }
        Ok(text) => html_text::decode(text.as_bytes(), content_type).text,
        Err(error) => html_text::decode(error.as_bytes(), content_type).text,
    }
}

/// Returns whether ASCII bytes contain escape sequences of a declared ISO-2022 charset.
fn is_escaped(bytes: &[u8], content_type: Option<&str>) -> bool {
    let declared = content_type.unwrap_or_default().to_ascii_lowercase();
    declared.contains("iso-2022-") && bytes.contains(&0x1b)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decodes_base64_variants() {
        for (data, bytes) in [
            ("", &b""[..]),
            ("aGVsbG8", b"hello"),
            ("aGVsbG8=", b"hello"),
            ("aGVs\r\n bG8=", b"hello"),
            ("--__", b"\xfb\xef\xff"),
            ("++//", b"\xfb\xef\xff"),
            ("aGVsbG9", b"hello"),
        ] {
            assert_eq!(decode_body(data).as_deref(), Ok(bytes), "{data}");
        }
        for data in ["a", "a%b", "ä", "====", "aGVsb=G8"] {
            assert_eq!(decode_body(data), Err(InvalidBody), "{data}");
        }
    }

    #[test]
    fn decodes_charsets() {
        let japanese = b"\x1b$B$3$s\x1b(B";
        for (bytes, content_type, text) in [
            ("こん".as_bytes(), "text/plain; charset=ISO-2022-JP", "こん"),
            (&japanese[..], "text/plain; charset=\"iso-2022-jp\"", "こん"),
            (
                b"caf\xe9 \x80",
                "text/plain; charset=windows-1252",
                "café €",
            ),
            (b"caf\xe9", "text/plain; charset=iso-8859-1", "café"),
            (
                b"\xcf\xf0\xe8\xe2\xe5\xf2",
                "text/plain; charset=windows-1251",
                "Привет",
            ),
            (
                b"\xef\xbb\xbfplain",
                "text/plain; charset=us-ascii",
                "plain",
            ),
            (b"plain", "", "plain"),
        ] {
            let content_type = Some(content_type).filter(|value| !value.is_empty());

            let decoded = decode_text(bytes.to_vec(), content_type);
            assert_eq!(decoded, text, "{content_type:?}");
        }
    }

    #[test]
    fn decodes_18_charsets() {
        let charsets: [(&str, &[u8], &str); 18] = [
            ("utf-8", b"\x47\x72\xc3\xbc\xc3\x9f\x65", "Grüße"),
            ("iso-8859-1", b"\x47\x72\xfc\xdf\x65", "Grüße"),
            ("iso-8859-2", b"\x5a\x61\xbf\xf3\xb3\xe6", "Zażółć"),
            ("iso-8859-5", b"\xbf\xe0\xd8\xd2\xd5\xe2", "Привет"),
            (
                "iso-8859-7",
                b"\xca\xe1\xeb\xe7\xec\xdd\xf1\xe1",
                "Καλημέρα",
            ),
            ("iso-8859-15", b"\x31\x30\x20\xa4", "10 €"),
            ("windows-1250", b"\x50\xf8\xed\x6c\x69\x9a", "Příliš"),
            ("windows-1251", b"\xcf\xf0\xe8\xe2\xe5\xf2", "Привет"),
            ("windows-1252", b"\x93\x63\x61\x66\xe9\x94", "“café”"),
            (
                "windows-1253",
                b"\xca\xe1\xeb\xe7\xec\xdd\xf1\xe1",
                "Καλημέρα",
            ),
            (
                "windows-1254",
                b"\x47\xfc\x6e\x61\x79\x64\xfd\x6e",
                "Günaydın",
            ),
            ("koi8-r", b"\xf0\xd2\xc9\xd7\xc5\xd4", "Привет"),
            (
                "shift_jis",
                b"\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd",
                "こんにちは",
            ),
            (
                "euc-jp",
                b"\xa4\xb3\xa4\xf3\xa4\xcb\xa4\xc1\xa4\xcf",
                "こんにちは",
            ),
            (
                "iso-2022-jp",
                b"\x1b\x24\x42\x24\x33\x24\x73\x24\x4b\x24\x41\x24\x4f\x1b\x28\x42",
                "こんにちは",
            ),
            ("gbk", b"\xc4\xe3\xba\xc3", "你好"),
            ("big5", b"\xa7\x41\xa6\x6e", "你好"),
            (
                "euc-kr",
                b"\xbe\xc8\xb3\xe7\xc7\xcf\xbc\xbc\xbf\xe4",
                "안녕하세요",
            ),
        ];
        for (charset, bytes, text) in charsets {
            let content_type = format!("text/plain; charset={charset}");

            assert_eq!(
                decode_text(bytes.to_vec(), Some(&content_type)),
                text,
                "{charset}"
            );
            // Gmail converts the body, and keeps the header.
            let converted = decode_text(text.as_bytes().to_vec(), Some(&content_type));
            assert_eq!(converted, text, "{charset}");
        }
    }

    proptest! {
        #[test]
        fn decodes_all_bytes(bytes: Vec<u8>, content_type in "(text/(html|plain); charset=[a-z0-9-]{0,12})?") {
            let data = LENIENT.encode(&bytes);

            prop_assert_eq!(decode_body(&data), Ok(bytes.clone()));
            let _ = decode_text(bytes, Some(&content_type));
        }
    }
}
