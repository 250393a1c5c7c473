//! What a `<meta>` near the beginning says of the encoding, by the prescan of the HTML Standard.

use encoding_rs::Encoding;

/// How many bytes at the beginning are looked at.
const LOOKED_AT: usize = 1024;

/// The encoding that the first `<meta>` declares which names a known one.
pub(super) fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let mut rest = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    loop {
        let start = rest.iter().position(|byte| *byte == b'<')?;
        rest = rest.get(start + 1..)?;
        if let Some(comment) = rest.strip_prefix(b"!--") {
            // The dashes that open a comment may close it too.
            let end = rest.get(1..)?.windows(3).position(|end| end == b"-->");
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
    let end = bytes.iter().position(|byte| *byte == end)?;
    bytes.get(end + 1..)
}

/// What the attributes of one `<meta>` say.
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

/// The encoding in the value of `content`, which is in small letters.
fn in_content(value: &[u8]) -> Option<&'static Encoding> {
    let mut rest = value;
    loop {
        let start = rest.windows(7).position(|word| word == b"charset")?;
        rest = rest.get(start + 7..)?.trim_ascii_start();
        let Some(label) = rest.strip_prefix(b"=") else {
            continue;
        };
        let label = label.trim_ascii_start();
        let quote = label.first().filter(|first| matches!(first, b'"' | b'\''));
        let label = if let Some(quote) = quote {
            let quoted = label.get(1..)?;
            quoted.get(..quoted.iter().position(|byte| byte == quote)?)?
        } else {
            let ends = |byte: &u8| byte.is_ascii_whitespace() || *byte == b';';
            label.get(..label.iter().position(ends).unwrap_or(label.len()))?
        };
        return Encoding::for_label_no_replacement(label);
    }
}

/// Name and value of the next attribute in small letters, and what is behind; nothing at the end of the tag.
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
            let end = quoted.iter().position(|byte| byte == quote)?;
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
