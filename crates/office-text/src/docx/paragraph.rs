//! Paragraphs under construction, the numbers of notes, and the properties of paragraphs, runs, rows
//! and cells.

use std::collections::HashMap;

use super::margins::Section;
use crate::error::DocumentError;
use crate::xml::{Element, Namespace, Xml};

/// Paragraph under construction.
#[derive(Debug, Default)]
pub(super) struct Paragraph {
    pub(super) text: String,
    pub(super) properties: ParagraphProperties,
    /// Ruby annotation of the following base text.
    pub(super) reading: String,
    /// Text of anchored text boxes.
    pub(super) boxes: Vec<String>,
}

/// Maximum length of a link's address in bytes.
const MAX_ADDRESS: usize = 2_000;

impl Paragraph {
    /// Encloses the text from `from` in parentheses unless it is a single character.
    pub(super) fn enclose(&mut self, from: usize) {
        let several = self
            .text
            .get(from..)
            .is_some_and(|since| since.chars().nth(1).is_some());
        if several {
            self.text.insert(from, '(');
            self.text.push(')');
        }
    }

    /// Moves the text from `from` to `reading`.
    pub(super) fn keep_reading(&mut self, from: usize) {
        if let Some(since) = self.text.get(from..) {
            self.reading = since.trim().to_owned();
            self.text.truncate(from);
        }
    }

    /// Writes the ruby annotation after its base text.
    pub(super) fn add_reading(&mut self) {
        let reading = std::mem::take(&mut self.reading);
        if !reading.is_empty() {
            self.text.push('(');
            self.text.push_str(&reading);
            self.text.push(')');
        }
    }

    /// Makes the text from `from` a link unless it is the address itself.
    pub(super) fn link(&mut self, from: usize, address: &str) {
        let Some(since) = self.text.get(from..) else {
            return;
        };
        // A link whose text is its address needs no second copy.
        let is_said = since.trim() == address || address.strip_prefix("mailto:") == Some(since);
        if since.trim().is_empty() || is_said || !is_web_address(address) {
            return;
        }
        self.text.insert(from, '[');
        self.text.push_str("](");
        self.text.push_str(address);
        self.text.push(')');
    }
}

fn is_web_address(address: &str) -> bool {
    let lower = address.get(..8).unwrap_or(address).to_ascii_lowercase();
    // A reader of the text cannot open links to files or bookmarks.
    let known = ["http://", "https://", "mailto:"];
    address.len() <= MAX_ADDRESS
        && known.iter().any(|start| lower.starts_with(start))
        && !address.contains(char::is_whitespace)
}

/// Numbers of notes in the order of their first reference, by kind (`footnotes` or `endnotes`) and id.
#[derive(Debug, Default)]
pub(super) struct NoteNumbers(HashMap<(&'static str, String), usize>);

impl NoteNumbers {
    /// Returns the number of a referenced note.
    pub(super) fn call(&mut self, kind: &'static str, id: &str) -> usize {
        // One sequence for both kinds, because the text has one kind of reference.
        let next = self.0.len() + 1;
        *self.0.entry((kind, id.to_owned())).or_insert(next)
    }

    pub(super) fn called(&self, kind: &'static str, id: String) -> Option<usize> {
        self.0.get(&(kind, id)).copied()
    }

    pub(super) fn any_of(&self, kind: &str) -> bool {
        self.0.keys().any(|(called, _)| *called == kind)
    }
}

/// Maximum number of columns that a cell spans.
const MAX_SPAN: usize = 64;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ParagraphProperties {
    pub(super) style: Option<String>,
    pub(super) number: Option<String>,
    pub(super) level: Option<usize>,
    pub(super) outline: Option<usize>,
    /// Whether the paragraph mark was deleted, which joins the next paragraph.
    pub(super) break_deleted: bool,
    /// Section that ends with the paragraph.
    pub(super) section: Option<Section>,
}

impl ParagraphProperties {
    pub(super) fn read(xml: &mut Xml<'_>) -> Result<Self, DocumentError> {
        let mut properties = Self::default();
        let mut in_section = false;
        // Deeper elements contain the properties before a tracked change.
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

/// Properties of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RunProperties {
    pub(super) style: Option<String>,
    pub(super) vanish: Option<bool>,
    /// Whether the run is hidden in any case, such as the mark between a run-in heading and its
    /// text.
    pub(super) always: bool,
}

impl RunProperties {
    pub(super) fn read(xml: &mut Xml<'_>) -> Result<Self, DocumentError> {
        let mut properties = Self::default();
        xml.within(|depth, element| {
            if depth > 0 || element.namespace != Namespace::Word {
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

/// Properties of a row.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RowProperties {
    pub(super) free: usize,
    pub(super) omitted: bool,
}

impl RowProperties {
    pub(super) fn read(xml: &mut Xml<'_>) -> Result<Self, DocumentError> {
        let mut properties = Self::default();
        xml.within(|depth, element| match (depth, element.local()) {
            (0, "gridBefore") => properties.free = columns(element).unwrap_or(0),
            (0, "del") => properties.omitted = true,
            (0, "hidden") => properties.omitted |= element.is_on(),
            _ => {}
        })?;
        Ok(properties)
    }
}

/// Properties of a cell.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CellProperties {
    /// Number of columns after the first.
    pub(super) more_columns: usize,
    pub(super) empty: bool,
}

impl CellProperties {
    pub(super) fn read(xml: &mut Xml<'_>) -> Result<Self, DocumentError> {
        let mut properties = Self::default();
        xml.within(|depth, element| match (depth, element.local()) {
            (0, "gridSpan") => {
                properties.more_columns = columns(element).unwrap_or(1).saturating_sub(1);
            }
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
    // Each column costs a tab in the text, and a damaged document can claim millions.
    Some(columns.min(MAX_SPAN))
}

/// Returns the heading level of an outline level. Level 9 is body text.
pub(super) fn outline(value: &str) -> Option<usize> {
    let level: usize = value.parse().ok()?;
    (level < 9).then_some(level + 1)
}
