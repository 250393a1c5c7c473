//! Character encoding detection and decoding.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use crate::{Options, Tree};

/// Maximum number of bytes to guess the encoding from.
const MAX_GUESS_BYTES: usize = 256 * 1024;

/// Decoded text of a page.
///
/// # Examples
/// ```
/// use html_text as html;
///
/// let decoded = html::decode(b"<meta charset=koi8-r>\xF0\xD2\xC9\xD7\xC5\xD4", None);
/// assert!(decoded.text.ends_with("Привет"));
/// assert_eq!(decoded.encoding, "koi8-r");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decoded {
    /// Text without the byte-order mark.
    pub text: String,
    /// Name of the encoding in lowercase, as in the WHATWG Encoding Standard, such as `utf-8`.
    pub encoding: String,
    /// Whether invalid bytes were replaced with `�`.
    pub had_errors: bool,
}

/// Decodes the bytes of a page.
///
/// The encoding comes from the byte-order mark, the `charset` parameter of `content_type` (pass the
/// complete header value), a `<meta>` element in the first 1,024 bytes, or a guess, in this order.
///
/// Many servers declare the wrong encoding, so a declaration is ignored if the bytes contradict it:
/// the page is declared as UTF-8 but isn't valid UTF-8, or it's declared as another encoding but is
/// valid UTF-8 with at least one non-ASCII character (16 for multi-byte encodings).
///
/// Takes linear time and never fails: invalid bytes become `�`.
pub fn decode(bytes: &[u8], content_type: Option<&str>) -> Decoded {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        let rest = bytes.get(length..).unwrap_or_default();
        return read(rest, encoding);
    }
    let header = content_type.and_then(charset_of);
    let declared = header.or_else(|| declared(bytes).map(in_meta));
    let plausible = declared.filter(|encoding| fits(bytes, encoding));
    read(bytes, plausible.unwrap_or_else(|| guess(bytes)))
}

fn read(bytes: &[u8], encoding: &'static Encoding) -> Decoded {
    let (text, had_errors) = encoding.decode_without_bom_handling(bytes);
    Decoded {
        text: text.into_owned(),
        encoding: encoding.name().to_ascii_lowercase(),
        had_errors,
    }
}

fn charset_of(content_type: &str) -> Option<&'static Encoding> {
    let mut parameters = content_type.split(';').skip(1);
    let label = parameters.find_map(|parameter| {
        let (key, value) = parameter.split_once('=')?;
        key.trim().eq_ignore_ascii_case("charset").then_some(value)
    })?;
    let label = label.trim().trim_matches(['"', '\'']);
    Encoding::for_label_no_replacement(label.as_bytes())
}

/// A readable `<meta>` rules out UTF-16, and browsers treat `x-user-defined` as windows-1252.
fn in_meta(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

/// Returns whether the bytes are plausible in the declared encoding.
fn fits(bytes: &[u8], encoding: &'static Encoding) -> bool {
    if encoding == UTF_8 {
        return std::str::from_utf8(bytes).is_ok() || is_damaged_utf8(bytes);
    }
    // Almost any bytes are valid in these, so nothing can contradict the declaration.
    if encoding == X_USER_DEFINED || encoding == UTF_16BE || encoding == UTF_16LE {
        return true;
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return true;
    };
    // A two-byte character may be valid UTF-8 by chance, but not 16 times.
    let proof = if encoding.is_single_byte() { 1 } else { 16 };
    let letters = text.chars().filter(|letter| !letter.is_ascii());
    letters.take(proof).count() < proof
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    if std::str::from_utf8(bytes).is_ok() || is_damaged_utf8(bytes) {
        return UTF_8;
    }
    // The detector learns nothing from the ASCII markup at the start.
    let start = bytes
        .iter()
        .position(|byte| !byte.is_ascii() || *byte == 0x1B);
    let rest = bytes.get(start.unwrap_or_default()..).unwrap_or_default();
    let sample = rest.get(..MAX_GUESS_BYTES).unwrap_or(rest);
    // In ISO-2022-JP, ASCII bytes can mean other characters, so a guess could change the markup.
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, sample.len() == rest.len());
    detector.guess(None, Utf8Detection::Deny)
}

/// Returns whether there are more valid non-ASCII characters than invalid sequences.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let (mut letters, mut wrong) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid().chars();
        letters += valid.filter(|letter| !letter.is_ascii()).count();
        wrong += usize::from(!chunk.invalid().is_empty());
    }
    letters > wrong
}

/// Maximum number of bytes to scan.
const MAX_BYTES: usize = 1024;

/// Returns the first known encoding declared by a `<meta>` element.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    // Names and labels are ASCII in every encoding that is not known by its first bytes.
    let head = String::from_utf8_lossy(bytes.get(..MAX_BYTES).unwrap_or(bytes));
    let tree = Tree::new(&head, &Options::new());
    let mut metas = tree.elements().filter(|element| element.name() == "meta");
    metas.find_map(|meta| {
        let label = meta.attribute("charset").unwrap_or_default();
        Encoding::for_label_no_replacement(label.as_bytes()).or_else(|| {
            let kind = meta.attribute("http-equiv")?;
            let is_type = kind.eq_ignore_ascii_case("content-type");
            in_content(meta.attribute("content").filter(|_| is_type)?)
        })
    })
}

/// Returns the encoding in a `content` value.
fn in_content(value: &str) -> Option<&'static Encoding> {
    let value = value.to_ascii_lowercase();
    let label = value.match_indices("charset").find_map(|(at, name)| {
        let rest = value.get(at + name.len()..)?.trim_ascii_start();
        let label = rest.strip_prefix('=')?.trim_ascii_start();
        if label.starts_with(['"', '\'']) {
            return label.split(['"', '\'']).nth(1);
        }
        label
            .split(|end: char| end.is_ascii_whitespace() || end == ';')
            .next()
    })?;
    Encoding::for_label_no_replacement(label.as_bytes())
}

#[cfg(test)]
mod tests;
