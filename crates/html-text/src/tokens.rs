//! Tokenizer of the HTML Standard.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::tag::{RawText, Tag};

/// Attribute as written, with character references in the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Attribute<'a> {
    pub(super) name: &'a str,
    pub(super) value: &'a str,
}

/// Token of the source. The attributes of a start tag are in [`Tokens::attributes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Text with character references.
    Text(&'a str),
    /// Text of a CDATA section.
    Literal(&'a str),
    Start {
        tag: Tag,
        is_closed: bool,
    },
    End(Tag),
}

/// Iterator over the tokens of a source. Reads each byte once.
#[derive(Debug, Default)]
pub(super) struct Tokens<'a> {
    source: &'a str,
    at: usize,
    /// Start of the last token.
    start: usize,
    attributes: Vec<Attribute<'a>>,
    has_sections: bool,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self {
            source,
            ..Self::default()
        }
    }

    /// Sets whether `<![CDATA[` starts a section, as in SVG and `MathML`, rather than a comment.
    pub(super) fn has_sections(&mut self, yes: bool) {
        self.has_sections = yes;
    }

    /// Returns the attributes of the last start tag.
    pub(super) fn attributes(&self) -> &[Attribute<'a>] {
        &self.attributes
    }

    /// Returns the source of the last token.
    pub(super) fn written(&self) -> &'a str {
        self.source.get(self.span()).unwrap_or_default()
    }

    /// Returns the place of the last token in the source.
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.at
    }

    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.source.as_bytes().get(at).copied()
    }

    /// Consumes the source up to `end`, which must be a character boundary.
    fn take_to(&mut self, end: usize) -> &'a str {
        let taken = self.source.get(self.at..end).unwrap_or_default();
        self.at = end;
        taken
    }

    /// Consumes the remaining source: the content of `<plaintext>`.
    pub(super) fn take_rest(&mut self) -> &'a str {
        self.take_to(self.source.len())
    }

    /// Consumes the text and end tag of a text-only element.
    pub(super) fn take_raw(&mut self, tag: Tag, raw: RawText) -> &'a str {
        let rest = self.rest();
        let end = raw_end(rest, tag, raw == RawText::Script).unwrap_or(rest.len());
        let text = self.take_to(self.at + end);
        if self.at < self.source.len() {
            let _ = self.next();
        }
        text
    }

    /// Returns the end of a comment, document type or processing instruction.
    fn declaration_end(&self) -> usize {
        let rest = self.rest();
        let length = match rest.strip_prefix("<!--") {
            Some(comment) => 4 + comment_end(comment),
            None => memchr(b'>', rest.as_bytes()).map_or(rest.len(), |end| end + 1),
        };
        self.at + length
    }

    /// Reads a token that starts with `<`. Returns `None` for comments and the like.
    fn markup(&mut self) -> Option<Token<'a>> {
        let second = self.byte(self.at + 1);
        match second {
            Some(b'!') if self.has_sections && self.rest().starts_with("<![CDATA[") => {
                self.at += 9;
                let rest = self.rest();
                let end = memmem::find(rest.as_bytes(), b"]]>");
                let text = self.take_to(self.at + end.unwrap_or(rest.len()));
                self.at = (self.at + 3).min(self.source.len());
                Some(Token::Literal(text))
            }
            Some(b'/')
                if self
                    .byte(self.at + 2)
                    .is_some_and(|byte| byte.is_ascii_alphabetic()) =>
            {
                self.at += 2;
                let (tag, _) = self.tag()?;
                Some(Token::End(tag))
            }
            Some(b'a'..=b'z' | b'A'..=b'Z') => {
                self.at += 1;
                let (tag, is_closed) = self.tag()?;
                Some(Token::Start { tag, is_closed })
            }
            _ => {
                self.at = self.declaration_end();
                None
            }
        }
    }

    /// Reads the name and attributes of a tag, and whether it ends in `/>`. Returns `None` if the
    /// source ends first.
    fn tag(&mut self) -> Option<(Tag, bool)> {
        self.attributes.clear();
        let tag = Tag::of(self.take_while(|byte| !is_blank(byte) && !matches!(byte, b'/' | b'>')));
        loop {
            self.take_while(is_blank);
            // A tag that the end of the page cuts off is dropped, as in browsers.
            match self.byte(self.at)? {
                b'>' => {
                    self.at += 1;
                    return Some((tag, false));
                }
                b'/' if self.byte(self.at + 1) == Some(b'>') => {
                    self.at += 2;
                    return Some((tag, true));
                }
                b'/' => self.at += 1,
                _ => self.attribute()?,
            }
        }
    }

    fn attribute(&mut self) -> Option<()> {
        let start = self.at;
        // A leading equals sign is part of the name.
        self.at += 1;
        self.take_while(|byte| !is_blank(byte) && !matches!(byte, b'/' | b'>' | b'='));
        let name = self.source.get(start..self.at).unwrap_or_default();
        self.take_while(is_blank);
        let mut value = "";
        if self.byte(self.at)? == b'=' {
            self.at += 1;
            self.take_while(is_blank);
            value = match self.byte(self.at)? {
                quote @ (b'"' | b'\'') => {
                    self.at += 1;
                    let end = memchr(quote, self.rest().as_bytes());
                    let text = self.take_to(end.map_or(self.source.len(), |end| self.at + end));
                    self.at += 1;
                    text
                }
                _ => self.take_while(|byte| !is_blank(byte) && byte != b'>'),
            };
        }
        self.attributes.push(Attribute { name, value });
        Some(())
    }

    fn take_while(&mut self, is_part: impl Fn(u8) -> bool) -> &'a str {
        let bytes = self.source.as_bytes().get(self.at..).unwrap_or_default();
        let length = bytes.iter().position(|byte| !is_part(*byte));
        self.take_to(self.at + length.unwrap_or(bytes.len()))
    }

    /// Returns the position of the next `<` that starts markup.
    fn text_end(&self) -> usize {
        let mut from = self.at;
        loop {
            let rest = self.source.as_bytes().get(from..).unwrap_or_default();
            let Some(found) = memchr(b'<', rest) else {
                return self.source.len();
            };
            let place = from + found;
            let begins = match self.byte(place + 1) {
                // `</` at the end of the source is text.
                Some(b'/') => place + 2 < self.source.len(),
                Some(b'a'..=b'z' | b'A'..=b'Z' | b'!' | b'?') => true,
                _ => false,
            };
            if begins {
                return place;
            }
            from = place + 1;
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        while self.at < self.source.len() {
            self.start = self.at;
            let end = self.text_end();
            if end > self.at {
                return Some(Token::Text(self.take_to(end)));
            }
            if let Some(token) = self.markup() {
                return Some(token);
            }
        }
        None
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0xC)
}

