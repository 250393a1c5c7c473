//! Text within a paragraph: words, and the marks around them.

use super::escape::{self, Place};
use super::{Renderer, escape::is_blank};
use crate::html::address;
use crate::html::document::{Format, Marks};

/// The marks that are open, from the outside to the inside.
#[derive(Debug, Default)]
pub(super) struct Inline {
    open: Vec<Mark>,
    /// Links up to this one are written, and are not written again.
    last_link: u32,
}

/// A mark that is open, and where its content begins.
#[derive(Debug, Clone, Copy)]
struct Mark {
    kind: Kind,
    start: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Marks(Marks),
    Link(u32),
}

impl Renderer<'_, '_> {
    /// A piece of text.
    pub(super) fn text(&mut self, text: &str, is_literal: bool, format: Format) {
        let mut letters = std::mem::take(&mut self.letters);
        let seen = letters.seen(text, is_literal);
        if let Some(code) = &mut self.code {
            code.push(seen);
        } else {
            self.superscribe(seen);
            self.write_words(seen, format);
        }
        self.letters = letters;
    }

    /// A number that stands above the line is no part of the number before it.
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

    /// Words with single spaces between them.
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

    /// What of the marks is written where the text stands.
    fn shown(&self, format: Format) -> Format {
        if !self.is_markdown() {
            return Format::default();
        }
        let mut marks = format.marks;
        if self.in_summary > 0 {
            marks = marks.with(Marks::STRONG);
        }
        if self.in_heading > 0 {
            marks = marks.without(Marks::STRONG);
        }
        let is_link = self.options.links
            && (format.link > self.inline.last_link
                || self
                    .inline
                    .open
                    .iter()
                    .any(|mark| mark.kind == Kind::Link(format.link)))
            && self.link_address(format.link).is_some();
        Format {
            marks,
            link: if is_link { format.link } else { 0 },
        }
    }

    /// Where a link leads, as it is written, if that is anywhere a reader could go.
    fn link_address(&self, link: u32) -> Option<&str> {
        let place = usize::try_from(link).ok()?.checked_sub(1)?;
        let written = self.links.get(place)?;
        address::is_followable(written).then_some(*written)
    }

    /// Closes the marks that do not go on, writes the space before the next letter, and opens those that begin.
    pub(super) fn mark(&mut self, format: Format) {
        let keeps = |kind: Kind| match kind {
            Kind::Marks(mark) => format.marks.has(mark),
            Kind::Link(link) => format.link == link,
        };
        let kept = self.inline.open.iter().position(|mark| !keeps(mark.kind));
        self.close_marks_to(kept.unwrap_or(self.inline.open.len()));
        self.writer.begin();
        if format.link != 0
            && !self
                .inline
                .open
                .iter()
                .any(|mark| mark.kind == Kind::Link(format.link))
            && format.link > self.inline.last_link
        {
            self.inline.last_link = format.link;
            self.open_mark(Kind::Link(format.link));
        }
        for mark in Marks::ALL {
            let is_open = self
                .inline
                .open
                .iter()
                .any(|open| open.kind == Kind::Marks(mark));
            if format.marks.has(mark) && !is_open {
                self.open_mark(Kind::Marks(mark));
            }
        }
    }

    fn open_mark(&mut self, kind: Kind) {
        self.writer.push(opening(kind));
        let start = self.writer.len();
        self.inline.open.push(Mark { kind, start });
    }

    /// Closes all marks.
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

    fn close_link(&mut self, link: u32, start: usize) {
        let written = self.link_address(link).unwrap_or_default();
        let Some(address) = self.address(written) else {
            return;
        };
        let label = self.writer.text().get(start..).unwrap_or_default();
        if label == address && address.starts_with("http") {
            let text = self.writer.text_mut();
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

    /// An address as it stands in Markdown.
    pub(super) fn address(&self, written: &str) -> Option<String> {
        let base = self.options.base_url.as_deref();
        address::absolute(written, base, self.base)
    }
}

/// What a mark begins with, and ends with unless it is a link or code.
fn opening(kind: Kind) -> &'static str {
    match kind {
        Kind::Marks(Marks::STRONG) => "**",
        Kind::Marks(Marks::EMPHASIS) => "*",
        Kind::Marks(Marks::STRUCK) => "~~",
        Kind::Link(_) => "[",
        Kind::Marks(_) => "",
    }
}
