//! Paragraph and character styles.

use std::collections::HashMap;

use super::paragraph::{RunProperties, outline};
use crate::error::{DocumentError, DocumentLimits};
use crate::xml::{Element, Namespace, Xml};

/// Maximum length of a chain of base styles.
const MAX_CHAIN: usize = 16;

/// Styles of a document, by id.
#[derive(Debug, Default)]
pub(super) struct Styles(HashMap<String, Style>);

#[derive(Debug, Default)]
struct Style {
    based_on: Option<String>,
    heading: Option<usize>,
    number: Option<String>,
    level: Option<usize>,
    vanish: Option<bool>,
}

impl Styles {
    pub(super) fn parse(text: &str, limits: &DocumentLimits) -> Result<Self, DocumentError> {
        let mut xml = Xml::new(text, limits);
        let mut styles = HashMap::new();
        while let Some(element) = xml.next_start()? {
            if element.namespace == Namespace::Word && element.local() == "style" {
                let mut style = Style::default();
                xml.within(|depth, inner| style.note(depth, inner))?;
                let id = element.attribute("styleId").unwrap_or_default();
                styles.insert(id.into_owned(), style);
            }
        }
        Ok(Self(styles))
    }

    /// Returns whether a run is hidden: by its own property, or else by its style or the paragraph's.
    pub(super) fn hides(&self, paragraph: Option<&str>, run: &RunProperties) -> bool {
        let vanishes = |id: &str| self.first(id, |style| style.vanish) == Some(true);
        run.vanish.unwrap_or_else(|| {
            run.style.as_deref().is_some_and(vanishes) || paragraph.is_some_and(vanishes)
        })
    }

    /// Returns the heading level of a paragraph style, from 1.
    pub(super) fn heading(&self, id: &str) -> Option<usize> {
        self.first(id, |style| style.heading)
    }

    /// Returns the list of a paragraph style.
    pub(super) fn number(&self, id: &str) -> Option<&str> {
        self.chain(id).find_map(|style| style.number.as_deref())
    }

    pub(super) fn level(&self, id: &str) -> Option<usize> {
        self.first(id, |style| style.level)
    }

    fn first<T>(&self, id: &str, look: impl Fn(&Style) -> Option<T>) -> Option<T> {
        self.chain(id).find_map(look)
    }

    /// Returns the style and its base styles.
    fn chain(&self, id: &str) -> impl Iterator<Item = &Style> {
        let based_on = |style: &&Style| self.0.get(style.based_on.as_deref()?);
        // Styles of a damaged document can be based on each other.
        std::iter::successors(self.0.get(id), based_on).take(MAX_CHAIN)
    }
}

impl Style {
    fn note(&mut self, depth: usize, element: &Element<'_>) {
        let value = || element.attribute("val").unwrap_or_default();
        match element.local() {
            "name" => self.heading = heading(&value()),
            "basedOn" => self.based_on = Some(value().into_owned()),
            "outlineLvl" => self.heading = self.heading.or(outline(&value())),
            "numId" => self.number = Some(value().into_owned()),
            // Deeper elements style parts of tables.
            "vanish" if depth == 1 => self.vanish = Some(element.is_on()),
            "ilvl" => self.level = value().parse().ok(),
            _ => {}
        }
    }
}

/// The names of Word's built-in styles are English in every language.
fn heading(name: &str) -> Option<usize> {
    let name = name.to_ascii_lowercase();
    if name == "title" {
        return Some(1);
    }
    let level: usize = name.strip_prefix("heading ")?.parse().ok()?;
    (1..=9).contains(&level).then_some(level)
}
