//! Conversion of tokens to a [`Document`]. Follows the tree construction of the HTML Standard where
//! it affects the text, with a stack of bounded depth instead of a tree.

mod elements;
mod stack;
mod tags;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::time::Instant;

use memchr::memchr2_iter;

use super::document::{Document, Element, Event};
use super::hidden::Hidden;
use super::options::Options;
use super::tag::{RawText, Tag};
use super::tokens::{Attribute, Token, Tokens};
use elements::Formats;
use stack::{DeepElements, Open};

/// Number of tokens between two reads of the clock.
const TOKENS_PER_LOOK: usize = 1024;
/// Number of events after which a settled part of the document is passed on.
const EVENTS_PER_PIECE: usize = 4096;

/// Reads a page and passes it to `take` in chunks until `take` breaks. Memory is bounded by the
/// largest construct that is converted as a unit: a table or a `<pre>`.
pub(super) fn read<'a>(
    html: &'a str,
    options: &Options,
    mut take: impl FnMut(&Document<'a>) -> ControlFlow<()>,
) -> Document<'a> {
    let source = beginning(html, options.max_input_bytes);
    let mut tokens = Tokens::new(source);
    let mut reader = Reader {
        // A `<base>` also applies to links before it, so if there may be one, nothing is written
        // until it is read.
        awaits_base: options.base_url.is_some() && names_base(source),
        ..Reader::default()
    };
    let (mut count, mut taken) = (0_usize, 0_usize);
    while let Some(token) = tokens.next() {
        count += 1;
        let is_late = || {
            options
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
        };
        if taken + reader.document.events.len() >= options.max_nodes
            || (count.is_multiple_of(TOKENS_PER_LOOK) && is_late())
        {
            reader.document.truncated = true;
            break;
        }
        reader.token(token, &mut tokens);
        if reader.document.events.len() >= EVENTS_PER_PIECE && reader.is_settled() {
            taken += reader.document.events.len();
            let wants_more = take(&reader.document);
            reader.document.events.clear();
            if wants_more.is_break() {
                break;
            }
        }
    }
    reader.pop_to(0);
    reader.document.truncated |= source.len() < html.len();
    let _ = take(&reader.document);
    reader.document
}

/// Returns whether the page may contain a `<base>`, which also applies to earlier links.
fn names_base(source: &str) -> bool {
    let bytes = source.as_bytes();
    memchr2_iter(b'b', b'B', bytes).any(|place| {
        let from = place.saturating_sub(1);
        let name = bytes.get(from..place + 4).unwrap_or_default();
        name.eq_ignore_ascii_case(b"<base")
    })
}

/// Returns the longest prefix of at most `bytes` bytes.
fn beginning(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

/// State of the open elements.
#[derive(Debug, Default)]
struct Reader<'a> {
    document: Document<'a>,
    open: Vec<Open<'a>>,
    /// Open elements beyond the maximum depth.
    deeper: DeepElements,
    formats: Formats,
    hidden: Hidden,
    /// Open tables: indexes into [`Document::tables`].
    tables: Vec<u32>,
    /// Index of the event of the innermost `<pre>`.
    preformatted: Option<usize>,
    awaits_base: bool,
}

/// Action of the tokenizer after a start tag.
enum Content {
    Html,
    /// Read the content as text.
    Raw(RawText),
    /// Read the remaining source as text.
    Plaintext,
}

impl<'a> Reader<'a> {
    fn token(&mut self, token: Token<'a>, tokens: &mut Tokens<'a>) {
        match token {
            Token::Text(text) => self.text(text, false),
            Token::Literal(text) => self.text(text, true),
            Token::End(tag) => self.end(tag),
            Token::Start { tag, is_closed } => {
                match self.start(tag, is_closed, tokens.attributes()) {
                    Content::Html => {}
                    Content::Raw(raw) => {
                        let hidden = self.hidden.within(tokens.attributes());
                        let text = tokens.take_raw(tag, raw);
                        self.raw(tag, hidden, text);
                    }
                    Content::Plaintext => {
                        let text = tokens.take_rest();
                        self.text(text, true);
                    }
                }
            }
        }
        tokens.has_sections(self.is_in_foreign());
    }

    /// Adds text if it is visible.
    fn text(&mut self, text: &'a str, is_literal: bool) {
        if !self.is_seen() {
            return;
        }
        if let Some(table) = self.table() {
            table.add_text(text.len());
        }
        let format = self.formats.format();
        self.document.events.push(Event::Text {
            text,
            is_literal,
            format,
        });
    }

    /// Adds the content of a text-only element.
    fn raw(&mut self, tag: Tag, hidden: Hidden, text: &'a str) {
        match tag {
            Tag::Title if self.document.title.is_empty() => self.document.title = text,
            Tag::Noscript => tags::keep_first(&mut self.document.noscript, Some(text)),
            Tag::Script => self.document.has_script = true,
            Tag::Textarea if !hidden.is_hidden() => self.control(text),
            Tag::Xmp if !hidden.is_hidden() => {
                self.emit(Event::Open(Element::Preformatted { language: "" }));
                self.text(text, true);
                self.emit(Event::Close);
            }
            _ => {}
        }
    }

    /// Adds a form control.
    fn control(&mut self, text: &'a str) {
        self.emit(Event::Open(Element::Control));
        self.text(text, false);
        self.emit(Event::Close);
    }

    fn is_seen(&self) -> bool {
        !self.hidden.is_hidden() && !self.formats.is_hidden() && !self.deeper.is_hidden()
    }

    /// Adds an event other than text unless it is hidden.
    fn emit(&mut self, event: Event<'a>) {
        if !self.hidden.is_whole() && !self.deeper.is_hidden() {
            self.document.events.push(event);
        }
    }

    /// Returns the innermost table.
    fn table(&mut self) -> Option<&mut super::document::TableProperties> {
        let table = usize::try_from(*self.tables.last()?).ok()?;
        self.document.tables.get_mut(table)
    }

    /// Returns whether later tokens cannot change the meaning of the current events.
    fn is_settled(&self) -> bool {
        let knows_base = !self.awaits_base || !self.document.base.is_empty();
        // The columns of a table and the language of a `<pre>` are known only at the end.
        knows_base && self.preformatted.is_none() && self.tables.is_empty()
    }
}

/// Returns the value of an attribute as written.
fn value<'a>(attributes: &[Attribute<'a>], name: &str) -> Option<&'a str> {
    let found = attributes
        .iter()
        .find(|attribute| attribute.name.eq_ignore_ascii_case(name));
    found.map(|attribute| attribute.value)
}
