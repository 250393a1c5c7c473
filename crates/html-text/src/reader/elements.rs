//! Mapping from tags to visible elements.

use super::value;
use crate::document::{Element, MAX_COLUMNS};
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
