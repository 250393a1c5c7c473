//! Start and end tags, and the metadata that some of them carry.

use super::elements::Active;
use super::stack::MAX_DEPTH;
use super::{Content, Reader, elements, value};
use crate::characters::attribute;
use crate::document::{Element, Event, Format, TableProperties};
use crate::hidden::Hidden;
use crate::tag::Tag;
use crate::tokens::Attribute;

impl<'a> Reader<'a> {
    pub(super) fn start(
        &mut self,
        tag: Tag,
        is_closed: bool,
        attributes: &[Attribute<'a>],
    ) -> Content {
        if self.is_in_foreign() && !self.leaves_foreign(tag, is_closed, attributes) {
            return Content::Html;
        }
        if self.is_of_head(tag, attributes) {
            return Content::Html;
        }
        self.close_implied(tag);
        if let Some(raw) = tag.raw_text() {
            return Content::Raw(raw);
        }
        let hidden = self.hidden.within(attributes);
        if tag.is_void() {
            self.void(tag, hidden, attributes);
        } else if tag.is_formatting() {
            self.start_format(tag, attributes);
        } else if tag.is_table_part() {
            self.start_table_part(tag, attributes);
        } else {
            self.start_element(tag, hidden, is_closed, attributes);
        }
        match tag {
            Tag::Plaintext => Content::Plaintext,
            _ => Content::Html,
        }
    }

    /// Returns whether a tag in SVG or `MathML` is an HTML tag, and otherwise opens it.
    fn leaves_foreign(&mut self, tag: Tag, is_closed: bool, attributes: &[Attribute<'a>]) -> bool {
        if tag.ends_foreign_content() {
            while self.is_in_foreign() {
                self.pop();
            }
            return true;
        }
        if !is_closed {
            let hidden = match tag {
                Tag::Annotation | Tag::AnnotationXml | Tag::Script | Tag::Style => Hidden::WHOLLY,
                _ => self.hidden.within(attributes),
            };
            self.push(tag, hidden, None, attributes);
        }
        false
    }

    fn close_implied(&mut self, tag: Tag) {
        if tag.is_block() {
            self.close_paragraph();
        }
        match tag {
            Tag::Li => self.close_item(|open| open == Tag::Li),
            Tag::Dd | Tag::Dt => self.close_item(|open| matches!(open, Tag::Dd | Tag::Dt)),
            Tag::A | Tag::Nobr => self.formats.close(tag),
            Tag::Button => self.close_through(Tag::Button),
            Tag::Option | Tag::Optgroup if self.top() == Some(Tag::Option) => {
                self.pop();
            }
            Tag::Rt | Tag::Rp if matches!(self.top(), Some(Tag::Rt | Tag::Rp)) => {
                self.pop();
            }
            Tag::Input | Tag::Textarea | Tag::Select => self.close_through(Tag::Select),
            // A `<table>` directly in a table closes it.
            Tag::Table if self.top().is_some_and(Tag::holds_cells) => {
                self.close_through(Tag::Table);
            }
            _ if tag.is_heading() && self.top().is_some_and(Tag::is_heading) => {
                self.pop();
            }
            _ => {}
        }
    }

    /// Closes the previous item of the list.
    fn close_item(&mut self, is_item: impl Fn(Tag) -> bool) {
        let ends =
            |open: Tag| open.is_special() && !matches!(open, Tag::Address | Tag::Div | Tag::P);
        if let Some(place) = self.find(is_item, ends) {
            self.pop_to(place);
        }
    }

    fn start_format(&mut self, tag: Tag, attributes: &[Attribute<'a>]) {
        let mut link = 0;
        if tag == Tag::A
            && let Some(address) = value(attributes, "href")
        {
            self.document.links.push(address);
            link = u32::try_from(self.document.links.len()).unwrap_or_default();
        }
        if tag == Tag::Code {
            self.name_language(elements::language(attributes));
        }
        self.formats.push(Active {
            tag,
            link,
            // Only its own attributes: the element can outlive the hidden block around it.
            is_hidden: Hidden::default().within(attributes).is_hidden(),
        });
    }

    /// Sets the language of the innermost `<pre>` if it is unknown.
    fn name_language(&mut self, name: &'a str) {
        let event = self
            .preformatted
            .and_then(|place| self.document.events.get_mut(place));
        if let Some(Event::Open(Element::Preformatted { language })) = event
            && language.is_empty()
        {
            *language = name;
        }
    }

    fn start_element(
        &mut self,
        tag: Tag,
        hidden: Hidden,
        is_closed: bool,
        attributes: &[Attribute<'a>],
    ) {
        let is_unseen = match tag {
            Tag::Dialog => value(attributes, "open").is_none(),
            Tag::Svg | Tag::Math => tag == Tag::Svg,
            Tag::Option => value(attributes, "selected").is_none(),
            _ => tag.is_unseen(),
        };
        let hidden = if is_unseen { Hidden::WHOLLY } else { hidden };
        if is_closed && matches!(tag, Tag::Svg | Tag::Math) {
            return;
        }
        let is_kept_open = self.open.len() < MAX_DEPTH;
        if tag == Tag::Table && is_kept_open {
            self.start_table(attributes);
        }
        let mut element = elements::element(tag, attributes);
        match &mut element {
            Some(Element::Preformatted { language }) if language.is_empty() => {
                let around = self.open.iter().rev().take(2);
                *language = around
                    .map(|open| open.language)
                    .find(|name| !name.is_empty())
                    .unwrap_or_default();
            }
            Some(Element::Table(place)) => {
                *place = self.tables.last().copied().unwrap_or_default();
            }
            _ => {}
        }
        self.push(tag, hidden, element, attributes);
    }

    fn start_table(&mut self, attributes: &[Attribute<'a>]) {
        let role = value(attributes, "role").unwrap_or_default();
        let place = u32::try_from(self.document.tables.len()).unwrap_or_default();
        self.tables.push(place);
        let mut facts = TableProperties::default();
        facts.is_layout = matches!(role, "presentation" | "none");
        self.document.tables.push(facts);
    }

    /// Opens a part of a table after closing the parts that cannot contain it. Ignored outside
    /// tables.
    fn start_table_part(&mut self, tag: Tag, attributes: &[Attribute<'a>]) {
        let is_table = |open: Tag| matches!(open, Tag::Table | Tag::Template);
        let Some(table) = self.find(is_table, |_| false) else {
            return;
        };
        let is_section = |open: Tag| matches!(open, Tag::Tbody | Tag::Thead | Tag::Tfoot);
        let around = match tag {
            Tag::Td | Tag::Th => self.find(
                |open| is_section(open) || is_table(open) || open == Tag::Tr,
                |_| false,
            ),
            Tag::Tr => self.find(|open| is_section(open) || is_table(open), |_| false),
            _ => Some(table),
        };
        self.pop_to(around.unwrap_or(table) + 1);
        if matches!(tag, Tag::Td | Tag::Th) && self.top() != Some(Tag::Tr) {
            // The standard inserts the missing `<tr>`.
            self.push(Tag::Tr, self.hidden, Some(Element::Row), &[]);
        }
        let hidden = self.hidden.within(attributes);
        if tag == Tag::Th
            && let Some(facts) = self.table()
        {
            facts.has_header = true;
        }
        // Header cells and others close each other, so one tag is enough for both.
        let tag = if tag == Tag::Th { Tag::Td } else { tag };
        self.push(tag, hidden, elements::element(tag, attributes), attributes);
    }

    /// Adds a void element.
    fn void(&mut self, tag: Tag, hidden: Hidden, attributes: &[Attribute<'a>]) {
        // Invisible text still takes its place, so its line breaks count. Those of `display: none`
        // do not: `emit` drops them.
        if tag == Tag::Br {
            self.emit(Event::LineBreak);
        }
        if hidden.is_hidden() || !self.is_seen() {
            return;
        }
        match tag {
            Tag::Hr => self.emit(Event::Rule),
            Tag::Img | Tag::Image => {
                let format = self.formats.format();
                self.image(value(attributes, "alt"), format);
            }
            Tag::Input => self.input(attributes),
            Tag::Frame => self.frame(attributes),
            _ => {}
        }
    }

    fn image(&mut self, text: Option<&'a str>, format: Format) {
        let text = text.unwrap_or_default();
        if let Some(table) = self.table() {
            table.add_text(text.len());
        }
        self.emit(Event::Image { text, format });
    }

    fn input(&mut self, attributes: &[Attribute<'a>]) {
        let kind = attribute(value(attributes, "type").unwrap_or_default());
        let is = |name: &str| kind.eq_ignore_ascii_case(name);
        if is("checkbox") || is("radio") {
            let is_checked = value(attributes, "checked").is_some();
            self.control(if is_checked { "[x]" } else { "[ ]" });
        } else if is("image") {
            self.image(value(attributes, "alt"), self.formats.format());
        // What a person sees in these is not text.
        } else if !["hidden", "password", "file", "color", "range"]
            .into_iter()
            .any(is)
        {
            let shown = value(attributes, "value").filter(|text| !text.is_empty());
            self.control(
                shown
                    .or(value(attributes, "placeholder"))
                    .unwrap_or_default(),
            );
        }
    }

    /// Adds a link to the page of a `<frame>`.
    fn frame(&mut self, attributes: &[Attribute<'a>]) {
        let Some(source) = value(attributes, "src") else {
            return;
        };
        // A page of frames has no other content than its frames.
        self.document.links.push(source);
        let format = Format {
            link: u32::try_from(self.document.links.len()).unwrap_or_default(),
            ..Format::default()
        };
        let name = value(attributes, "title").or(value(attributes, "name"));
        self.emit(Event::Open(Element::Block));
        self.emit(Event::Text {
            text: name.unwrap_or(source),
            is_literal: false,
            format,
        });
        self.emit(Event::Close);
    }
}

impl Reader<'_> {
    pub(super) fn end(&mut self, tag: Tag) {
        if tag.is_formatting() && !self.is_in_foreign() {
            self.formats.close(tag);
            return;
        }
        // Text after `</body>` still belongs to the body.
        if matches!(tag, Tag::Body | Tag::Html | Tag::Head) || self.deeper.close() {
            return;
        }
        match tag {
            // By the standard, `</br>` is a line break, and a stray `</p>` an empty paragraph.
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
        } else if equivalent.eq_ignore_ascii_case("refresh") {
            keep_first(&mut self.document.refresh, content);
        }
    }
}

pub(super) fn keep_first<'a>(place: &mut &'a str, found: Option<&'a str>) {
    if place.trim().is_empty() {
        *place = found.unwrap_or_default();
    }
}
