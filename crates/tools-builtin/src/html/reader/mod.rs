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

use std::ops::{ControlFlow, Range};
use std::time::Instant;

use memchr::memchr2_iter;

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
/// So many events are handed on at once, where nothing of what stands around them is still to be known.
const EVENTS_PER_PIECE: usize = 4096;

/// Reads a page, and hands on what was read piece by piece until `take` wants no more. So a long page takes no more memory
/// than what has to be known as a whole: one table, one `<pre>`, one list to choose from.
pub(super) fn read<'a>(
    html: &'a str,
    options: &Options,
    mut take: impl FnMut(&Document<'a>) -> ControlFlow<()>,
) -> Document<'a> {
    let source = beginning(html, options.max_input_bytes);
    let mut tokens = Tokens::new(source);
    let mut reader = Reader {
        is_base_to_come: options.base_url.is_some() && names_base(source),
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
    reader.finish();
    reader.document.truncated |= source.len() < html.len();
    let _ = take(&reader.document);
    reader.document
}

/// Whether a `<base>` may stand in a page, which tells where all links lead, also those before it.
fn names_base(source: &str) -> bool {
    let bytes = source.as_bytes();
    memchr2_iter(b'b', b'B', bytes).any(|place| {
        let from = place.saturating_sub(1);
        let name = bytes.get(from..place + 4).unwrap_or_default();
        name.eq_ignore_ascii_case(b"<base")
    })
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
    tables: Vec<OpenTable>,
    /// Where the innermost `<pre>` opened, among the events.
    preformatted: Option<usize>,
    select: Option<Select>,
    is_base_to_come: bool,
}

/// A table that is open.
#[derive(Debug, Default)]
struct OpenTable {
    /// Its place in the document's list.
    place: u32,
    /// Where the events of its `<tfoot>` are, once that is closed.
    footer: Option<Range<usize>>,
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
        let table = usize::try_from(self.tables.last()?.place).ok()?;
        self.document.tables.get_mut(table)
    }

    /// Whether nothing that is read later changes what the events of now mean.
    fn is_settled(&self) -> bool {
        let knows_base = !self.is_base_to_come || !self.document.base.is_empty();
        let is_open = self.select.is_some() || self.preformatted.is_some();
        knows_base && !is_open && self.tables.is_empty()
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
