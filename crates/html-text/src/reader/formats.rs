//! Formatting elements such as `<b>` and `<a>`, which continue after the end of the enclosing
//! block.

use crate::document::{Format, Marks};
use crate::tag::Tag;

/// Maximum number of active elements. Further ones only hide text.
const MAX_ACTIVE: usize = 64;

/// Active elements, and the start of each scope, such as a table cell.
#[derive(Debug, Default)]
pub(super) struct Formats {
    active: Vec<Active>,
    scopes: Vec<usize>,
    format: Format,
    is_hidden: bool,
}

/// Active formatting element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Active {
    pub(super) tag: Tag,
    /// Index of the link from 1, or 0 if it is not a link.
    pub(super) link: u32,
    pub(super) is_hidden: bool,
}

impl Formats {
    pub(super) fn format(&self) -> Format {
        self.format
    }

    pub(super) fn is_hidden(&self) -> bool {
        self.is_hidden
    }

    pub(super) fn push(&mut self, active: Active) {
        if self.active.len() < MAX_ACTIVE {
            self.active.push(active);
        } else if let Some(last) = self.active.last_mut() {
            last.is_hidden |= active.is_hidden;
        }
        self.refresh();
    }

    #[cfg(feature = "article")]
    pub(super) fn count(&self) -> usize {
        self.active.len()
    }

    /// Closes the innermost element with this tag.
    pub(super) fn close(&mut self, tag: Tag) {
        let start = self.scopes.last().copied().unwrap_or_default();
        let within = self.active.iter().skip(start);
        let from_end = within.rev().position(|active| active.tag == tag);
        if let Some(from_end) = from_end {
            self.active.remove(self.active.len() - 1 - from_end);
            self.refresh();
        }
    }

    pub(super) fn begin_scope(&mut self) {
        self.scopes.push(self.active.len());
    }

    pub(super) fn end_scope(&mut self) {
        let start = self.scopes.pop().unwrap_or_default();
        self.active.truncate(start);
        self.refresh();
    }

    fn refresh(&mut self) {
        let mut format = Format::default();
        let mut is_hidden = false;
        for active in &self.active {
            is_hidden |= active.is_hidden;
            match active.tag {
                Tag::A => format.link = active.link,
                Tag::B | Tag::Strong => format.marks = format.marks.with(Marks::STRONG),
                Tag::I | Tag::Em => format.marks = format.marks.with(Marks::EMPHASIS),
                Tag::S | Tag::Strike | Tag::Del => format.marks = format.marks.with(Marks::STRUCK),
                Tag::Code | Tag::Tt | Tag::Kbd | Tag::Samp => {
                    format.marks = format.marks.with(Marks::CODE);
                }
                _ => {}
            }
        }
        self.format = format;
        self.is_hidden = is_hidden;
    }
}
