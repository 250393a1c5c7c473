//! Elements of a page by their class or attribute.

use std::ops::Range;

use html_text::{Event, Events, StartTag};

/// Maximum number of elements of a page.
const MAX_ELEMENTS: usize = 2000;
/// Maximum number of elements that contain each other.
const MAX_OPEN: usize = 8;
/// Maximum length of the text of an element in bytes.
const MAX_TEXT: usize = 4000;

/// Element with a known class, or the value of a known attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    /// Class or name of the attribute.
    pub(super) name: &'static str,
    /// Place of the start tag.
    pub(super) start: usize,
    /// Content of the element, or value of the attribute. Long content is truncated.
    pub(super) text: String,
    /// Place of the content.
    pub(super) inner: Range<usize>,
}

/// Element whose end is not reached.
struct Open<'a> {
    /// Index of the element.
    place: usize,
    tag: &'a str,
    /// Number of open elements with the same tag, including itself.
    depth: usize,
}

/// Returns the elements with these classes and attributes, in the order of their start tags.
pub(super) fn elements(
    html: &str,
    classes: &[&'static str],
    attributes: &[&'static str],
) -> Vec<Element> {
    let mut reader = Reader::default();
    let mut events = Events::new(html);
    while let Some(event) = events.next() {
        let span = events.span();
        match event {
            Event::Start(_) if reader.found.len() >= MAX_ELEMENTS => break,
            Event::Start(tag) => reader.start(&tag, &span, classes, attributes),
            Event::End(name) => reader.end(name, span.start),
            Event::Text(text) => reader.text(&text),
            _ => {}
        }
    }
    reader.finish(html.len())
}

#[derive(Default)]
struct Reader<'a> {
    found: Vec<Element>,
    open: Vec<Open<'a>>,
}

impl<'a> Reader<'a> {
    fn start(
        &mut self,
        tag: &StartTag<'a>,
        span: &Range<usize>,
        classes: &[&'static str],
        attributes: &[&'static str],
    ) {
        for &name in attributes {
            if let Some(value) = tag.attribute(name) {
                self.found.push(element(name, span, shortened(&value)));
            }
        }
        if tag.is_empty {
            return;
        }
        for known in &mut self.open {
            known.depth += usize::from(is_same(known.tag, tag.name));
        }
        let class = tag.attribute("class").unwrap_or_default();
        let mut own = class.split_ascii_whitespace();
        let name = own.find_map(|own| classes.iter().find(|known| **known == own));
        if let Some(name) = name.filter(|_| self.open.len() < MAX_OPEN) {
            self.open.push(Open {
                place: self.found.len(),
                tag: tag.name,
                depth: 1,
            });
            self.found.push(element(name, span, ""));
        }
    }

    /// Closes the elements that an end tag ends.
    fn end(&mut self, name: &str, end: usize) {
        let found = &mut self.found;
        self.open.retain_mut(|known| {
            if is_same(known.tag, name) {
                known.depth -= 1;
            }
            if known.depth == 0
                && let Some(element) = found.get_mut(known.place)
            {
                element.inner.end = end;
            }
            known.depth > 0
        });
    }

    fn text(&mut self, text: &str) {
        for known in &self.open {
            if let Some(element) = self.found.get_mut(known.place) {
                let room = MAX_TEXT.saturating_sub(element.text.len());
                let end = text.floor_char_boundary(room);
                element.text.push_str(text.get(..end).unwrap_or_default());
            }
        }
    }

    /// Returns the elements. Those without an end tag reach to the end of the page.
    fn finish(mut self, end: usize) -> Vec<Element> {
        for known in self.open {
            if let Some(element) = self.found.get_mut(known.place) {
                element.inner.end = end;
            }
        }
        self.found
    }
}

fn element(name: &'static str, span: &Range<usize>, text: &str) -> Element {
    Element {
        name,
        start: span.start,
        text: text.to_owned(),
        inner: span.end..span.end,
    }
}

fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

fn shortened(value: &str) -> &str {
    value
        .get(..value.floor_char_boundary(MAX_TEXT))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn finds_nested_and_unclosed_elements() {
        let html = "<div class='x a'>1<div>2</div><b class=b>&lt;3</b></div>4<p class=a id=5>6";

        let found = elements(html, &["a", "b"], &["id"]);

        let shown: Vec<(&str, &str, &str)> = found
            .iter()
            .map(|found| (found.name, found.text.as_str(), &html[found.inner.clone()]))
            .collect();
        assert_eq!(
            shown,
            [
                ("a", "12<3", "1<div>2</div><b class=b>&lt;3</b>"),
                ("b", "<3", "&lt;3"),
                ("id", "5", ""),
                ("a", "6", "6"),
            ]
        );
    }

    #[test]
    fn number_and_text_of_elements_are_limited() {
        let many = "<b class=a></b>".repeat(MAX_ELEMENTS + 1);
        assert_eq!(elements(&many, &["a"], &[]).len(), MAX_ELEMENTS);
        let nested = "<b class=a>x".repeat(100);
        assert_eq!(elements(&nested, &["a"], &[]).len(), MAX_OPEN);
        let long = format!("<b class=a>{}", "ä".repeat(MAX_TEXT));
        assert_eq!(elements(&long, &["a"], &[])[0].text.len(), MAX_TEXT);
    }

    proptest! {
        #[test]
        fn places_are_within_the_page(html in "(</?[bi]( class='?a'?)?/?>?|[x&ä<]{0,3}){0,30}") {
            for found in elements(&html, &["a"], &["class"]) {
                prop_assert!(html.get(found.inner).is_some());
            }
        }
    }
}
