//! Words of a paragraph, and the formatting around them.

use super::escape::{self, Place};
use super::{Renderer, escape::is_blank};
use crate::address;
use crate::role::{Format, Marks};

/// Open marks from the outside in.
#[derive(Debug, Default)]
pub(super) struct Inline {
    open: Vec<Mark>,
    /// Element of the last written link, which is not written again.
    last_link: Option<usize>,
}

/// Open mark and the start of its content.
#[derive(Debug, Clone, Copy)]
struct Mark {
    kind: Kind,
    start: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Marks(Marks),
    Link(usize),
}

impl Inline {
    fn is_open(&self, kind: Kind) -> bool {
        self.open.iter().any(|mark| mark.kind == kind)
    }
}

impl Renderer<'_> {
    pub(super) fn text(&mut self, text: &str, format: Format) {
        let mut filter = std::mem::take(&mut self.filter);
        let seen = filter.visible(text);
        if let Some(code) = &mut self.code {
            code.push(seen);
        } else {
            self.superscribe(seen);
            self.write_words(seen, format);
        }
        self.filter = filter;
    }

    /// Writes `^` before a superscript that would otherwise be read as part of the previous word.
    fn superscribe(&mut self, text: &str) {
        let word = text.trim();
        if !self.superscript || word.is_empty() {
            return;
        }
        self.superscript = false;
        let is_power = word
            .starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '−'))
            || word.chars().count() == 1;
        let is_behind = self.writer.is_in_word()
            && self
                .writer
                .text()
                .ends_with(|last: char| last.is_alphanumeric() || last == ')');
        if is_power && is_behind {
            self.close_marks();
            self.writer.push("^");
        }
    }

    /// Writes words with single spaces between them.
    pub(super) fn write_words(&mut self, text: &str, format: Format) {
        let format = self.shown(format);
        let mut rest = text;
        loop {
            let word_start = rest
                .bytes()
                .position(|byte| !is_blank(byte))
                .unwrap_or(rest.len());
            if word_start > 0 {
                self.writer.space();
            }
            rest = rest.get(word_start..).unwrap_or_default();
            if rest.is_empty() {
                return;
            }
            let end = rest.bytes().position(is_blank).unwrap_or(rest.len());
            let (word, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
            self.word(word, format);
            rest = behind;
        }
    }

    fn word(&mut self, word: &str, format: Format) {
        self.flush_tabs();
        if !self.is_markdown() {
            self.writer.begin();
            self.writer.push(word);
            return;
        }
        let is_first = self.writer.is_at_line_start() && !self.in_cell() && self.in_heading == 0;
        self.mark(format);
        if format.marks.has(Marks::CODE) {
            let in_cell = self.in_cell();
            escape::code(word, in_cell, self.writer.text_mut());
        } else {
            let place = Place {
                is_first: is_first && self.inline.open.is_empty(),
                in_cell: self.in_cell(),
            };
            escape::word(word, place, self.writer.text_mut());
        }
    }

    /// Returns the part of the formatting that is written at the current position.
    fn shown(&self, format: Format) -> Format {
        if !self.is_markdown() {
            return Format::default();
        }
        let mut marks = format.marks;
        if self.in_summary > 0 {
            // Markdown has no summary, so it looks like a title.
            marks = marks.with(Marks::STRONG);
        }
        if self.in_heading > 0 {
            // A heading is bold already.
            marks = marks.without(Marks::STRONG);
        }
        let link = format.link.filter(|link| {
            let is_open = self.inline.is_open(Kind::Link(*link));
            (is_open || self.inline.last_link != format.link) && self.link_address(*link).is_some()
        });
        Format { marks, link }
    }

    /// Returns the target of a link if it can be followed.
    fn link_address(&self, link: usize) -> Option<&str> {
        let node = self.tree.get(link);
        let written = node.attribute("href").or(node.attribute("src"))?;
        address::is_followable(written).then_some(written)
    }

    /// Closes the marks that end here, writes pending white space, and opens the new marks.
    pub(super) fn mark(&mut self, format: Format) {
        let keeps = |kind: Kind| match kind {
            Kind::Marks(mark) => format.marks.has(mark),
            Kind::Link(link) => format.link == Some(link),
        };
        let kept = self.inline.open.iter().position(|mark| !keeps(mark.kind));
        self.close_marks_to(kept.unwrap_or(self.inline.open.len()));
        self.writer.begin();
        if let Some(link) = format.link
            && !self.inline.is_open(Kind::Link(link))
        {
            self.inline.last_link = format.link;
            self.open_mark(Kind::Link(link));
        }
        for mark in Marks::ALL {
            if format.marks.has(mark) && !self.inline.is_open(Kind::Marks(mark)) {
                self.open_mark(Kind::Marks(mark));
            }
        }
    }

    fn open_mark(&mut self, kind: Kind) {
        self.writer.push(opening(kind));
        let start = self.writer.len();
        self.inline.open.push(Mark { kind, start });
    }

    pub(super) fn close_marks(&mut self) {
        self.close_marks_to(0);
    }

    fn close_marks_to(&mut self, length: usize) {
        while self.inline.open.len() > length {
            let Some(mark) = self.inline.open.pop() else {
                return;
            };
            match mark.kind {
                Kind::Marks(Marks::CODE) => escape::fence(self.writer.text_mut(), mark.start),
                Kind::Marks(_) => self.writer.push(opening(mark.kind)),
                Kind::Link(link) => self.close_link(link, mark.start),
            }
        }
    }

    fn close_link(&mut self, link: usize, start: usize) {
        let written = self.link_address(link).unwrap_or_default();
        let Some(address) = address::absolute(written, self.base) else {
            return;
        };
        let label = self.writer.text().get(start..).unwrap_or_default();
        // `<address>` says the same as `[address](address)` in half the length.
        if label == address && address.starts_with("http") {
            let text = self.writer.text_mut();
            // `start` is behind the `[`.
            text.truncate(start - 1);
            text.push('<');
            text.push_str(&address);
            text.push('>');
        } else {
            self.writer.push("](");
            self.writer.push(&address);
            self.writer.push(")");
        }
    }
}

/// Returns the opening delimiter, which also closes marks except links and code.
fn opening(kind: Kind) -> &'static str {
    match kind {
        Kind::Marks(Marks::STRONG) => "**",
        Kind::Marks(Marks::EMPHASIS) => "*",
        Kind::Marks(Marks::STRUCK) => "~~",
        Kind::Link(_) => "[",
        Kind::Marks(_) => "",
    }
}
