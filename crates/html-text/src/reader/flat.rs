//! Visible HTML with limited nesting, as input for a tree builder.

use super::{Content, Reader};
use crate::tag::Tag;
use crate::tokens::{Attribute, Token, Tokens};

/// Maximum nesting depth of the output.
const MAX_OPEN: usize = 64;
/// Maximum number of active formatting elements, which a tree builder repeats in each block.
const MAX_FORMATS: usize = 8;

/// Returns the visible tags and text of a page as written, or `None` if they exceed a limit.
pub(crate) fn flattened(html: &str, max_bytes: usize, max_elements: usize) -> Option<String> {
    let mut tokens = Tokens::new(html);
    let mut flat = Flat {
        reader: Reader::default(),
        text: String::new(),
        hidden_at: None,
        elements: 0,
    };
    while let Some(token) = tokens.next() {
        flat.token(token, &mut tokens);
        // Only the written HTML is used.
        flat.reader.document.events.clear();
        if flat.text.len() > max_bytes || flat.elements > max_elements {
            return None;
        }
    }
    Some(flat.text)
}

struct Flat<'a> {
    reader: Reader<'a>,
    text: String,
    /// Number of open elements before the hidden one.
    hidden_at: Option<usize>,
    elements: usize,
}

impl<'a> Flat<'a> {
    fn token(&mut self, token: Token<'a>, tokens: &mut Tokens<'a>) {
        let written = tokens.written();
        match token {
            Token::Text(text) if self.reader.is_seen() => self.text.push_str(text),
            Token::Text(_) | Token::Literal(_) => {}
            Token::End(tag) => self.end(tag, written),
            Token::Start { tag, is_closed } => {
                match self.start(tag, is_closed, tokens.attributes(), written) {
                    Content::Html => {}
                    Content::Plaintext => {
                        tokens.take_rest();
                    }
                    Content::Raw(raw) => {
                        let text = tokens.take_raw(tag, raw);
                        if tag == Tag::Title
                            && !self.text.contains("<title>")
                            && self.reader.is_seen()
                        {
                            self.text.push_str("<title>");
                            self.text.push_str(text);
                            self.text.push_str("</title>");
                        }
                    }
                }
            }
        }
        tokens.has_sections(self.reader.is_in_foreign());
    }

    fn start(
        &mut self,
        tag: Tag,
        is_closed: bool,
        attributes: &[Attribute<'a>],
        written: &str,
    ) -> Content {
        let was_seen = self.reader.is_seen();
        let before = self.reader.open.len();
        let then = self.reader.start(tag, is_closed, attributes);
        let is_seen = self.reader.is_seen();
        if was_seen && !is_seen {
            self.hidden_at = Some(before.min(self.reader.open.len().saturating_sub(1)));
        }
        let is_flat =
            self.reader.open.len() <= MAX_OPEN && self.reader.formats.count() <= MAX_FORMATS;
        let is_shown = !matches!(then, Content::Raw(_) | Content::Plaintext)
            && !matches!(tag, Tag::Svg | Tag::Math);
        if is_seen && is_shown && (is_flat || tag.is_void()) {
            self.elements += 1;
            self.text.push_str(written);
        }
        then
    }

    fn end(&mut self, tag: Tag, written: &str) {
        let was_seen = self.reader.is_seen();
        let before = (self.reader.open.len(), self.reader.formats.count());
        self.reader.end(tag);
        let after = (self.reader.open.len(), self.reader.formats.count());
        if !self.reader.is_seen() {
            return;
        }
        let closes = match self.hidden_at.take() {
            Some(hidden_at) if !was_seen => after.0 < hidden_at,
            _ => before != after || matches!(tag, Tag::P | Tag::Br),
        };
        let was_written = before.0 <= MAX_OPEN || after.0 < MAX_OPEN;
        if closes && was_written {
            self.text.push_str(written);
        }
    }
}
