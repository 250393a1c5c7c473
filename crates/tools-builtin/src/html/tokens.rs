//! HTML as a row of tags and texts, by the tokenizer of the HTML Standard.

use memchr::{memchr, memmem};

use super::tag::{RawText, Tag};

/// One attribute as it is written: its name in any case, its value with its character references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Attribute<'a> {
    pub(super) name: &'a str,
    pub(super) value: &'a str,
}

/// What is next in the source. The attributes of a start tag are in [`Tokens::attributes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Text with its character references.
    Text(&'a str),
    /// Text of a CDATA section.
    Literal(&'a str),
    Start {
        tag: Tag,
        is_closed: bool,
    },
    End(Tag),
}

/// Reads a source from its start to its end, each byte once.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    source: &'a str,
    at: usize,
    /// Where the last token began.
    #[cfg(feature = "article")]
    start: usize,
    attributes: Vec<Attribute<'a>>,
    has_sections: bool,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self {
            source,
            at: 0,
            #[cfg(feature = "article")]
            start: 0,
            attributes: Vec::new(),
            has_sections: false,
        }
    }

    /// Whether `<![CDATA[` begins a text, as it does in SVG and `MathML`, and not a comment.
    pub(super) fn has_sections(&mut self, yes: bool) {
        self.has_sections = yes;
    }

    /// The attributes of the last start tag.
    pub(super) fn attributes(&self) -> &[Attribute<'a>] {
        &self.attributes
    }

    /// The last token as it is written.
    #[cfg(feature = "article")]
    pub(super) fn written(&self) -> &'a str {
        self.source.get(self.start..self.at).unwrap_or_default()
    }

    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.source.as_bytes().get(at).copied()
    }

    /// Moves to a place and gives what was passed over. Places are those of ASCII letters, or the end.
    fn take_to(&mut self, end: usize) -> &'a str {
        let taken = self.source.get(self.at..end).unwrap_or_default();
        self.at = end;
        taken
    }

    /// Everything that is left: the content of `<plaintext>`.
    pub(super) fn take_rest(&mut self) -> &'a str {
        self.take_to(self.source.len())
    }

    /// The text up to the end tag of an element that holds text only; the end tag is passed over.
    pub(super) fn take_raw(&mut self, tag: Tag, raw: RawText) -> &'a str {
        let rest = self.rest();
        let end = raw_end(rest, tag, raw == RawText::Script).unwrap_or(rest.len());
        let text = self.take_to(self.at + end);
        if self.at < self.source.len() {
            let _ = self.next();
        }
        text
    }

    /// A comment, a document type or the like: where it ends.
    fn declaration_end(&self) -> usize {
        let rest = self.rest();
        let length = match rest.strip_prefix("<!--") {
            Some(comment) => 4 + comment_end(comment),
            None => memchr(b'>', rest.as_bytes()).map_or(rest.len(), |end| end + 1),
        };
        self.at + length
    }

    /// What begins with `<`, where it is no text.
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

    /// The name and attributes of a tag, and whether it ends in `/>`; nothing where the source ends in it.
    fn tag(&mut self) -> Option<(Tag, bool)> {
        self.attributes.clear();
        let tag = Tag::of(self.take_while(|byte| !is_blank(byte) && !matches!(byte, b'/' | b'>')));
        loop {
            self.take_while(is_blank);
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
        // An equals sign in front belongs to the name.
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

    /// Where the text ends that begins here: at the next `<` that begins markup.
    fn text_end(&self) -> usize {
        let mut from = self.at;
        loop {
            let rest = self.source.as_bytes().get(from..).unwrap_or_default();
            let Some(found) = memchr(b'<', rest) else {
                return self.source.len();
            };
            let place = from + found;
            let begins = match self.byte(place + 1) {
                // An end of the source behind the slash leaves both as text.
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
            #[cfg(feature = "article")]
            {
                self.start = self.at;
            }
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

/// Where a comment ends, counted from behind its `<!--`.
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

/// Where the end tag of an element begins that holds text only.
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

/// How deep a script stands in a comment: an end tag of a script in a comment in a script does not end the outer one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escaped {
    No,
    Comment,
    Script,
}

/// Whether a tag of this name is written here.
fn names(bytes: &[u8], tag: Tag) -> bool {
    let end = bytes
        .iter()
        .take(16)
        .position(|byte| is_blank(*byte) || matches!(byte, b'/' | b'>'));
    let name = end.and_then(|end| std::str::from_utf8(bytes.get(..end)?).ok());
    name.is_some_and(|name| Tag::of(name) == tag)
}
