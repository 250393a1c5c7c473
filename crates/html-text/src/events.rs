//! Tags and text of a page, for readers of known pages.

use std::borrow::Cow;
use std::ops::Range;

use super::characters::{attribute, decode};
use super::tag::{RawText, Tag};
use super::tokens::{Attribute, Token, Tokens};

/// Iterator over the tags and the text of a page, by the tokenizer of the HTML Standard.
///
/// Use it to read fields of a page that you know. It builds no tree, so an element that is never
/// closed has no [`Event::End`]. Comments, scripts, style sheets and similar content are omitted.
/// Hidden text isn't. Each byte is read once.
///
/// # Examples
/// ```
/// use html_text::{Event, Events};
///
/// let html = "<p class='name first'>Caf&eacute;<p>Bar";
/// let mut is_name = false;
/// let mut names = Vec::new();
/// for event in Events::new(html) {
///     match event {
///         Event::Start(tag) => is_name = tag.has_class("name"),
///         Event::Text(text) if is_name => names.push(text.into_owned()),
///         _ => {}
///     }
/// }
/// assert_eq!(names, ["Café"]);
/// ```
#[derive(Debug)]
pub struct Events<'a> {
    tokens: Tokens<'a>,
    state: State,
    span: Range<usize>,
}

/// Content that follows a start tag.
#[derive(Debug, Clone, Copy)]
enum State {
    Markup,
    /// Content of an element that contains text only.
    Raw(Tag, RawText),
    Plaintext,
}

/// Event of [`Events`].
///
/// # Examples
/// See [`Events`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Start tag.
    Start(StartTag<'a>),
    /// End tag, with its name as written. Elements that contain text only have none.
    End(&'a str),
    /// Text with decoded character references.
    Text(Cow<'a, str>),
}

/// Start tag with its attributes.
///
/// # Examples
/// ```
/// use html_text::{Event, Events};
///
/// let Some(Event::Start(tag)) = Events::new("<A HREF='?a&amp;b' class='x y'>").next() else {
///     panic!("there is a start tag");
/// };
/// assert_eq!(tag.name, "A");
/// assert_eq!(tag.attribute("href").as_deref(), Some("?a&b"));
/// assert!(tag.has_class("y") && !tag.is_empty);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StartTag<'a> {
    /// Name as written.
    pub name: &'a str,
    /// Whether the element has no content and no end tag.
    pub is_empty: bool,
    attributes: Vec<Attribute<'a>>,
}

impl<'a> StartTag<'a> {
    /// Returns the value of the first attribute with this name, ignoring ASCII case.
    pub fn attribute(&self, name: &str) -> Option<Cow<'a, str>> {
        let mut named = self.attributes.iter();
        let found = named.find(|known| known.name.eq_ignore_ascii_case(name))?;
        Some(attribute(found.value))
    }

    /// Returns whether the element has this class.
    pub fn has_class(&self, class: &str) -> bool {
        let classes = self.attribute("class").unwrap_or_default();
        classes.split_ascii_whitespace().any(|known| known == class)
    }
}

impl<'a> Events<'a> {
    /// Creates an iterator over `html`.
    pub fn new(html: &'a str) -> Self {
        Self {
            tokens: Tokens::new(html),
            state: State::Markup,
            span: 0..0,
        }
    }

