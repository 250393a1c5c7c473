//! Encoding declared by a `<meta>` element, by the prescan of the HTML Standard.

use encoding_rs::Encoding;
use memchr::{memchr, memmem};

/// Maximum number of bytes to scan.
const MAX_BYTES: usize = 1024;

/// Returns the first known encoding declared by a `<meta>` element.
pub(super) fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
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
