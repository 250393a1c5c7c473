//! End tags.

use super::Reader;
use crate::document::{Element, Event};
use crate::tag::Tag;

impl Reader<'_> {
    pub(super) fn end(&mut self, tag: Tag) {
        if tag.is_formatting() && !self.is_in_foreign() {
            self.formats.close(tag);
            return;
        }
        if matches!(tag, Tag::Body | Tag::Html | Tag::Head) || self.deeper.close() {
            return;
        }
        match tag {
            Tag::Br => self.emit(Event::LineBreak),
            Tag::P if !self.has_paragraph() => {
                self.emit(Event::Open(Element::Paragraph));
                self.emit(Event::Close);
            }
            Tag::P => self.close_paragraph(),
            Tag::Th => self.close_through(Tag::Td),
            _ if tag.is_heading() => {
                if let Some(place) = self.find(Tag::is_heading, Tag::is_boundary) {
                    self.pop_to(place);
                }
            }
            _ => self.close_through(tag),
        }
    }

    /// Closes the innermost element with this tag and its descendants, if it is in scope.
    pub(super) fn close_through(&mut self, tag: Tag) {
        let ends = |open: Tag| match tag {
            Tag::Template => false,
            Tag::Table
            | Tag::Td
            | Tag::Tr
            | Tag::Tbody
            | Tag::Thead
            | Tag::Tfoot
            | Tag::Caption => {
                matches!(open, Tag::Table | Tag::Template)
            }
            Tag::Li => open.is_boundary() || matches!(open, Tag::Ol | Tag::Ul),
            _ if tag.is_special() => open.is_boundary(),
            _ => open.is_special(),
        };
        if let Some(place) = self.find(|open| open == tag, ends) {
            self.pop_to(place);
        }
    }
}
