//! Headers and footers of sections.

use std::collections::{HashMap, HashSet};

use crate::error::{DocumentError, DocumentLimits};
use crate::xml::{Element, Xml};

/// Pages with a header or footer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Pages {
    All,
    First,
    Even,
}

/// Headers and footers of a section.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    references: Vec<((bool, Pages), String)>,
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
                let pages = match element.attribute("type").as_deref() {
                    Some("first") => Pages::First,
                    Some("even") => Pages::Even,
                    _ => Pages::All,
                };
                let id = element.prefixed("id").unwrap_or_default().into_owned();
                let is_header = local == "headerReference";
                self.references.push(((is_header, pages), id));
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
    current: HashMap<(bool, Pages), String>,
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
            let is_shown = match pages {
                Pages::All => true,
                Pages::First => section.has_first,
                Pages::Even => self.has_even,
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
