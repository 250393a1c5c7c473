//! Character encoding detection and decoding.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::{memchr, memmem};

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
    let mut rest = bytes.get(..MAX_BYTES).unwrap_or(bytes);
    loop {
        rest = after(rest, b'<')?;
        if let Some(comment) = rest.strip_prefix(b"!--") {
            // The dashes that open a comment may also close it.
            let end = memmem::find(rest.get(1..)?, b"-->");
            rest = comment.get(end?..).unwrap_or_default();
            continue;
        }
        if matches!(rest.first(), Some(b'!' | b'?')) {
            rest = after(rest, b'>')?;
            continue;
        }
        let is_meta = rest
            .get(..4)
            .is_some_and(|name| name.eq_ignore_ascii_case(b"meta"))
            && rest
                .get(4)
                .is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'/');
        if !rest
            .first()
            .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'/')
        {
            continue;
        }
        let name = rest
            .iter()
            .position(|byte| byte.is_ascii_whitespace() || *byte == b'>')?;
        rest = rest.get(name.min(if is_meta { 4 } else { name })..)?;
        let mut meta = Meta::default();
        while let Some((name, value, behind)) = attribute(rest) {
            rest = behind;
            meta.see(&name, &value);
        }
        if let Some(encoding) = meta.encoding().filter(|_| is_meta) {
            return Some(encoding);
        }
    }
}

fn after(bytes: &[u8], end: u8) -> Option<&[u8]> {
    bytes.get(memchr(end, bytes)? + 1..)
}

/// Encoding attributes of a `<meta>` element.
#[derive(Default)]
struct Meta {
    charset: Option<&'static Encoding>,
    content: Option<&'static Encoding>,
    is_content_type: bool,
}

impl Meta {
    fn see(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"charset" if self.charset.is_none() => {
                self.charset = Encoding::for_label_no_replacement(value);
            }
            b"content" if self.content.is_none() => self.content = in_content(value),
            b"http-equiv" => self.is_content_type |= value == b"content-type",
            _ => {}
        }
    }

    fn encoding(&self) -> Option<&'static Encoding> {
        self.charset
            .or(self.content.filter(|_| self.is_content_type))
    }
}

/// Returns the encoding in a lowercase `content` value.
fn in_content(value: &[u8]) -> Option<&'static Encoding> {
    let mut rest = value;
    loop {
        let start = memmem::find(rest, b"charset")?;
        rest = rest.get(start + 7..)?.trim_ascii_start();
        let Some(label) = rest.strip_prefix(b"=") else {
            continue;
        };
        let label = label.trim_ascii_start();
        let quote = label.first().filter(|first| matches!(first, b'"' | b'\''));
        let label = if let Some(quote) = quote {
            let quoted = label.get(1..)?;
            quoted.get(..memchr(*quote, quoted)?)?
        } else {
            let ends = |byte: &u8| byte.is_ascii_whitespace() || *byte == b';';
            label.get(..label.iter().position(ends).unwrap_or(label.len()))?
        };
        return Encoding::for_label_no_replacement(label);
    }
}

/// Returns the lowercase name and value of the next attribute and the remaining bytes, or `None` at
/// the end of the tag.
fn attribute(bytes: &[u8]) -> Option<(Vec<u8>, Vec<u8>, &[u8])> {
    let is_blank = |byte: u8| byte.is_ascii_whitespace();
    let start = bytes
        .iter()
        .position(|byte| !is_blank(*byte) && *byte != b'/')?;
    let rest = bytes.get(start..)?;
    let name_end = rest
        .iter()
        .skip(1)
        .position(|byte| is_blank(*byte) || matches!(byte, b'=' | b'/' | b'>'))?
        + 1;
    if rest.first() == Some(&b'>') {
        return None;
    }
    let name = rest.get(..name_end)?.to_ascii_lowercase();
    let behind = rest.get(name_end..)?.trim_ascii_start();
    let Some(value) = behind.strip_prefix(b"=") else {
        return Some((name, Vec::new(), behind));
    };
    let value = value.trim_ascii_start();
    let (value, behind) = match value.first()? {
        quote @ (b'"' | b'\'') => {
            let quoted = value.get(1..)?;
            let end = memchr(*quote, quoted)?;
            (quoted.get(..end)?, quoted.get(end + 1..)?)
        }
        _ => value.split_at(
            value
                .iter()
                .position(|byte| is_blank(*byte) || *byte == b'>')?,
        ),
    };
    Some((name, value.to_ascii_lowercase(), behind))
}

#[cfg(test)]
mod tests;
