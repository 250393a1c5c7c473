//! From a row of tags to a [`Document`]: which elements are open where, by the rules of the HTML Standard as far as they
//! decide what is read. No tree is built: elements that close each other do so on a stack of bounded depth.

mod closing;
mod elements;
#[cfg(feature = "article")]
mod flat;
mod formats;
mod head;
mod opening;
mod select;
mod stack;
#[cfg(test)]
mod tests;

use std::time::Instant;

#[cfg(feature = "article")]
pub(super) use flat::flattened;

use super::Options;
use super::document::{Document, Element, Event};
use super::hidden::Hidden;
use super::tag::{RawText, Tag};
use super::tokens::{Attribute, Token, Tokens};
use formats::Formats;
use select::Select;
use stack::{Deeper, Open};

/// How many tokens are read between two looks at the clock.
const TOKENS_PER_LOOK: usize = 1024;

/// Reads a page.
pub(super) fn read<'a>(html: &'a str, options: &Options) -> Document<'a> {
    let source = beginning(html, options.max_input_bytes);
    let mut tokens = Tokens::new(source);
    let mut reader = Reader::default();
    let mut count = 0_usize;
    while let Some(token) = tokens.next() {
        count += 1;
        let is_late = || {
            options
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
        };
        if reader.document.events.len() >= options.max_nodes
            || (count.is_multiple_of(TOKENS_PER_LOOK) && is_late())
        {
            reader.document.truncated = true;
            break;
        }
        reader.token(token, &mut tokens);
    }
    reader.finish();
    reader.document.truncated |= source.len() < html.len();
    reader.document
}

/// As much of a text as fits, without half a letter at the end.
fn beginning(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

/// What is open while a page is read.
#[derive(Debug, Default)]
struct Reader<'a> {
    document: Document<'a>,
    open: Vec<Open<'a>>,
    /// Elements that are not kept open because there are too many.
    deeper: Deeper,
    formats: Formats,
    hidden: Hidden,
    /// The tables that are open, by their place in the document's list.
    tables: Vec<u32>,
    /// Where the innermost `<pre>` opened, among the events.
    preformatted: Option<usize>,
    select: Option<Select>,
}

/// What the tokenizer does behind a start tag.
enum Then {
    GoOn,
    /// The element holds text only.
    Raw(RawText),
    /// The rest of the source is text.
    Plaintext,
}

impl<'a> Reader<'a> {
    fn token(&mut self, token: Token<'a>, tokens: &mut Tokens<'a>) {
        match token {
            Token::Text(text) => self.text(text, false),
            Token::Literal(text) => self.text(text, true),
            Token::End(tag) => self.end(tag),
            Token::Start { tag, is_closed } => {
                let then = self.start(tag, is_closed, tokens.attributes());
                match then {
                    Then::GoOn => {}
                    Then::Raw(raw) => {
                        let hidden = self.hidden.within(tokens.attributes());
                        let text = tokens.take_raw(tag, raw);
                        self.raw(tag, hidden, text);
                    }
                    Then::Plaintext => {
                        let text = tokens.take_rest();
                        self.text(text, true);
                    }
                }
            }
        }
        tokens.has_sections(self.is_in_foreign());
    }

    /// Text, where it is seen.
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

    /// The content of an element that holds text only.
    fn raw(&mut self, tag: Tag, hidden: Hidden, text: &'a str) {
        match tag {
            Tag::Title if self.document.title.is_empty() => self.document.title = text,
            Tag::Textarea if !hidden.is_hidden() => self.control(text),
            Tag::Xmp if !hidden.is_hidden() => {
                self.emit(Event::Open(Element::Preformatted { language: "" }));
                self.text(text, true);
                self.emit(Event::Close);
            }
            _ => {}
        }
    }

    /// Text that stands in a control.
    fn control(&mut self, text: &'a str) {
        self.emit(Event::Open(Element::Control));
        self.text(text, false);
        self.emit(Event::Close);
    }

    /// Whether what stands here is seen.
    fn is_seen(&self) -> bool {
        !self.hidden.is_hidden() && !self.formats.is_hidden() && !self.deeper.is_hidden()
    }

    /// Something that is no text, where it can be seen.
    fn emit(&mut self, event: Event<'a>) {
        if !self.hidden.is_whole() && !self.deeper.is_hidden() {
            self.document.events.push(event);
        }
    }

    /// The innermost table.
    fn table(&mut self) -> Option<&mut super::document::TableFacts> {
        let table = usize::try_from(*self.tables.last()?).ok()?;
        self.document.tables.get_mut(table)
    }

    /// Closes what is open.
    fn finish(&mut self) {
        while self.pop().is_some() {}
    }
}

/// The value of an attribute, as it is written.
fn value<'a>(attributes: &[Attribute<'a>], name: &str) -> Option<&'a str> {
    let found = attributes
        .iter()
        .find(|attribute| attribute.name.eq_ignore_ascii_case(name));
    found.map(|attribute| attribute.value)
}