    /// Returns the byte range of the last event in the source.
    ///
    /// # Examples
    /// ```
    /// use html_text::Events;
    ///
    /// let mut events = Events::new("<b>a</b>");
    /// events.next();
    /// assert_eq!(events.span(), 0..3);
    /// ```
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    fn start(&mut self, tag: Tag, is_closed: bool) -> Event<'a> {
        let is_empty = is_closed || tag.is_void();
        // A `<br/>` or `<input>` has no content, so markup follows.
        if !is_empty {
            self.state = match tag.raw_text() {
                Some(kind) => State::Raw(tag, kind),
                None if tag == Tag::Plaintext => State::Plaintext,
                None => State::Markup,
            };
        }
        Event::Start(StartTag {
            name: name(self.tokens.written(), "<"),
            is_empty,
            attributes: self.tokens.attributes().to_vec(),
        })
    }

    /// Consumes the content of an element that contains text only, and returns text that is shown.
    fn raw(&mut self) -> Option<&'a str> {
        let from = self.span.end;
        let text = match self.state {
            State::Raw(tag, kind) => {
                let text = self.tokens.take_raw(tag, kind);
                (kind == RawText::References).then_some(text)
            }
            State::Plaintext => Some(self.tokens.take_rest()),
            State::Markup => None,
        };
        self.state = State::Markup;
        let text = text.filter(|text| !text.is_empty())?;
        self.span = from..from + text.len();
        Some(text)
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        if let Some(text) = self.raw() {
            return Some(Event::Text(decode(text, false)));
        }
        let token = self.tokens.next()?;
        self.span = self.tokens.span();
        Some(match token {
            Token::Start { tag, is_closed } => self.start(tag, is_closed),
            Token::End(_) => Event::End(name(self.tokens.written(), "</")),
            Token::Text(text) => Event::Text(decode(text, false)),
            Token::Literal(text) => Event::Text(Cow::Borrowed(text)),
        })
    }
}

/// Returns the name in a tag.
fn name<'a>(written: &'a str, start: &str) -> &'a str {
    let rest = written.strip_prefix(start).unwrap_or(written);
    let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>');
    rest.split(is_end).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(html: &str) -> Vec<String> {
        let mut events = Events::new(html);
        let mut all = Vec::new();
        while let Some(event) = events.next() {
            let place = &html[events.span()];
            all.push(match event {
                Event::Start(tag) => {
                    assert!(place.starts_with('<') && place.ends_with('>'), "{place}");
                    format!("<{}{}>", tag.name, if tag.is_empty { "/" } else { "" })
                }
                Event::End(name) => format!("</{name}>"),
                Event::Text(text) => text.into_owned(),
            });
        }
        all
    }

    #[test]
    fn returns_tags_and_text_in_order() {
        for (html, events) in [
            ("a<b>c</b>d", vec!["a", "<b>", "c", "</b>", "d"]),
            ("<Br><img src=x/><i/>", vec!["<Br/>", "<img/>", "<i/>"]),
            (
                "<!-- <b> --><p>a &lt; b</P\n>",
                vec!["<p>", "a < b", "</P>"],
            ),
            (
                "<title>a &amp; <b></title>c<script>x < y</script>d<style>p{}</style>",
                vec!["<title>", "a & <b>", "c", "<script>", "d", "<style>"],
            ),
            ("<plaintext>a</b>", vec!["<plaintext>", "a</b>"]),
            ("a < b <", vec!["a < b <"]),
            ("<b class=", vec![]),
        ] {
            assert_eq!(written(html), events, "{html}");
        }
    }

    #[test]
    fn first_attribute_wins_and_is_decoded() {
        let html = "<a DATA-X='1&amp;2' data-x=3 class='a\tb'>";
        let Some(Event::Start(tag)) = Events::new(html).next() else {
            panic!("there is a start tag");
        };

        assert_eq!(tag.attribute("data-x").as_deref(), Some("1&2"));
        assert!(tag.has_class("b") && !tag.has_class("ab") && tag.attribute("y").is_none());
    }

    proptest! {
        #[test]
        fn spans_ascend(html in "(<[a-z/!]{0,3}[ a='\\\"]{0,5}>?|[a-z&;ä]{0,3}|<script>|</script>|<title>){0,20}") {
            let mut events = Events::new(&html);
            let mut end = 0;
            while events.next().is_some() {
                let span = events.span();
                prop_assert!(span.start >= end && span.end <= html.len());
                prop_assert!(html.is_char_boundary(span.start) && html.is_char_boundary(span.end));
                end = span.end;
            }
        }
    }
}
