//! Headers and footers of sections.

use std::collections::{HashMap, HashSet};

use crate::error::{DocumentError, DocumentLimits};
use crate::xml::{Element, Xml};

/// Place of a header or footer: the name of its element and its type, which is `first` for a first page, `even` for even
/// pages, and something else for all others.
type Place = (String, String);

/// Headers and footers of a section.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    references: Vec<(Place, String)>,
    has_first: bool,
}

impl Section {
    pub(super) fn read(xml: &mut Xml<'_>) -> Result<Self, DocumentError> {
        let mut section = Self::default();
        xml.within(|depth, element| {
            if depth == 0 {
                section.note(element);
            }
        })?;
        Ok(section)
    }

    pub(super) fn note(&mut self, element: &Element<'_>) {
        match element.local() {
            "titlePg" => self.has_first = element.is_on(),
            local @ ("headerReference" | "footerReference") => {
                let pages = element.attribute("type").unwrap_or_default();
                let id = element.prefixed("id").unwrap_or_default().into_owned();
                let place = (local.to_owned(), pages.into_owned());
                self.references.push((place, id));
            }
            _ => {}
        }
    }
}

/// Headers and footers that sections refer to.
#[derive(Debug, Default)]
pub(super) struct Margins {
    has_even: bool,
    /// References of the current section. A section inherits those that it does not replace.
    current: HashMap<Place, String>,
    known: HashSet<String>,
    shown: HashSet<String>,
}

impl Margins {
    pub(super) fn parse(settings: &str, limits: &DocumentLimits) -> Result<Self, DocumentError> {
        let mut xml = Xml::new(settings, limits);
        let mut margins = Self::default();
        while let Some(element) = xml.next_start()? {
            if element.local() == "evenAndOddHeaders" {
                margins.has_even = element.is_on();
            }
        }
        Ok(margins)
    }

    pub(super) fn add(&mut self, section: Section) {
        for (place, id) in section.references {
            self.known.insert(id.clone());
            self.current.insert(place, id);
        }
        for ((_, pages), id) in &self.current {
            // Word keeps headers that no page shows: of first pages without `titlePg`, of even pages without a setting.
            let is_shown = match pages.as_str() {
                "first" => section.has_first,
                "even" => self.has_even,
                _ => true,
            };
            if is_shown && !self.shown.contains(id) {
                self.shown.insert(id.clone());
            }
        }
    }

    /// Returns whether a header or footer is on any page. One without references is included,
    /// because its section may be damaged.
    pub(super) fn shows(&self, id: &str) -> bool {
        self.shown.contains(id) || !self.known.contains(id)
    }
}
