//! What paragraphs, runs, rows and cells say of themselves.

use super::super::error::DocumentError;
use super::super::xml::{Element, Space, Xml};
use super::margins::Section;
use super::styles::outline;

/// Wider cells are as wide as this.
const MAX_SPAN: usize = 64;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ParagraphProperties {
    pub(super) style: Option<String>,
    pub(super) number: Option<String>,
    pub(super) level: Option<usize>,
    pub(super) outline: Option<usize>,
    /// Whether the break behind the paragraph was deleted, so that the next goes on in it.
    pub(super) break_deleted: bool,
    /// The section that ends with the paragraph.
    pub(super) section: Option<Section>,
}

impl ParagraphProperties {
    pub(super) fn read(xml: &mut Xml<'_>) -> Result<Self, DocumentError> {
        let mut properties = Self::default();
        let mut in_section = false;
        // Deeper inside is what the properties were before somebody changed them.
        xml.within(|depth, element| {
            let value = || element.attribute("val").unwrap_or_default();
            if depth == 0 {
                in_section = element.local() == "sectPr";
            }
            match (depth, element.local()) {
                (0, "sectPr") => properties.section = Some(Section::default()),
                (1, _) if in_section => {
                    if let Some(section) = &mut properties.section {
                        section.note(element);
                    }
                }
                (0, "pStyle") => properties.style = Some(value().into_owned()),
                (0, "outlineLvl") => properties.outline = outline(&value()),
                (1, "numId") => properties.number = Some(value().into_owned()),
                (1, "ilvl") => properties.level = value().parse().ok(),
                (1, "del" | "moveFrom") => properties.break_deleted = true,
                _ => {}
            }
        })?;
        Ok(properties)
    }
}

/// A run: its style, and whether it says of itself that it is not to be seen.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RunProperties {
    pub(super) style: Option<String>,
    pub(super) vanish: Option<bool>,
    /// Whether it is not to be seen whatever else is said, as the break between a heading and the text in its line.
    pub(super) always: bool,
}

impl RunProperties {
    pub(super) fn read(xml: &mut Xml<'_>) -> Result<Self, DocumentError> {
        let mut properties = Self::default();
        xml.within(|depth, element| {
            if depth > 0 || element.space != Space::Word {
                return;
            }
            match element.local() {
                "rStyle" => properties.style = element.attribute("val").map(Into::into),
                "vanish" => properties.vanish = Some(element.is_on()),
                "specVanish" => properties.always = element.is_on(),
                _ => {}
            }
        })?;
        Ok(properties)
    }
}

/// A row: how many columns it leaves free, and whether it was deleted or is hidden.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RowProperties {
    pub(super) free: usize,
    pub(super) left_out: bool,
}

impl RowProperties {
    pub(super) fn read(xml: &mut Xml<'_>) -> Result<Self, DocumentError> {
        let mut properties = Self::default();
        xml.within(|depth, element| match (depth, element.local()) {
            (0, "gridBefore") => properties.free = columns(element).unwrap_or(0),
            (0, "del") => properties.left_out = true,
            (0, "hidden") => properties.left_out |= element.is_on(),
            _ => {}
        })?;
        Ok(properties)
    }
}

/// A cell: over how many columns it goes, and whether it goes on from the row above, or was deleted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CellProperties {
    pub(super) columns: usize,
    pub(super) empty: bool,
}

impl Default for CellProperties {
    fn default() -> Self {
        Self {
            columns: 1,
            empty: false,
        }
    }
}

impl CellProperties {
    pub(super) fn read(xml: &mut Xml<'_>) -> Result<Self, DocumentError> {
        let mut properties = Self::default();
        xml.within(|depth, element| match (depth, element.local()) {
            (0, "gridSpan") => properties.columns = columns(element).unwrap_or(1).max(1),
            (0, "vMerge" | "hMerge") => {
                properties.empty |= element.attribute("val").as_deref() != Some("restart");
            }
            (0, "cellDel") => properties.empty = true,
            _ => {}
        })?;
        Ok(properties)
    }
}

fn columns(element: &Element<'_>) -> Option<usize> {
    let columns: usize = element.attribute("val")?.parse().ok()?;
    Some(columns.min(MAX_SPAN))
}
