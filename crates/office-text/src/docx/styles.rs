//! Paragraph and character styles.

use std::collections::HashMap;

use super::paragraph::{RunProperties, outline};
use crate::error::{DocumentError, DocumentLimits};
use crate::xml::{Element, Namespace, Xml};

/// Maximum length of a chain of base styles.
const MAX_CHAIN: usize = 16;

/// Styles of a document.
#[derive(Debug, Default)]
pub(super) struct Styles {
    by_id: HashMap<String, Style>,
    /// Default paragraph style.
    of_paragraphs: Option<String>,
    /// Whether text is hidden by default.
    vanish: bool,
}

#[derive(Debug, Default, Clone)]
struct Style {
    based_on: Option<String>,
    /// Level from a name such as `heading 2`.
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
        while let Some(element) = xml.next_start()? {
            if element.namespace == Namespace::Word {
                match element.local() {
                    "style" => styles.add(&element, &mut xml)?,
                    "rPrDefault" => xml.within(|depth, inner| {
                        if depth == 1 && inner.local() == "vanish" {
                            styles.vanish = inner.is_on();
                        }
                    })?,
                    _ => {}
                }
            }
        }
        Ok(styles)
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

    /// Returns whether a run is hidden. The run's own property has precedence. Otherwise, text is
    /// hidden if the document hides it by default, or if exactly one of the paragraph style and the
    /// run style hides it.
    pub(super) fn hides(&self, paragraph: Option<&str>, run: &RunProperties) -> bool {
        let named = paragraph.filter(|id| self.by_id.contains_key(*id));
        let paragraph = named.or(self.of_paragraphs.as_deref());
        let vanishes = |id: Option<&str>| {
            let own = id.and_then(|id| self.first(id, |style| style.vanish));
            own.unwrap_or(false)
        };
        // `vanish` is a toggle property (ECMA-376, 17.7.3): the styles of paragraph and run cancel each other.
        let by_style = || self.vanish || (vanishes(paragraph) != vanishes(run.style.as_deref()));
        run.always || run.vanish.unwrap_or_else(by_style)
    }

    /// Returns the heading level of a paragraph style, from 1.
    pub(super) fn heading(&self, id: &str) -> Option<usize> {
        self.first(id, |style| style.heading.or(style.outline))
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
        let based_on = |style: &&Style| {
            let id = style.based_on.as_deref()?;
            self.by_id.get(id)
        };
        // Styles of a damaged document can be based on each other.
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
