//! Stack of open elements.

use super::Reader;
use crate::document::{Element, Event};
use crate::hidden::Hidden;
use crate::tag::Tag;
use crate::tokens::Attribute;

/// Maximum number of open elements. Deeper content is treated as content of the last one.
pub(super) const MAX_DEPTH: usize = 256;

#[derive(Debug)]
pub(super) struct Open<'a> {
    pub(super) tag: Tag,
    /// Visibility outside the element.
    outer: Hidden,
    /// Whether the element has an `Open` event.
    is_emitted: bool,
    /// Whether a block closes an open `<p>` in this element.
    has_paragraph: bool,
    /// Whether children are SVG or `MathML`.
    is_foreign: bool,
    /// Language of code, from a class.
    pub(super) language: &'a str,
}

/// Number of open elements beyond [`MAX_DEPTH`].
#[derive(Debug, Default)]
pub(super) struct DeepElements {
    count: usize,
    /// Depth of the outermost hidden element.
    hidden_from: Option<usize>,
}

impl DeepElements {
    pub(super) fn is_hidden(&self) -> bool {
        self.hidden_from.is_some()
    }

    /// Closes the innermost element. Returns whether there was one.
    pub(super) fn close(&mut self) -> bool {
        let had_one = self.count > 0;
        self.count = self.count.saturating_sub(1);
        if self.hidden_from == Some(self.count) {
            self.hidden_from = None;
        }
        had_one
    }
}

impl<'a> Reader<'a> {
    /// Opens an element that is rendered as `element`.
    pub(super) fn push(
        &mut self,
        tag: Tag,
        hidden: Hidden,
        element: Option<Element<'a>>,
        attributes: &[Attribute<'a>],
    ) {
        if self.open.len() >= MAX_DEPTH {
            self.push_deeper(hidden, element);
            return;
        }
        let outer = self.hidden;
        self.hidden = hidden;
        let is_emitted = element.is_some() && !hidden.is_whole() && !self.deeper.is_hidden();
        if let Some(element) = element.filter(|_| is_emitted) {
            self.note(element);
            self.document.events.push(Event::Open(element));
        }
        if tag.is_boundary() {
            self.formats.begin_scope();
        }
        let (has_paragraph, is_foreign) = self.inherited(tag);
        self.open.push(Open {
            tag,
            outer,
            is_emitted,
            has_paragraph,
            is_foreign,
            language: super::elements::language(attributes),
        });
    }

    /// Returns `has_paragraph` and `is_foreign` for a child element.
    fn inherited(&self, tag: Tag) -> (bool, bool) {
        let has_paragraph = match tag {
            Tag::P => true,
            Tag::Button => false,
            _ if tag.is_boundary() => false,
            _ => self.open.last().is_some_and(|open| open.has_paragraph),
        };
        let is_foreign = match tag {
            Tag::Svg | Tag::Math => true,
            Tag::ForeignObject | Tag::Desc | Tag::Title | Tag::AnnotationXml => false,
            _ => self.is_in_foreign(),
        };
        (has_paragraph, is_foreign)
    }

    /// Records an element in the enclosing tables, and the start of a `<pre>`.
    fn note(&mut self, element: Element<'a>) {
        let place = self.document.events.len();
        let is_block = matches!(
            element,
            Element::List(_) | Element::Heading(_) | Element::Quote | Element::Preformatted { .. }
        );
        let inner = matches!(element, Element::Table(_));
        let around = self.tables.len().checked_sub(1 + usize::from(inner));
        let table = around.and_then(|around| self.tables.get(around));
        let place_of = |table: &u32| usize::try_from(*table).ok();
        if let Some(facts) = table
            .and_then(place_of)
            .and_then(|table| self.document.tables.get_mut(table))
        {
            facts.is_layout |= inner;
            facts.has_blocks |= is_block;
        }
        match element {
            Element::Preformatted { .. } => self.preformatted = Some(place),
            Element::Row => {
                if let Some(table) = self.table() {
                    table.begin_row();
                }
            }
            Element::Cell { columns, .. } => {
                if let Some(table) = self.table() {
                    table.begin_cell(columns);
                }
            }
            _ => {}
        }
    }

    /// An element beyond the maximum depth still separates the text around it.
    fn push_deeper(&mut self, hidden: Hidden, element: Option<Element<'a>>) {
        if hidden.is_hidden() && !self.deeper.is_hidden() && !self.hidden.is_hidden() {
            self.deeper.hidden_from = Some(self.deeper.count);
        }
        self.deeper.count += 1;
        // Merge repeated breaks: a page of start tags must not use memory for each of them.
        if element.is_some() && self.document.events.last() != Some(&Event::Break) {
            self.emit(Event::Break);
        }
    }

    /// Closes the innermost element.
    pub(super) fn pop(&mut self) -> Option<Tag> {
        let open = self.open.pop()?;
        // The elements beyond the maximum depth were its content.
        self.deeper = DeepElements::default();
        if open.tag == Tag::Table {
            self.tables.pop();
        }
        if open.is_emitted {
            self.document.events.push(Event::Close);
        }
        self.hidden = open.outer;
        if open.tag.is_boundary() {
            self.formats.end_scope();
        }
        if matches!(open.tag, Tag::Pre | Tag::Listing) {
            self.preformatted = None;
        }
        Some(open.tag)
    }

    /// Closes elements until `length` are open.
    pub(super) fn pop_to(&mut self, length: usize) {
        while self.open.len() > length && self.pop().is_some() {}
    }

    /// Returns the index of the innermost open element that satisfies `is_it`, searching up to the
    /// first one that satisfies `ends`.
    pub(super) fn find(
        &self,
        is_it: impl Fn(Tag) -> bool,
        ends: impl Fn(Tag) -> bool,
    ) -> Option<usize> {
        // At most `MAX_DEPTH` steps, so a page of end tags takes linear time.
        for (place, open) in self.open.iter().enumerate().rev() {
            if is_it(open.tag) {
                return Some(place);
            }
            if ends(open.tag) {
                return None;
            }
        }
        None
    }

    pub(super) fn top(&self) -> Option<Tag> {
        self.open.last().map(|open| open.tag)
    }

    /// Closes an open `<p>` before a block.
    pub(super) fn close_paragraph(&mut self) {
        while self.has_paragraph() {
            self.pop();
        }
    }

    pub(super) fn has_paragraph(&self) -> bool {
        self.open.last().is_some_and(|open| open.has_paragraph)
    }

    /// Returns whether the current position is in SVG or `MathML`.
    pub(super) fn is_in_foreign(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_foreign)
    }
}
