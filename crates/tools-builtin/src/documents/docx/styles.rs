//! What the styles of paragraphs say.

use std::collections::HashMap;

use super::super::error::DocumentError;
use super::super::limits::DocumentLimits;
use super::super::xml::{Element, Space, Token, Xml};

/// How many styles may be based on each other.
const MAX_CHAIN: usize = 16;

/// The styles of a document, by their ids.
#[derive(Debug, Default)]
pub(super) struct Styles(HashMap<String, Style>);

#[derive(Debug, Default, Clone)]
struct Style {
    based_on: Option<String>,
    /// What the name says, such as `heading 2`.
    heading: Option<usize>,
    outline: Option<usize>,
    number: Option<String>,
    level: Option<usize>,
}

impl Styles {
    pub(super) fn parse(text: &str, limits: &DocumentLimits) -> Result<Self, DocumentError> {
        let mut xml = Xml::new(text, limits);
        let mut styles = HashMap::new();
        loop {
            match xml.next()? {
                Token::Start(element)
                    if element.space == Space::Word && element.local() == "style" =>
                {
                    let id = element.attribute("styleId").unwrap_or_default();
                    let mut style = Style::default();
                    xml.within(|_, inner| style.note(inner))?;
                    styles.insert(id.into_owned(), style);
                }
                Token::Done => return Ok(Self(styles)),
                _ => {}
            }
        }
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
            self.0.get(id)
        };
        std::iter::successors(self.0.get(id), based_on).take(MAX_CHAIN)
    }
}

impl Style {
    fn note(&mut self, element: &Element<'_>) {
        let value = || element.attribute("val").unwrap_or_default();
        match element.local() {
            "name" => self.heading = heading(&value()),
            "basedOn" => self.based_on = Some(value().into_owned()),
            "outlineLvl" => self.outline = outline(&value()),
            "numId" => self.number = Some(value().into_owned()),
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
