//! Stack of open elements, with the state of an open `<select>`.

use super::{Reader, value};
use crate::document::{Element, Event};
use crate::hidden::Hidden;
use crate::tag::Tag;
use crate::tokens::Attribute;

/// Maximum number of open elements. Deeper content is treated as content of the last one.
pub(super) const MAX_DEPTH: usize = 256;

/// Maximum depth of tables whose footer is moved, which bounds the number of moves per row.
const MAX_ORDERED_TABLES: usize = 4;

#[derive(Debug)]
pub(super) struct Open<'a> {
    pub(super) tag: Tag,
    /// Visibility outside the element.
    outer: Hidden,
    /// Whether the element has an `Open` event.
    is_emitted: bool,
    /// Number of events when the element was opened.
    start: usize,
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
        let start = self.document.events.len();
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
            start,
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
        let table = table.and_then(|table| usize::try_from(table.place).ok());
        if let Some(facts) = table.and_then(|table| self.document.tables.get_mut(table)) {
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
            self.close_table();
        }
        if open.is_emitted {
            self.document.events.push(Event::Close);
        }
        self.hidden = open.outer;
        if open.tag.is_boundary() {
            self.formats.end_scope();
        }
        match open.tag {
            Tag::Tfoot => {
                let footer = open.start..self.document.events.len();
                if let Some(table) = self.tables.last_mut() {
                    table.footer.get_or_insert(footer);
                }
            }
            Tag::Select => self.close_select(),
            Tag::Pre | Tag::Listing => self.preformatted = None,
            _ => {}
        }
        Some(open.tag)
    }

    /// Closes the innermost table and moves its footer after all other rows.
    fn close_table(&mut self) {
        let is_deep = self.tables.len() > MAX_ORDERED_TABLES;
        let footer = self.tables.pop().and_then(|table| table.footer);
        let Some(footer) = footer.filter(|_| !is_deep) else {
            return;
        };
        if let Some(rows) = self.document.events.get_mut(footer.start..) {
            // Browsers show a `<tfoot>` last, wherever it is written.
            rows.rotate_left(footer.len().min(rows.len()));
        }
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

#[derive(Debug)]
pub(super) struct Select {
    /// Index of the first event.
    start: usize,
    shows_all: bool,
    /// Index of the first event of each option, and whether it is selected.
    options: Vec<(usize, bool)>,
}

impl<'a> Reader<'a> {
    pub(super) fn open_select(&mut self, attributes: &[Attribute<'a>]) {
        let size = value(attributes, "size").and_then(|size| size.trim().parse::<u32>().ok());
        self.select = Some(Select {
            start: self.document.events.len() + 1,
            shows_all: value(attributes, "multiple").is_some() || size.is_some_and(|size| size > 1),
            options: Vec::new(),
        });
    }

    pub(super) fn open_option(&mut self, attributes: &[Attribute<'a>]) {
        let place = self.document.events.len();
        if let Some(select) = &mut self.select {
            let is_chosen = value(attributes, "selected").is_some();
            select.options.push((place, is_chosen));
        }
    }

    /// Keeps only the option that a collapsed list shows: the selected one, or the first one.
    pub(super) fn close_select(&mut self) {
        let Some(select) = self.select.take().filter(|select| !select.shows_all) else {
            return;
        };
        let chosen = select
            .options
            .iter()
            .rposition(|(_, is_chosen)| *is_chosen)
            .unwrap_or_default();
        let Some((from, _)) = select.options.get(chosen).copied() else {
            return;
        };
        // The last event closes the list.
        let end = self.document.events.len().saturating_sub(1);
        let to = select
            .options
            .get(chosen + 1)
            .map_or(end, |(next, _)| *next);
        let kept = self
            .document
            .events
            .get(from..to)
            .unwrap_or_default()
            .to_vec();
        let closing = self.document.events.get(end..).unwrap_or_default().to_vec();
        self.document.events.truncate(select.start);
        self.document.events.extend(balanced(kept));
        self.document.events.extend(closing);
    }
}

/// Returns the events before the first unmatched `Close`.
fn balanced(mut events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let mut depth = 0_usize;
    let end = events.iter().position(|event| match event {
        Event::Open(_) => {
            depth += 1;
            false
        }
        Event::Close if depth == 0 => true,
        Event::Close => {
            depth -= 1;
            false
        }
        _ => false,
    });
    events.truncate(end.unwrap_or(events.len()));
    events
}
