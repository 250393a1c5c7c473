//! What the styles of paragraphs say.

use std::collections::HashMap;

use super::super::error::DocumentError;
use super::super::limits::DocumentLimits;
use super::super::xml::{Element, Space, Token, Xml};
use super::properties::RunProperties;

/// How many styles may be based on each other.
const MAX_CHAIN: usize = 16;

/// The styles of a document.
#[derive(Debug, Default)]
pub(super) struct Styles {
    by_id: HashMap<String, Style>,
    /// The style of the paragraphs that name none.
    of_paragraphs: Option<String>,
    /// Whether all text is hidden that does not say otherwise.
    vanish: bool,
}

#[derive(Debug, Default, Clone)]
struct Style {
    based_on: Option<String>,
    /// What the name says, such as `heading 2`.
    heading: Option<usize>,
    outline: Option<usize>,
    number: Option<String>,
    level: Option<usize>,
    vanish: Option<bool>,
}

impl Styles {
    pub(super) fn parse(text: &str, limits: &DocumentLimits) -> Result<Self, DocumentError> {
        let mut xml = Xml::new(text, limits);
        let mut styles = Self::default();
        loop {
            match xml.next()? {
                Token::Start(element) if element.space == Space::Word => match element.local() {
                    "style" => styles.add(&element, &mut xml)?,
                    "rPrDefault" => xml.within(|depth, inner| {
                        if depth == 1 && inner.local() == "vanish" {
                            styles.vanish = inner.is_on();
                        }
                    })?,
                    _ => {}
                },
                Token::Done => return Ok(styles),
                _ => {}
            }
        }
    }

    fn add(&mut self, start: &Element<'_>, xml: &mut Xml<'_>) -> Result<(), DocumentError> {
        let id = start.attribute("styleId").unwrap_or_default().into_owned();
        let is_default = matches!(
            start.attribute("default").as_deref(),
            Some("1" | "true" | "on")
        );
        if is_default && start.attribute("type").as_deref() == Some("paragraph") {
            self.of_paragraphs = Some(id.clone());
        }
        let mut style = Style::default();
        xml.within(|depth, inner| style.note(depth, inner))?;
        self.by_id.insert(id, style);
        Ok(())
    }

    /// Whether a run in a paragraph of this style is not to be seen. What the run says counts first. The styles of the
    /// paragraph and of the run each turn a switch that the other has turned, unless the whole document has it on.
    pub(super) fn hides(&self, paragraph: Option<&str>, run: &RunProperties) -> bool {
        let named = paragraph.filter(|id| self.by_id.contains_key(*id));
        let paragraph = named.or(self.of_paragraphs.as_deref());
        let vanishes = |id: Option<&str>| {
            let own = id.and_then(|id| self.first(id, |style| style.vanish));
            own.unwrap_or(false)
        };
        let by_style = || self.vanish || (vanishes(paragraph) != vanishes(run.style.as_deref()));
        run.always || run.vanish.unwrap_or_else(by_style)
    }

    /// Which heading a paragraph of this style is, from 1.
    pub(super) fn heading(&self, id: &str) -> Option<usize> {
        self.first(id, |style| style.heading.or(style.outline))
    }

    /// The numbering that a style gives its paragraphs.
    pub(super) fn number(&self, id: &str) -> Option<&str> {
        self.chain(id).find_map(|style| style.number.as_deref())
    }

    pub(super) fn level(&self, id: &str) -> Option<usize> {
        self.first(id, |style| style.level)
    }

    fn first<T>(&self, id: &str, look: impl Fn(&Style) -> Option<T>) -> Option<T> {
        self.chain(id).find_map(look)
    }

    /// The style and those it is based on.
    fn chain(&self, id: &str) -> impl Iterator<Item = &Style> {
        let based_on = |style: &&Style| {
            let id = style.based_on.as_deref()?;
            self.by_id.get(id)
        };
        std::iter::successors(self.by_id.get(id), based_on).take(MAX_CHAIN)
    }
}

impl Style {
    fn note(&mut self, depth: usize, element: &Element<'_>) {
        let value = || element.attribute("val").unwrap_or_default();
        match element.local() {
            "name" => self.heading = heading(&value()),
            "basedOn" => self.based_on = Some(value().into_owned()),
            "outlineLvl" => self.outline = outline(&value()),
            "numId" => self.number = Some(value().into_owned()),
            // Deeper inside are the parts of tables.
            "vanish" if depth == 1 => self.vanish = Some(element.is_on()),
            "ilvl" => self.level = value().parse().ok(),
            _ => {}
        }
    }
}

/// The heading that a level of the outline is; level 9 is none.
pub(super) fn outline(value: &str) -> Option<usize> {
    let level: usize = value.parse().ok()?;
    (level < 9).then_some(level + 1)
}

/// The names of the styles that come with Word stay English in every language.
fn heading(name: &str) -> Option<usize> {
    let name = name.to_ascii_lowercase();
    if name == "title" {
        return Some(1);
    }
    let level: usize = name.strip_prefix("heading ")?.parse().ok()?;
    (1..=9).contains(&level).then_some(level)
}
