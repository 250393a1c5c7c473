//! Metadata of a page.

use super::{Reader, value};
use crate::tag::Tag;
use crate::tokens::Attribute;

impl<'a> Reader<'a> {
    /// Reads the metadata of a tag. Returns whether the tag consists of metadata only.
    pub(super) fn is_of_head(&mut self, tag: Tag, attributes: &[Attribute<'a>]) -> bool {
        match tag {
            Tag::Html => {
                let language = value(attributes, "lang").or(value(attributes, "xml:lang"));
                keep_first(&mut self.document.language, language);
            }
            Tag::Base => keep_first(&mut self.document.base, value(attributes, "href")),
            Tag::Meta => self.meta(attributes),
            Tag::Head | Tag::Body | Tag::Frameset => {}
            _ => return false,
        }
        true
    }

    fn meta(&mut self, attributes: &[Attribute<'a>]) {
        let content = value(attributes, "content");
        let names = [value(attributes, "name"), value(attributes, "property")];
        for name in names.into_iter().flatten() {
            let is = |known: &str| name.eq_ignore_ascii_case(known);
            if is("description") || is("og:description") {
                keep_first(&mut self.document.description, content);
            }
        }
        let equivalent = value(attributes, "http-equiv").unwrap_or_default();
        if equivalent.eq_ignore_ascii_case("content-language") {
            keep_first(&mut self.document.language, content);
        }
    }
}

fn keep_first<'a>(place: &mut &'a str, found: Option<&'a str>) {
    if place.trim().is_empty() {
        *place = found.unwrap_or_default();
    }
}
