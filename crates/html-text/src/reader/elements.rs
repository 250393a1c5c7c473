//! What tags show: visible elements, and formatting such as `<b>` and `<a>`, which continues after the
//! end of the enclosing block.

use super::value;
use crate::document::{Element, Format, MAX_COLUMNS, Marks};
use crate::tag::Tag;
use crate::tokens::Attribute;

/// Returns the visible element of a tag, or `None` if the tag has no visible effect.
pub(super) fn element<'a>(tag: Tag, attributes: &[Attribute<'a>]) -> Option<Element<'a>> {
    if let Some(level) = tag.level() {
        return Some(Element::Heading(level));
    }
    Some(match tag {
        Tag::P | Tag::Dl | Tag::Figure => Element::Paragraph,
        Tag::Blockquote => Element::Quote,
        Tag::Ul | Tag::Menu | Tag::Dir => Element::List(None),
        Tag::Ol => Element::List(Some(number(attributes, "start").unwrap_or(1))),
        Tag::Li => Element::Item(number(attributes, "value")),
        Tag::Pre | Tag::Listing | Tag::Plaintext => Element::Preformatted {
            language: language(attributes),
        },
        Tag::Table => Element::Table(0),
        Tag::Tr => Element::Row,
        Tag::Td => Element::Cell {
            columns: span(attributes, "colspan"),
            rows: span(attributes, "rowspan"),
        },
        Tag::Dt => Element::Term,
        Tag::Dd => Element::Definition,
        Tag::Summary => Element::Summary,
        Tag::Sup => Element::Superscript,
        Tag::Rt => Element::Reading,
        Tag::Q => Element::Quotation,
        Tag::Button | Tag::Select | Tag::Option => Element::Control,
        Tag::Caption | Tag::Legend | Tag::Optgroup => Element::Block,
        _ if tag.is_block() => Element::Block,
        _ => return None,
    })
}

/// Returns the language from a class such as `language-rust`, `lang-rust`, `highlight-source-rust`
/// or `brush: rust`.
pub(super) fn language<'a>(attributes: &[Attribute<'a>]) -> &'a str {
    let Some(classes) = value(attributes, "class") else {
        return "";
    };
    let known = ["language-", "lang-", "highlight-source-", "brush:"];
    let named = classes.split_ascii_whitespace().find_map(|class| {
        let name = known.iter().find_map(|prefix| class.strip_prefix(prefix))?;
        Some(name).filter(|name| is_language(name))
    });
    let brush = || {
        let name = classes.split_once("brush: ")?.1.split([' ', ';']).next()?;
        Some(name).filter(|name| is_language(name))
    };
    named.or_else(brush).unwrap_or_default()
}

fn is_language(name: &str) -> bool {
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#' | b'-' | b'_' | b'.');
    !name.is_empty() && name.len() <= 32 && name.bytes().all(is_part)
}

/// Parses a numeric attribute such as `start` of a list.
fn number(attributes: &[Attribute<'_>], name: &str) -> Option<i64> {
    let text = value(attributes, name)?.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let end = text.len() - digits.len() + length;
    text.get(..end)?.parse().ok()
}

/// Returns the number of columns or rows that a cell spans.
fn span(attributes: &[Attribute<'_>], name: &str) -> u16 {
    let number = value(attributes, name).and_then(|text| text.trim().parse::<u64>().ok());
    let number = number.map_or(1, |number| number.clamp(1, u64::from(MAX_COLUMNS)));
    u16::try_from(number).unwrap_or(1)
}

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

    /// Closes the innermost element with this tag.
    pub(super) fn close(&mut self, tag: Tag) {
        // A `</b>` in a table cell does not close the `<b>` around the table.
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
