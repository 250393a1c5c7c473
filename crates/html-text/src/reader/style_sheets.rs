//! Style sheets of a page, which apply to the entire page.

use std::time::Instant;

use memchr::memchr_iter;

use super::{TOKENS_PER_LOOK, value};
use crate::style::{self, StyleSheet};
use crate::tag::Tag;
use crate::tokens::{Attribute, Token, Tokens};

/// Reads the `<style>` elements of a page. Tokens after the last one are not read.
pub(super) fn of_page(source: &str, deadline: Option<Instant>) -> StyleSheet {
    let mut style_sheet = StyleSheet::default();
    let Some(last) = last_place(source) else {
        return style_sheet;
    };
    let mut tokens = Tokens::new(source.get(..last).unwrap_or(source));
    let (mut templates, mut bytes, mut count) = (0_usize, style::MAX_BYTES, 0_usize);
    while let Some(token) = tokens.next() {
        count += 1;
        let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if count.is_multiple_of(TOKENS_PER_LOOK) && is_late() {
            break;
        }
        match token {
            Token::Start { tag, .. } => {
                let applies = tag == Tag::Style && templates == 0 && applies(tokens.attributes());
                // Templates have style sheets of their own.
                templates += usize::from(tag == Tag::Template);
                let Some(raw) = tag.raw_text() else { continue };
                let css = tokens.take_raw(tag, raw);
                if applies {
                    let css = super::beginning(css, bytes);
                    bytes -= css.len();
                    style_sheet.add(css);
                }
            }
            Token::End(Tag::Template) => templates = templates.saturating_sub(1),
            _ => {}
        }
    }
    style_sheet
}

/// Returns whether a `<style>` element with these attributes applies on screens.
fn applies(attributes: &[Attribute<'_>]) -> bool {
    let kind = value(attributes, "type").unwrap_or_default();
    let is_css = kind.is_empty() || kind.eq_ignore_ascii_case("text/css");
    is_css && style::applies_to_screen(value(attributes, "media").unwrap_or_default())
}

/// Returns the end of the last `<style>` element, or `None` if there is none.
fn last_place(source: &str) -> Option<usize> {
    let bytes = source.as_bytes();
    let begins = |place: &usize| {
        let name = bytes.get(place + 1..place + 6).unwrap_or_default();
        name.eq_ignore_ascii_case(b"style")
    };
    let last = memchr_iter(b'<', bytes).rev().find(begins)?;
    let end = bytes.get(last + 1..).unwrap_or_default();
    let end = memchr_iter(b'<', end)
        .map(|end| last + 1 + end)
        .find(|place| {
            let name = bytes.get(place + 1..place + 7).unwrap_or_default();
            name.eq_ignore_ascii_case(b"/style")
        });
    Some(end.unwrap_or(bytes.len()))
}
