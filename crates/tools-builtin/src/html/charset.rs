//! From the bytes of a page to text.

mod prescan;
#[cfg(test)]
mod tests;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// How many bytes are looked at to guess an encoding.
const GUESSED_FROM: usize = 256 * 1024;

/// The text of a page, and how it was found.
///
/// # Examples
/// ```
/// use tools_builtin::html::{self, EncodingSource};
///
/// let decoded = html::decode(b"<meta charset=koi8-r>\xF0\xD2\xC9\xD7\xC5\xD4", None);
/// assert!(decoded.text.ends_with("Привет"));
/// assert_eq!(decoded.encoding, "koi8-r");
/// assert_eq!(decoded.source, EncodingSource::Meta);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decoded {
    /// The text, without a byte-order mark.
    pub text: String,
    /// The name of the encoding in small letters, as the WHATWG Encoding Standard has it, such as `utf-8`.
    pub encoding: String,
    /// Who said so.
    pub source: EncodingSource,
    /// Whether some bytes were no letters in this encoding and stand as `�`.
    pub had_errors: bool,
}

/// What told the encoding of a page, in order of precedence.
///
/// # Examples
/// ```
/// use tools_builtin::html::{self, EncodingSource};
///
/// let decoded = html::decode(b"\xEF\xBB\xBFtea", Some("text/html; charset=windows-1251"));
/// assert_eq!(decoded.source, EncodingSource::ByteOrderMark);
/// assert_eq!(html::decode(b"tea", None).source, EncodingSource::Content);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EncodingSource {
    /// The first bytes.
    ByteOrderMark,
    /// The `charset` of the content type.
    Header,
    /// A `<meta>` in the first 1,024 bytes.
    Meta,
    /// A guess from the bytes; also where what was declared cannot be.
    Content,
}

/// The text of a page's bytes.
///
/// A byte-order mark decides; else the `charset` of `content_type` (the whole header, as it came), else a `<meta>` in the
/// first 1,024 bytes, else a guess. A declaration that the bytes contradict is not followed: UTF-8 that is none, and
/// another encoding of what is UTF-8 throughout, with letters beyond ASCII (16 of them where the encoding takes more than
/// one byte for a letter). Takes linear time.
#[must_use]
pub fn decode(bytes: &[u8], content_type: Option<&str>) -> Decoded {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        let rest = bytes.get(length..).unwrap_or_default();
        return read(rest, encoding, EncodingSource::ByteOrderMark);
    }
    let header = content_type.and_then(charset_of);
    let declared = match header {
        Some(encoding) => Some((encoding, EncodingSource::Header)),
        None => prescan::declared(bytes)
            .map(in_meta)
            .map(|encoding| (encoding, EncodingSource::Meta)),
    };
    match declared {
        Some((encoding, source)) if fits(bytes, encoding) => read(bytes, encoding, source),
        _ => read(bytes, guess(bytes), EncodingSource::Content),
    }
}

fn read(bytes: &[u8], encoding: &'static Encoding, source: EncodingSource) -> Decoded {
    let (text, had_errors) = encoding.decode_without_bom_handling(bytes);
    Decoded {
        text: text.into_owned(),
        encoding: encoding.name().to_ascii_lowercase(),
        source,
        had_errors,
    }
}

/// The `charset` parameter of a content type.
fn charset_of(content_type: &str) -> Option<&'static Encoding> {
    let mut parameters = content_type.split(';').skip(1);
    let label = parameters.find_map(|parameter| {
        let (key, value) = parameter.split_once('=')?;
        key.trim().eq_ignore_ascii_case("charset").then_some(value)
    })?;
    let label = label.trim().trim_matches(['"', '\'']);
    Encoding::for_label_no_replacement(label.as_bytes())
}

/// A page whose `<meta>` could be read is not in UTF-16, and `x-user-defined` there means what browsers make of it.
fn in_meta(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

/// Whether bytes can be what they are declared to be.
fn fits(bytes: &[u8], encoding: &'static Encoding) -> bool {
    if encoding == UTF_8 {
        return std::str::from_utf8(bytes).is_ok() || is_damaged_utf8(bytes);
    }
    if encoding == X_USER_DEFINED || encoding == UTF_16BE || encoding == UTF_16LE {
        return true;
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return true;
    };
    // Two bytes that are one letter in Chinese may by chance be one in UTF-8 too, but not every time.
    let proof = if encoding.is_single_byte() { 1 } else { 16 };
    let letters = text.chars().filter(|letter| !letter.is_ascii());
    letters.take(proof).count() < proof
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    if std::str::from_utf8(bytes).is_ok() || is_damaged_utf8(bytes) {
        return UTF_8;
    }
    let start = bytes
        .iter()
        .position(|byte| !byte.is_ascii() || *byte == 0x1B);
    let rest = bytes.get(start.unwrap_or_default()..).unwrap_or_default();
    let sample = rest.get(..GUESSED_FROM).unwrap_or(rest);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, sample.len() == rest.len());
    detector.guess(None, Utf8Detection::Deny)
}

/// Whether there are more whole letters of UTF-8 beyond ASCII than wrong places.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let (mut letters, mut wrong) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid().chars();
        letters += valid.filter(|letter| !letter.is_ascii()).count();
        wrong += usize::from(!chunk.invalid().is_empty());
    }
    letters > wrong
}