/// Returns the length of a comment after its `<!--`.
fn comment_end(comment: &str) -> usize {
    if comment.starts_with('>') {
        return 1;
    }
    if comment.starts_with("->") {
        return 2;
    }
    let bytes = comment.as_bytes();
    let Some(mut from) = memmem::find(bytes, b"--") else {
        return comment.len();
    };
    loop {
        let behind = bytes.get(from + 2..).unwrap_or_default();
        match behind {
            [b'>', ..] => return from + 3,
            [b'!', b'>', ..] => return from + 4,
            [b'-', ..] => from += 1,
            _ => match memmem::find(behind, b"--") {
                Some(next) => from += 2 + next,
                None => return comment.len(),
            },
        }
    }
}

/// Returns the position of the end tag of a text-only element.
fn raw_end(rest: &str, tag: Tag, is_script: bool) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut escaped = Escaped::No;
    let mut from = 0;
    loop {
        let place = from + memchr(b'<', bytes.get(from..)?)?;
        if is_script && escaped != Escaped::No {
            let passed = bytes.get(from.saturating_sub(2)..place).unwrap_or_default();
            if memmem::find(passed, b"-->").is_some() {
                escaped = Escaped::No;
            }
        }
        from = place + 1;
        let behind = bytes.get(from..)?;
        match behind.first()? {
            b'/' if names(behind.get(1..)?, tag) => {
                if escaped != Escaped::Script {
                    return Some(place);
                }
                escaped = Escaped::Comment;
            }
            b'!' if is_script && escaped == Escaped::No && behind.starts_with(b"!--") => {
                escaped = Escaped::Comment;
            }
            _ if is_script && escaped == Escaped::Comment && names(behind, tag) => {
                escaped = Escaped::Script;
            }
            _ => {}
        }
    }
}

/// Comment state of a script: a nested `<script>` in a comment does not end the outer one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escaped {
    No,
    Comment,
    Script,
}

/// Returns whether `bytes` start with the name of `tag`.
fn names(bytes: &[u8], tag: Tag) -> bool {
    let end = bytes
        .iter()
        .take(16)
        .position(|byte| is_blank(*byte) || matches!(byte, b'/' | b'>'));
    let name = end.and_then(|end| std::str::from_utf8(bytes.get(..end)?).ok());
    name.is_some_and(|name| Tag::of(name) == tag)
}
